// Processes that die, that are cut off, and that lose their lease: who reaps whom, and when.
#include <gtest/gtest.h>

#include "support/lease_world.hpp"

namespace forebay::test {
namespace {

Fate away(const std::string&, int) { return Fate::away; }
Fate silent(const std::string&, int) { return Fate::lost_request; }

class LeaseLossTest : public testing::Test {
 protected:
  static LeaseOptions options(int limit = 100) {
    LeaseOptions options;
    options.limit = limit;
    return options;
  }
  void run_for(Duration time) { world_.scheduler.run_for(time); }
  void acquire(LeaseProcess& process, int count) {
    for (int i = 0; i < count; ++i) process.acquire();
    run_for(1s);
    ASSERT_EQ(process.leases.size(), static_cast<std::size_t>(count));
  }

  LeaseWorld world_;
};

TEST_F(LeaseLossTest, TheLeasesOfADeadProcessComeBackExactly) {
  LeaseProcess& first = world_.add(options());
  LeaseProcess& second = world_.add(options());
  acquire(first, 7);
  acquire(second, 3);
  run_for(10min);
  first.die();
  ASSERT_EQ(world_.model.active(), 10);

  // Its lease ends within one ttl, and is reaped within another.
  run_for(6min);
  EXPECT_EQ(world_.model.active(), 3);
  EXPECT_EQ(world_.model.leases(), 1u);
  EXPECT_EQ(second.agent->reaped(), 7u);
}

// From its last sign of life: its own ttl, and less than half of another until somebody is sure.
TEST_F(LeaseLossTest, ADeadProcessIsMissedInTimeEvenOnABadNetwork) {
  SeededRandom chance(5);
  for (int i = 0; i < 3; ++i) {
    LeaseProcess& process = world_.add(options());
    process.store.longest = 200ms;
    process.store.fate = [&chance](const std::string&, int) {
      return chance.below(10) == 0 ? Fate::lost_reply : Fate::answered;
    };
  }
  for (int life = 0; life < 20; ++life) {
    LeaseProcess& process = world_.add(options(), 100);
    acquire(process, 3);
    run_for(5min);
    process.die();
    const Instant death = world_.scheduler.now();
    while (world_.model.active() > 0 && world_.scheduler.step()) {
    }
    EXPECT_LT(world_.scheduler.now() - death, 3min + 90s) << "life " << life;
  }
}

// A process that renewed, was cut off from the store and died at the last moment of its lease: the
// server may count its sessions for a while longer, and nobody has the place before that.
TEST_F(LeaseLossTest, NobodyIsReapedBeforeItsSessionsCanBeGone) {
  for (const Duration linger : {Duration(0s), Duration(10s), Duration(5min)}) {
    LeaseOptions patient = options();
    patient.session_linger = linger;
    LeaseOptions hasty = options();  // its own settings do not shorten the wait
    hasty.session_linger = 0s;
    hasty.ttl = 40s;
    hasty.fence_before = 5s;
    LeaseProcess& process = world_.add(patient);
    LeaseProcess& other = world_.add(hasty);
    acquire(process, 3);
    run_for(5min);
    process.store.fate = silent;
    while (process.leases[0].stands() && world_.scheduler.step()) {
    }
    const Instant death = world_.scheduler.now();
    process.die();
    while (world_.model.active() > 0 && world_.scheduler.step()) {
    }

    EXPECT_GE(world_.scheduler.now() - death, linger);
    EXPECT_LT(world_.scheduler.now() - death, linger + 1min) << "and not much later";
    EXPECT_EQ(other.agent->reaped(), 3u);
    other.die();
  }
}

TEST_F(LeaseLossTest, OfManyReapersOneSucceeds) {
  for (int i = 0; i < 8; ++i) acquire(world_.add(options()), 2);
  world_.processes[0]->die();
  run_for(6min);

  EXPECT_EQ(world_.model.active(), 14);
  std::uint64_t reaped = 0;
  for (const auto& process : world_.processes)
    if (process->agent) reaped += process->agent->reaped();
  EXPECT_EQ(reaped, 2u);
}

TEST_F(LeaseLossTest, NobodyIsReapedBecauseTheStoreWasAway) {
  for (int i = 0; i < 5; ++i) acquire(world_.add(options()), 2);
  run_for(10min);
  for (const auto& process : world_.processes) process->store.fate = silent;
  run_for(1h);
  for (const auto& process : world_.processes) process->store.fate = nullptr;
  run_for(1h);

  for (const auto& process : world_.processes) EXPECT_EQ(process->agent->losses(), 0u);
  EXPECT_EQ(world_.model.active(), 10);
}

// Whatever the length of the outage and the moment at which it begins.
TEST_F(LeaseLossTest, NoOutageOfAnyLengthKillsAHealthyHolder) {
  for (int i = 0; i < 3; ++i) acquire(world_.add(options(), 77), 1);
  for (int i = 0; i < 60; ++i) {
    for (const auto& process : world_.processes) process->store.fate = silent;
    run_for(i * 7s);
    for (const auto& process : world_.processes) process->store.fate = nullptr;
    run_for(4min + i * 1s);
  }
  for (const auto& process : world_.processes) EXPECT_EQ(process->agent->losses(), 0u);
}

// A short ttl leaves less time than the longest pause between two tries.
TEST_F(LeaseLossTest, NorDoesOneWithTheShortestTtl) {
  LeaseOptions brief = options();
  brief.ttl = 3s;
  brief.session_linger = 0s;
  brief.fence_before = 500ms;
  for (int i = 0; i < 8; ++i) acquire(world_.add(brief, 77), 1);
  for (int i = 0; i < 40; ++i) {
    for (const auto& process : world_.processes) process->store.fate = i % 2 == 0 ? silent : away;
    run_for(i * 700ms);
    for (const auto& process : world_.processes) process->store.fate = nullptr;
    run_for(15s);
  }
  for (const auto& process : world_.processes) EXPECT_EQ(process->agent->losses(), 0u);
}

TEST_F(LeaseLossTest, WallClocksTakeNoPart) {
  LeaseProcess& behind = world_.add(options());
  LeaseProcess& right = world_.add(options());
  LeaseProcess& ahead = world_.add(options());
  behind.wall_clock.set_skew(-1h);
  ahead.wall_clock.set_skew(1h);
  for (LeaseProcess* process : {&behind, &right, &ahead}) acquire(*process, 2);
  run_for(15min);
  // A clock that is set back would make each renewal end before the last one.
  ahead.wall_clock.set_skew(-2h);
  run_for(15min);
  for (const auto& process : world_.processes) EXPECT_EQ(process->agent->losses(), 0u);

  ahead.die();
  run_for(6min);
  EXPECT_EQ(world_.model.active(), 4);
}

TEST_F(LeaseLossTest, KeepLeasesAnewWhatIsOpenAndDrainsWhatIsTooMuch) {
  world_.is_strict = false;
  world_.is_covering = false;
  LeaseProcess& cut_off = world_.add(options(10));
  LeaseProcess& other = world_.add(options(10));
  acquire(cut_off, 6);
  run_for(5min);
  cut_off.store.fate = away;
  run_for(8min);
  ASSERT_EQ(world_.model.active(), 0);
  acquire(other, 8);

  cut_off.store.fate = nullptr;
  run_for(30s);
  EXPECT_EQ(cut_off.agent->losses(), 1u);
  EXPECT_EQ(cut_off.agent->overhang(), 0);
  EXPECT_FALSE(cut_off.agent->is_lost());
  EXPECT_EQ(world_.model.active(), 14);

  // What is given back is not used again before the cluster is within its limit. It has less than
  // its share then, so its caller waits, in vain: the other one gives up nothing.
  cut_off.give_back(3);
  cut_off.acquire();
  run_for(1s);
  EXPECT_EQ(world_.model.active(), 11);
  EXPECT_EQ(cut_off.waiting, 1);
  run_for(10s);
  EXPECT_EQ(world_.model.active(), 11);
  ASSERT_EQ(cut_off.errors.size(), 1u);
  EXPECT_EQ(cut_off.errors[0].code(), Errc::limit_reached);
}

// Its own clock tells a process that was stopped or cut off, before the store can.
TEST_F(LeaseLossTest, NothingIsOpenedOnALeaseThatMayHaveEnded) {
  LeaseProcess& process = world_.add(options());
  acquire(process, 1);
  run_for(5min);
  EXPECT_TRUE(process.leases[0].stands());

  process.store.fate = silent;
  run_for(2min);
  EXPECT_TRUE(process.leases[0].stands()) << "renewed a minute before, and good for three";
  run_for(1min);
  EXPECT_FALSE(process.leases[0].stands());

  process.store.fate = nullptr;
  run_for(30s);
  EXPECT_TRUE(process.leases[0].stands()) << "nobody had reaped it";
  EXPECT_EQ(process.agent->losses(), 0u);
}

// Leased anew, it covers a connection that is open; a connect that has not begun asks for another.
TEST_F(LeaseLossTest, WhatWasHandedOutBeforeALossOpensNothingAfterIt) {
  world_.is_strict = false;
  world_.is_covering = false;
  LeaseProcess& cut_off = world_.add(options());
  world_.add(options());
  acquire(cut_off, 2);
  run_for(5min);
  cut_off.store.fate = away;
  run_for(8min);
  ASSERT_EQ(world_.model.active(), 0) << "reaped";

  cut_off.store.fate = nullptr;
  run_for(30s);
  ASSERT_EQ(cut_off.agent->losses(), 1u);
  ASSERT_EQ(cut_off.agent->overhang(), 0);
  EXPECT_FALSE(cut_off.leases[0].stands());

  cut_off.give_back(1);
  cut_off.acquire();
  run_for(1s);
  ASSERT_EQ(cut_off.leases.size(), 2u);
  EXPECT_FALSE(cut_off.leases[0].stands());
  EXPECT_TRUE(cut_off.leases[1].stands());
}

TEST_F(LeaseLossTest, LocalOpensWithoutTheStore) {
  LeaseOptions local = options();
  local.on_absence = StoreAbsence::local;
  world_.is_strict = false;
  LeaseProcess& process = world_.add(local);
  acquire(process, 2);
  process.store.fate = away;
  run_for(5min);

  EXPECT_TRUE(process.leases[0].stands());
}

TEST_F(LeaseLossTest, FenceRetiresBeforeTheLeaseCanEnd) {
  LeaseOptions fencing = options(10);
  fencing.on_loss = LeaseLoss::fence;
  std::optional<Instant> fenced;
  LeaseProcess* process = nullptr;
  fencing.on_lost = [&] {
    fenced = world_.scheduler.now();
    process->leases.clear();  // as a pool would, within fence_before
  };
  process = &world_.add(fencing);
  LeaseProcess& other = world_.add(options(10));
  acquire(*process, 6);
  acquire(other, 1);
  run_for(5min);
  process->store.fate = silent;
  const Instant cut = world_.scheduler.now();

  process->acquire();
  run_for(4min);
  ASSERT_TRUE(fenced.has_value());
  EXPECT_LE(*fenced - cut, 150s);
  EXPECT_TRUE(process->agent->is_lost());
  process->acquire();
  run_for(1min);
  EXPECT_EQ(process->leases.size(), 0u);

  run_for(5min);
  EXPECT_EQ(world_.model.active(), 1);
  process->store.fate = nullptr;
  run_for(30s);
  process->acquire();
  run_for(30s);
  EXPECT_EQ(process->leases.size(), 1u);
  EXPECT_FALSE(process->agent->is_lost());
  EXPECT_EQ(world_.model.active(), 2);
}

TEST_F(LeaseLossTest, AFencedProcessGoesOnWhenItsLeaseIsStillThere) {
  LeaseOptions fencing = options(10);
  fencing.on_loss = LeaseLoss::fence;
  int calls = 0;
  fencing.on_lost = [&] { ++calls; };
  LeaseProcess& process = world_.add(fencing);
  acquire(process, 2);
  process.store.fate = silent;
  run_for(149s);
  process.give_back(1);  // and so has something to release when the fence goes up
  run_for(10min);
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(process.agent->is_lost());

  process.store.fate = nullptr;
  run_for(20s);
  EXPECT_FALSE(process.agent->is_lost());
  EXPECT_EQ(process.agent->losses(), 0u);
  process.acquire();
  run_for(1s);
  EXPECT_EQ(process.leases.size(), 2u);
}

}  // namespace
}  // namespace forebay::test
