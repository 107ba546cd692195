// Lease agents whose requests and replies go astray: first one at a time, at every place of a
// script, then by chance. At every step the store's leases cover the connections in use; once
// the network is well, both are equal.
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "support/lease_world.hpp"

namespace forebay::test {
namespace {

constexpr std::array kBadFates = {Fate::lost_request, Fate::lost_reply, Fate::late, Fate::throttled,
                                  Fate::away};

LeaseOptions options(int limit) {
  LeaseOptions options;
  options.limit = limit;
  return options;
}

// The k-th request, and the next so many, meet that fate.
int run_script(int k, int length, Fate bad) {
  LeaseWorld world;
  world.limit = 10;
  LeaseProcess& process = world.add(options(10));
  process.store.shortest = 2ms;
  process.store.longest = 20ms;
  process.store.fate = [k, length, bad](const std::string&, int number) {
    return number >= k && number < k + length ? bad : Fate::answered;
  };
  const auto acquire = [&](int count) {
    for (int i = 0; i < count; ++i) process.acquire(1min);
    world.scheduler.run_for(40s);
    EXPECT_EQ(process.waiting, 0);
  };
  acquire(3);
  acquire(2);
  process.give_back(4);
  world.scheduler.run_for(40s);
  EXPECT_EQ(world.held(process), static_cast<int>(process.leases.size()));
  acquire(4);
  process.give_back(9);
  world.scheduler.run_for(40s);
  EXPECT_EQ(world.model.active(), 0);
  acquire(1);
  process.leases.clear();
  EXPECT_EQ(process.close(), std::optional(true));
  EXPECT_EQ(world.model.active(), 0);
  EXPECT_EQ(process.agent->losses(), 0u);
  process.agent.reset();
  world.scheduler.run_for(1min);  // what was late arrives
  return process.store.requests;
}

TEST(LeaseFaultsTest, EveryRequestMayMeetEveryFate) {
  const int requests = run_script(0, 0, Fate::answered);
  ASSERT_GT(requests, 8);
  for (const Fate bad : kBadFates) {
    for (int k = 1; k <= requests; ++k) {
      for (const int length : {1, 2}) {
        SCOPED_TRACE(testing::Message() << "fate " << static_cast<int>(bad) << " at request " << k
                                        << ", " << length << " times");
        run_script(k, length, bad);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

class LeaseSwarm {
 public:
  // With cuts, single processes lose the store for as long as it takes to lose their lease.
  LeaseSwarm(std::uint64_t seed, bool has_cuts) : random_(seed), has_cuts_(has_cuts) {
    if (random_.below(2) == 0) world_.scheduler.set_tie_seed(seed);
    limit_ = 5 + static_cast<int>(random_.below(40));
    if (!has_cuts) world_.limit = limit_;
    world_.is_strict = world_.is_covering = !has_cuts;
    const int processes = 1 + static_cast<int>(random_.below(6));
    const auto parts = static_cast<std::uint32_t>(random_.below(300'000));
    for (int i = 0; i < processes; ++i) {
      LeaseProcess& process = world_.add(options(limit_), random_.next());
      process.store.longest = random_.between(1ms, 3s);
      process.store.fate = [this, &process, parts](const std::string&, int) {
        return &process == cut_off_ ? Fate::lost_request : draw_fate(parts);
      };
    }
  }

  void run() {
    const int rounds = has_cuts_ ? 900 : 300;
    for (int i = 0; i < rounds; ++i) {
      act();
      world_.scheduler.run_for(random_.between(0s, 4s));
      if (testing::Test::HasFailure()) return;
    }
    is_healed_ = true;
    is_out_ = false;
    cut_off_ = nullptr;
    // Dead processes are reaped, requests under way end, surplus goes back.
    world_.scheduler.run_for(10min);
    EXPECT_EQ(world_.model.active(), world_.in_use());
    for (const auto& process : world_.processes) {
      EXPECT_EQ(process->waiting, 0);
      if (!process->agent) continue;
      EXPECT_EQ(process->agent->overhang(), 0);
      EXPECT_FALSE(process->agent->is_lost());
      losses += process->agent->losses();
      process->leases.clear();
      EXPECT_EQ(process->close(), std::optional(true));
      process->agent.reset();
    }
    EXPECT_EQ(world_.model.active(), 0);
    // Claims to some may be left, of which others reap what nobody renews.
    for (const LeaseRecord& lease : world_.model.list().leases) EXPECT_EQ(lease.held, 0);
  }

  std::uint64_t losses = 0;

 private:
  Fate draw_fate(std::uint32_t parts) {
    if (is_healed_) return Fate::answered;
    if (is_out_) return Fate::lost_request;
    if (!random_.chance_per_million(parts)) return Fate::answered;
    return kBadFates[random_.below(kBadFates.size())];
  }

  void act() {
    LeaseProcess& process = *world_.processes[random_.below(world_.processes.size())];
    const std::uint64_t what = random_.below(100);
    if (what == 0 && !has_cuts_) is_out_ = !is_out_;
    if (has_cuts_ && what >= 96 && cut_off_ == nullptr && !process.leases.empty())
      cut_off_ = &process;
    if (has_cuts_ && what == 97 && random_.below(3) == 0) cut_off_ = nullptr;
    if (what == 1 && process.agent && world_.processes.size() < 12) {
      process.die();
      LeaseProcess& next = world_.add(options(limit_), random_.next());
      next.store.fate = [this](const std::string&, int) { return draw_fate(100'000); };
      next.store.longest = 50ms;
    }
    // Who is cut off keeps what it has, so that there is something to lose.
    if (!process.agent || &process == cut_off_) return;
    if (what < 50) {
      const std::uint64_t count = 1 + random_.below(8);
      const Duration timeout = random_.between(10ms, 20s);
      for (std::uint64_t i = 0; i < count; ++i) process.acquire(timeout);
    } else {
      process.give_back(random_.below(8));
    }
  }

  SeededRandom random_;
  int limit_ = 0;
  const bool has_cuts_;
  LeaseProcess* cut_off_ = nullptr;
  bool is_healed_ = false;
  bool is_out_ = false;
  LeaseWorld world_;
};

std::uint64_t seeds() {
  const char* wanted = std::getenv("FOREBAY_SEEDS");
  return wanted != nullptr ? std::stoull(wanted) : 60;
}

TEST(LeaseFaultsTest, EverySeedCoversItsConnectionsAndEndsExact) {
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    LeaseSwarm swarm(seed, false);
    swarm.run();
    EXPECT_EQ(swarm.losses, 0u);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(LeaseFaultsTest, EverySeedEndsExactAfterLeasesWereLost) {
  std::uint64_t losses = 0;
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    LeaseSwarm swarm(seed, true);
    swarm.run();
    losses += swarm.losses;
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(losses, seeds() / 6);
}

}  // namespace
}  // namespace forebay::test
