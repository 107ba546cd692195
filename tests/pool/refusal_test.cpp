// Servers that say no: for good, which callers and starts hear at once, or because they are full.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/captured_log.hpp"
#include "support/sim_pool.hpp"

namespace forebay::test {
namespace {

using testing::HasSubstr;

Error wrong_password() {
  return Error(Errc::refused, ErrorClass::permanent, "password authentication failed", "28P01");
}

PoolOptions pool_of(int max, Supply supply) {
  PoolOptions options;
  options.size.max = max;
  options.supply = supply;
  return options;
}

class RefusedPoolTest : public testing::TestWithParam<Supply> {};

INSTANTIATE_TEST_SUITE_P(Both, RefusedPoolTest,
                         testing::Values(Supply::standard, Supply::reservoir));

TEST_P(RefusedPoolTest, AStartEndsAtOnceAfterOneConnect) {
  const CapturedLog log;
  SimPool sim(pool_of(10, GetParam()));
  sim.server.refuses_all = wrong_password();

  const Result<bool> started = sim.start_or_fail();

  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code(), Errc::refused);
  EXPECT_EQ(started.error().sqlstate(), "28P01");
  EXPECT_THAT(started.error().text(), HasSubstr("password authentication failed"));
  EXPECT_EQ(sim.now(), Instant(5ms));
  EXPECT_EQ(sim.server.steps["connect"], 1);
}

TEST_P(RefusedPoolTest, AStartThatMayComeToSomethingGoesOn) {
  const CapturedLog log;
  SimPool sim(pool_of(10, GetParam()));
  sim.server.fails = [](const std::string& step, int number) {
    return step == "connect" && number == 1;
  };

  const Result<bool> started = sim.start_or_fail();

  ASSERT_TRUE(started) << started.error().text();
  EXPECT_TRUE(*started);
  EXPECT_EQ(sim.server.most_connecting, GetParam() == Supply::reservoir ? 9 : 1);
}

TEST(RefusalTest, AWarmUpIsNotTriedAgainAndAgain) {
  const CapturedLog log;
  PoolOptions options = pool_of(10, Supply::standard);
  options.size.keep_open = 5;
  SimPool sim(options);
  sim.server.refuses_all = wrong_password();

  EXPECT_FALSE(sim.start());
  EXPECT_EQ(sim.server.steps["connect"], 1);
  EXPECT_EQ(log.count("Pool warmup gave up"), 1u);
  sim.scheduler.run_for(10min);
  EXPECT_LE(sim.server.steps["connect"], 11) << "a wrong password must not lock the account";
  sim.server.refuses_all.reset();
  sim.scheduler.run_for(2min + 10s);

  EXPECT_EQ(sim.statistics().open(), 5);
  EXPECT_TRUE(sim.statistics().is_filled);
}

TEST_P(RefusedPoolTest, CallersHearItAtOnceAndThePoolHealsByItself) {
  const CapturedLog log;
  SimPool sim(pool_of(4, GetParam()));
  sim.start();
  sim.server.refuses_all = wrong_password();
  while (std::optional<PooledConnection> taken = sim.pool->try_acquire()) taken->mark_broken();

  const SimPool::Call& first = sim.call(1h, 0s);
  sim.scheduler.run_for(1s);
  ASSERT_TRUE(first.is_done);
  EXPECT_EQ(first.error, Errc::refused);
  const SimPool::Call& second = sim.call(1h, 0s);
  sim.scheduler.run_for(0s);
  EXPECT_EQ(second.error, Errc::refused) << "without waiting for the next attempt";
  EXPECT_EQ(sim.statistics().counters.timeouts, 0u);
  EXPECT_EQ(sim.statistics().counters.refusals, 2u);

  sim.server.refuses_all.reset();
  sim.scheduler.run_for(15s);
  const SimPool::Call& healed = sim.call(1s, 0s);
  sim.scheduler.run_for(1s);

  EXPECT_TRUE(healed.is_done);
  EXPECT_FALSE(healed.error.has_value());
}

TEST(RefusalTest, ACallerWhoDoesNotWaitHearsItToo) {
  const CapturedLog log;
  PoolOptions options = pool_of(4, Supply::reservoir);
  options.initial_fill_limit = 1s;
  SimPool sim(options);
  sim.server.refuses_all = wrong_password();
  sim.start();

  const SimPool::Call& call = sim.call(0s, 0s);
  sim.scheduler.run_for(0s);

  EXPECT_EQ(call.error, Errc::refused);
}

// A server that allows a quarter of what the pool wants, and lives of five seconds.
TEST(RefusalTest, AFullServerIsKeptFull) {
  const CapturedLog log;
  PoolOptions options = pool_of(400, Supply::reservoir);
  options.lifetime = 5s;
  options.lifetime_jitter = 0s;
  options.guard_window = 500ms;
  options.connect_rate = 100;
  options.connect_burst = 10;
  options.initial_fill_limit = 10s;
  SimPool sim(options);
  sim.server.limit = 100;
  sim.server.connect_time = 10ms;
  sim.start();
  const std::uint64_t opened_before = sim.statistics().counters.opened;
  const int refused_before = sim.server.refusals;
  int fewest = 100;
  for (int i = 0; i < 600; ++i) {
    sim.scheduler.run_for(100ms);
    fewest = std::min(fewest, sim.statistics().open());
  }

  EXPECT_GE(fewest, 90);
  EXPECT_GE(sim.statistics().counters.opened - opened_before, 60u * 20 / 2) << "lives do end";
  EXPECT_LE(sim.server.refusals - refused_before, 60 * 2) << "about one try a second";
}

TEST(RefusalTest, RoomOnAFullServerIsFoundWithinSeconds) {
  const CapturedLog log;
  PoolOptions options = pool_of(200, Supply::reservoir);
  options.initial_fill_limit = 5s;
  SimPool sim(options);
  sim.server.limit = 40;
  EXPECT_FALSE(sim.start());
  ASSERT_EQ(sim.statistics().open(), 40);

  sim.server.limit = 200;
  sim.scheduler.run_for(2s);

  EXPECT_EQ(sim.statistics().open(), 200);
}

}  // namespace
}  // namespace forebay::test
