// Callers are timed: exactly when there are few, and each counts once whatever happens.
#include <thread>

#include <gtest/gtest.h>

#include "support/real_pool.hpp"
#include "support/sim_pool.hpp"

namespace forebay::test {
namespace {

PoolOptions reservoir_of(int size) {
  PoolOptions options;
  options.size.max = size;
  options.supply = Supply::reservoir;
  return options;
}

TEST(CheckoutTimesTest, AQuietPoolTimesEveryCaller) {
  SimPool sim(reservoir_of(2));
  sim.start();
  for (int i = 0; i < 7; ++i) {
    sim.scheduler.run_for(10ms);
    EXPECT_TRUE(sim.pool->try_acquire().has_value());
  }
  const PoolCounters counters = sim.statistics().counters;
  EXPECT_EQ(counters.ready_times.count(), 7u);
  EXPECT_EQ(counters.ready_times.count(0), 7u);  // in no time at all
  EXPECT_EQ(counters.wait_times.count(), 0u);
}

// All of them at one time of the cheap clock: the first was timed and stands for the others.
TEST(CheckoutTimesTest, ThoseOfOneTickCountAtOnce) {
  SimPool sim(reservoir_of(2));
  sim.start();
  sim.scheduler.run_for(10ms);
  for (int i = 0; i < 7; ++i) EXPECT_TRUE(sim.pool->try_acquire().has_value());
  EXPECT_EQ(sim.statistics().counters.ready_times.count(), 7u);
}

TEST(CheckoutTimesTest, WhoWaitsIsTimedByHowLong) {
  SimPool sim(reservoir_of(1));
  sim.start();
  sim.call(10s, 3s);
  sim.call(10s, 0s);
  sim.scheduler.run_for(5s);
  const PoolCounters counters = sim.statistics().counters;
  EXPECT_EQ(counters.waits(), 1u);
  EXPECT_EQ(counters.wait_time(), Duration(3s));
  EXPECT_EQ(counters.acquired, 2u);
}

TEST(CheckoutTimesTest, InABusyPoolEveryCallerCountsOnce) {
  RealPool pool(reservoir_of(4),
                [](FakeServer& server) { server.connect_time = Duration::zero(); });
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20'000; ++round)
        EXPECT_TRUE(pool->acquire_blocking(30s).has_value());
    });
  }
  for (std::thread& each : threads) each.join();
  const PoolCounters counters = pool->statistics().counters;
  EXPECT_EQ(counters.acquired, 80'000u);
  const std::uint64_t timed = counters.ready_times.count() + counters.wait_times.count();
  EXPECT_EQ(timed, counters.acquired);
  EXPECT_GT(counters.ready_times.sum(), Duration::zero());
}

}  // namespace
}  // namespace forebay::test
