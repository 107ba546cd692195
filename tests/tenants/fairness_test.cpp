// More demand than connections: nobody is starved beyond its share.
#include <numeric>

#include <gtest/gtest.h>

#include "support/sim_tenants.hpp"

namespace forebay::test {
namespace {

// Callers of one tenant, each of whom comes back at once.
class Storm {
 public:
  Storm(SimTenants& sim, std::string tenant, int callers, Duration hold)
      : sim_(sim), tenant_(std::move(tenant)), hold_(hold) {
    for (int i = 0; i < callers; ++i) start_detached(sim_.scheduler, caller());
  }
  ~Storm() {
    is_over_ = true;
    while (running_ > 0 && sim_.scheduler.step()) {
    }
  }
  Storm(const Storm&) = delete;
  Storm& operator=(const Storm&) = delete;

  int served() const { return served_; }
  int timeouts() const { return timeouts_; }
  Duration longest() const { return longest_; }

 private:
  Task<void> caller() {
    ++running_;
    while (!is_over_) {
      const Instant asked = sim_.now();
      Result<PooledConnection> got = co_await sim_.tenants->acquire(tenant_, asked + 1min);
      longest_ = std::max(longest_, sim_.now() - asked);
      if (got) {
        ++served_;
        co_await sleep_for(sim_.scheduler, hold_);
      } else {
        ++timeouts_;
      }
    }
    --running_;
  }

  SimTenants& sim_;
  const std::string tenant_;
  const Duration hold_;
  int running_ = 0;
  int served_ = 0;
  int timeouts_ = 0;
  Duration longest_{};
  bool is_over_ = false;
};

// Budget 13, cap 6: two storms take twelve, and a third tenant still gets its share.
TEST(TenantFairnessTest, AStormGivesUpWhatIsAboveItsShare) {
  SimTenants sim(tenant_options(20, 6));
  Storm first(sim, "first", 50, 10ms);
  Storm second(sim, "second", 50, 10ms);
  Storm third(sim, "third", 50, 10ms);
  sim.scheduler.run_for(5s);

  EXPECT_GE(sim.statistics("first").open, 3);
  EXPECT_GE(sim.statistics("second").open, 3);
  EXPECT_GE(sim.statistics("third").open, 3);
}

TEST(TenantFairnessTest, OneStormLeavesRoomForASingleCaller) {
  SimTenants sim(tenant_options(20, 13));
  Storm storm(sim, "storm", 100, 5ms);
  sim.scheduler.run_for(2s);
  EXPECT_EQ(sim.statistics("storm").open, 13);

  const SimTenants::Call& quiet = sim.call("quiet", 10s, 1ms);
  sim.scheduler.run_for(1s);

  EXPECT_TRUE(quiet.is_served());
  EXPECT_LT(quiet.waited(), 100ms);
}

// More storms than connections: they take turns, and nobody waits much longer than a round.
TEST(TenantFairnessTest, ThirtyStormsOnThirteenConnectionsTakeTurns) {
  SimTenants sim(tenant_options(20, 3));
  std::deque<Storm> storms;
  for (int i = 0; i < 30; ++i) storms.emplace_back(sim, "s" + std::to_string(i), 3, 20ms);

  sim.scheduler.run_for(20s);

  int least = std::numeric_limits<int>::max();
  int most = 0;
  for (const Storm& storm : storms) {
    least = std::min(least, storm.served());
    most = std::max(most, storm.served());
    EXPECT_EQ(storm.timeouts(), 0);
    EXPECT_LT(storm.longest(), 2s);
  }
  // 20 s of 13 connections at 20 ms each are 13,000; turns cost some.
  const int sum =
      std::accumulate(storms.begin(), storms.end(), 0,
                      [](int so_far, const Storm& storm) { return so_far + storm.served(); });
  EXPECT_GT(sum, 10'000);
  EXPECT_LT(most, 2 * least);
}

// A stint is over before a connect is: each connection still serves the caller that waits for it.
TEST(TenantFairnessTest, StintsShorterThanAConnectServeEverybody) {
  TenantOptions options = tenant_options(20, 3);
  options.stint = 5ms;
  SimTenants sim(options);
  sim.server.connect_time = 100ms;
  for (int i = 0; i < 39; ++i) sim.call("t" + std::to_string(i), 30s, 10ms);

  sim.scheduler.run_for(2s);

  for (const SimTenants::Call& call : sim.calls) EXPECT_TRUE(call.is_served());
}

// Nobody waits for the connections that are lent, and all of them come back at their own time.
TEST(TenantFairnessTest, WhatComesBackWhereNobodyWaitsGoesToTheFirstInLine) {
  SimTenants sim(tenant_options(20, 1));
  for (int i = 0; i < 13; ++i) sim.call("h" + std::to_string(i), 1s, 1s + i * 100ms);
  sim.scheduler.run_for(500ms);

  std::vector<const SimTenants::Call*> late;
  for (int i = 0; i < 3; ++i) late.push_back(&sim.call("late" + std::to_string(i), 60s, 60s));
  sim.scheduler.run_for(5s);

  for (const SimTenants::Call* call : late) EXPECT_TRUE(call->is_served());
  EXPECT_LT(late[0]->ended, late[1]->ended);
  EXPECT_LT(late[1]->ended, late[2]->ended);
  EXPECT_LT(late[2]->ended, Instant(1300ms));
  EXPECT_EQ(sim.tenants->totals().in_use, 13);
}

// A hot tenant is used all the time; cold ones come and go, each once.
TEST(TenantFairnessTest, ColdTenantsDoNotTouchAHotOne) {
  SimTenants sim(tenant_options(20, 3));
  Storm hot(sim, "hot", 3, 2ms);
  sim.scheduler.run_for(1s);
  const std::uint64_t opened = sim.statistics("hot").opened;

  for (int i = 0; i < 500; ++i) {
    sim.call("c" + std::to_string(i), 10s, 1ms);
    sim.scheduler.run_for(10ms);
  }

  EXPECT_EQ(sim.statistics("hot").opened, opened);
  EXPECT_GT(sim.evicted.size(), 400u);
}

}  // namespace
}  // namespace forebay::test
