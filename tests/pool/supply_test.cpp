// How the pool fills, ramps and replaces, in virtual time and with exact numbers.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/captured_log.hpp"
#include "support/sim_pool.hpp"

namespace forebay::test {
namespace {

PoolOptions with_max(int max, Supply supply) {
  PoolOptions options;
  options.size.max = max;
  options.supply = supply;
  return options;
}

// Lets time pass and tells how few were ready at the worst moment.
int fewest_ready_within(SimPool& sim, Duration time) {
  int fewest = sim.statistics().ready;
  sim.set_watch([&] { fewest = std::min(fewest, sim.statistics().ready); });
  sim.scheduler.run_for(time);
  sim.set_watch({});
  return fewest;
}

// HikariCP's spike: connect 150 ms, hold 2 ms, 5 ready, max 50, 50 callers at once.
// Five connections that come back every 2 ms serve fifty callers in 20 ms; opening more
// would help nobody.
TEST(SupplyTest, ASpikeIsServedByWhatComesBack) {
  PoolOptions options = with_max(50, Supply::standard);
  options.size.min_idle = 5;
  SimPool sim(options);
  sim.server.connect_time = 150ms;
  sim.start();
  sim.scheduler.run_for(1s);
  ASSERT_EQ(sim.statistics().ready, 5);

  const Instant spike = sim.now();
  for (int i = 0; i < 50; ++i) sim.call(30s, 2ms);
  sim.scheduler.run_for(25ms);

  Instant last{};
  for (const auto& call : sim.calls) {
    ASSERT_TRUE(call->is_done && !call->error);
    last = std::max(last, call->ended + 2ms);
  }
  EXPECT_EQ(last - spike, 20ms);
  sim.scheduler.run_for(10s);
  EXPECT_LE(sim.statistics().counters.opened, 6u);
}

// A herd on an empty pool, first with short and then with long holds. Connects take 100 ms; before
// the first has been seen, 50 ms is assumed.
std::vector<Duration> herd_connect_starts(Duration hold) {
  SimPool sim(with_max(50, Supply::standard));
  sim.server.connect_time = 100ms;
  sim.start();
  for (int i = 0; i < 50; ++i) sim.call(60s, hold);
  sim.scheduler.run_for(10s);

  for (const auto& call : sim.calls) EXPECT_TRUE(call->is_done && !call->error);
  std::vector<Duration> starts;
  for (const Instant start : sim.server.connect_starts) starts.push_back(start.time_since_epoch());
  return starts;
}

TEST(SupplyTest, AHerdWithShortHoldsOpensFew) {
  const std::vector<Duration> starts = herd_connect_starts(2ms);

  // 0: one for the first caller. 50 ms: one assumed connect time has passed. 100 ms: the first is
  // there and serves a caller every 2 ms; a wait of one connect time allows two in flight, and one
  // still is. 150 ms: the second is there, so again one more. By 175 ms all fifty are served.
  const std::vector<Duration> expected = {0ms, 50ms, 100ms, 150ms};
  EXPECT_EQ(starts, expected);
}

TEST(SupplyTest, AHerdBehindLongHoldsGetsARampThatSteepens) {
  const std::vector<Duration> starts = herd_connect_starts(1s);

  // In flight after each decision: 1, then 1 + floor(wait / connect time).
  std::vector<int> in_flight_at_step;
  for (int step = 0; step < 12; ++step) {
    const Duration from = step * 100ms;
    in_flight_at_step.push_back(
        static_cast<int>(std::count_if(starts.begin(), starts.end(), [&](Duration start) {
          return start <= from && start > from - 100ms;
        })));
  }
  // Connects last one step, so those in flight are those that started within the last step.
  const std::vector<int> expected = {1, 2, 3, 4, 5, 6, 7, 8, 9, 5, 0, 0};
  EXPECT_EQ(in_flight_at_step, expected);
  EXPECT_EQ(starts.size(), 50u);
}

struct Herd {
  Duration served_within{};
  std::uint64_t opened = 0;
};

// 200 callers at once, 5 ms each, connects of 50 ms.
Herd run_herd(SimPool& sim) {
  const Instant start = sim.now();
  const std::uint64_t before = sim.statistics().counters.opened;
  const std::size_t earlier = sim.calls.size();
  for (int i = 0; i < 200; ++i) sim.call(60s, 5ms);
  sim.scheduler.run_for(5s);
  Herd herd;
  herd.opened = sim.statistics().counters.opened - before;
  for (std::size_t i = earlier; i < sim.calls.size(); ++i) {
    EXPECT_TRUE(sim.calls[i]->is_done && !sim.calls[i]->error);
    herd.served_within = std::max(herd.served_within, sim.calls[i]->ended + 5ms - start);
  }
  return herd;
}

TEST(SupplyTest, AHerdIsServedWithinAConnectTimeOfTheFirstConnect) {
  PoolOptions options = with_max(100, Supply::standard);
  options.idle_timeout = 1s;
  SimPool sim(options);
  sim.server.connect_time = 50ms;
  sim.start();

  // 50 ms: the first connection, and a second is begun. 55 ms: how long a loan lasts is known.
  const Herd first = run_herd(sim);
  EXPECT_LE(first.served_within, 165ms);
  EXPECT_LE(first.opened, 24u);
  ASSERT_EQ(sim.statistics().ready, 0);  // none is needed, and all have been idle for long

  const Herd second = run_herd(sim);
  EXPECT_EQ(second.served_within, 100ms);
  EXPECT_LE(second.opened, 22u);  // 20 by the law, and two by the ramp while they open
}

TEST(SupplyTest, ThePacerIsTheOnlyThrottleOfAFill) {
  PoolOptions options = with_max(100, Supply::reservoir);
  options.connect_rate = 100;
  options.connect_burst = 10;
  SimPool sim(options);
  sim.server.connect_time = 50ms;

  EXPECT_TRUE(sim.start());

  // 10 at once and 90 at 100 a second, then one connect time.
  EXPECT_EQ(sim.now().time_since_epoch(), 900ms + 50ms);
}

// Fifty connections from one burst, with no room to open replacements first.
TEST(SupplyTest, ABurstOfConnectionsDoesNotExpireInOne) {
  PoolOptions options = with_max(50, Supply::reservoir);
  options.lifetime = 2s;
  options.lifetime_jitter = 0s;
  options.guard_window = 200ms;
  options.connect_rate = 100;
  options.connect_burst = 50;
  SimPool sim(options);
  sim.start();
  ASSERT_EQ(sim.statistics().ready, 50);

  const int fewest = fewest_ready_within(sim, 60s);

  EXPECT_GE(fewest, 48);
  EXPECT_EQ(sim.server.refusals, 0);
  EXPECT_GE(sim.statistics().counters.opened, 50u * 60 / 2);
  EXPECT_LE(sim.statistics().counters.opened, 50u * 60);
}

TEST(SupplyTest, WithRoomAReplacementIsThereBeforeTheOldOneGoes) {
  PoolOptions options = with_max(20, Supply::reservoir);
  options.size.target_ready = 10;
  options.lifetime = 10s;
  options.lifetime_jitter = 0s;
  options.guard_window = 1s;
  SimPool sim(options);
  sim.start();

  const int fewest = fewest_ready_within(sim, 60s);

  EXPECT_EQ(fewest, 10);
  EXPECT_LE(sim.server.most_sessions, 20);
}

TEST(SupplyTest, AnIncompleteInitialFillWarnsAndGoesOn) {
  PoolOptions options = with_max(10, Supply::reservoir);
  options.initial_fill_limit = 2s;
  const CapturedLog log;
  SimPool sim(options);
  sim.server.fails = [&sim](const std::string& step, int) {
    return step == "connect" && sim.now() < Instant(3s);
  };

  EXPECT_FALSE(sim.start());

  EXPECT_EQ(sim.now(), Instant(2s));
  EXPECT_EQ(log.count("Reservoir initial fill timeout"), 1u);
  sim.scheduler.run_for(10s);
  EXPECT_EQ(sim.statistics().ready, 10);
}

TEST(SupplyTest, AfterAnOutageTheTargetIsReachedWithinOneBackoff) {
  PoolOptions options = with_max(10, Supply::reservoir);
  options.backoff.longest = 1s;
  SimPool sim(options);
  sim.start();
  bool is_away = true;
  sim.server.fails = [&is_away](const std::string& step, int) {
    return is_away && step != "close";
  };
  while (std::optional<PooledConnection> taken = sim.pool->try_acquire()) taken->mark_broken();
  sim.scheduler.run_for(20s);
  ASSERT_EQ(sim.statistics().ready, 0);

  is_away = false;
  sim.scheduler.run_for(1s + 5ms);

  EXPECT_EQ(sim.statistics().ready, 10);
}

TEST(SupplyTest, AServerThatIsAwayIsProbedWithOneConnectAtATime) {
  PoolOptions options = with_max(20, Supply::reservoir);
  options.backoff.longest = 1s;
  SimPool sim(options);
  sim.start();
  sim.server.fails = [](const std::string& step, int) { return step != "close"; };
  while (std::optional<PooledConnection> taken = sim.pool->try_acquire()) taken->mark_broken();
  sim.scheduler.run_for(1s);  // the first round was on its way when the news came
  const int connects_before = sim.server.steps["connect"];
  sim.server.most_connecting = 0;

  sim.scheduler.run_for(60s);

  EXPECT_EQ(sim.server.most_connecting, 1);
  EXPECT_LE(sim.server.steps["connect"] - connects_before, 60 * 4 / 3 + 1);
}

TEST(SupplyTest, WarmUpOpensOneAfterTheOtherAndRetries) {
  PoolOptions options = with_max(10, Supply::standard);
  options.size.keep_open = 4;
  options.backoff.first = 1ms;
  options.backoff.longest = 1ms;
  SimPool sim(options);
  sim.server.fails = [](const std::string& step, int number) {
    return step == "connect" && number == 2;
  };

  EXPECT_TRUE(sim.start());

  EXPECT_EQ(sim.statistics().ready, 4);
  EXPECT_EQ(sim.server.most_connecting, 1);
  EXPECT_EQ(sim.server.steps["connect"], 5);
}

TEST(SupplyTest, WarmUpGivesUpAfterTheRetriesOfEachAndStartSaysSo) {
  PoolOptions options = with_max(10, Supply::standard);
  options.size.keep_open = 4;
  const CapturedLog log;
  SimPool sim(options);
  sim.server.fails = [](const std::string& step, int) { return step == "connect"; };

  EXPECT_FALSE(sim.start());

  EXPECT_EQ(sim.server.steps["connect"], 4 * 6);
  EXPECT_LT(sim.now().time_since_epoch(), 30s);
  EXPECT_FALSE(sim.statistics().is_filled);
  EXPECT_EQ(log.count("Pool initial fill complete"), 0u);
  EXPECT_EQ(log.count("Pool warmup gave up"), 1u);
  EXPECT_THAT(log.values("Pool warmup gave up", "size"), testing::ElementsAre("0"));
  sim.server.fails = nullptr;
  sim.scheduler.run_for(15s);
  EXPECT_TRUE(sim.statistics().is_filled) << "the keeper goes on";
  EXPECT_EQ(log.count("Pool initial fill complete"), 1u);
}

TEST(SupplyTest, OneWhoseRetriesRunOutDoesNotEndTheWarmUpOfTheOthers) {
  PoolOptions options = with_max(10, Supply::standard);
  options.size.keep_open = 4;
  const CapturedLog log;
  SimPool sim(options);
  sim.server.fails = [](const std::string& step, int number) {
    return step == "connect" && number > 1 && number <= 7;
  };

  EXPECT_TRUE(sim.start());

  EXPECT_EQ(sim.statistics().ready, 4);
  EXPECT_EQ(sim.server.steps["connect"], 1 + 6 + 3);
  EXPECT_EQ(log.count("Pool warmup gave up"), 0u);
}

TEST(SupplyTest, AMinimumThatIsNotThereIsNoFill) {
  PoolOptions options = with_max(10, Supply::standard);
  options.size.min_idle = 3;
  options.initial_fill_limit = 1s;
  const CapturedLog log;
  SimPool sim(options);
  sim.server.fails = [](const std::string& step, int) { return step == "connect"; };

  EXPECT_FALSE(sim.start());

  EXPECT_FALSE(sim.statistics().is_filled);
}

TEST(SupplyTest, TheKeeperReplacesAFewASecond) {
  PoolOptions options = with_max(300, Supply::standard);
  options.size.keep_open = 240;
  options.check_after_idle = Duration::max();
  options.idle_timeout = Duration::max();
  SimPool sim(options);
  sim.start();
  ASSERT_EQ(sim.statistics().ready, 240);
  for (int i = 0; i < 10; ++i) sim.pool->try_acquire()->discard();

  sim.scheduler.run_for(10ms);
  EXPECT_EQ(sim.statistics().ready, 232);  // ceil(240 / 120) at once
  sim.scheduler.run_for(2s);

  EXPECT_EQ(sim.statistics().ready, 236);
  sim.scheduler.run_for(5s);
  EXPECT_EQ(sim.statistics().ready, 240);
  EXPECT_EQ(sim.statistics().counters.keeper_topups, 10u);
}

TEST(SupplyTest, WhatNobodyWantsGoesAfterTheIdleTimeout) {
  PoolOptions options = with_max(20, Supply::standard);
  options.size.min_idle = 2;
  options.idle_timeout = 30s;
  SimPool sim(options);
  sim.start();
  for (int i = 0; i < 10; ++i) sim.call(60s, 5s);
  sim.scheduler.run_for(10s);
  ASSERT_GE(sim.statistics().ready, 10);

  sim.scheduler.run_for(60s);

  EXPECT_EQ(sim.statistics().ready, 2);
  EXPECT_GE(sim.statistics().counters.discarded(DiscardReason::idle), 8u);
}

TEST(SupplyTest, AConnectionThatSatIdleIsCheckedAndADeadOneReplaced) {
  PoolOptions options = with_max(4, Supply::reservoir);
  options.check_after_idle = 30s;
  SimPool sim(options);
  sim.start();
  sim.server.fails = [](const std::string& step, int number) {
    return step == "check" && number == 1;
  };

  sim.scheduler.run_for(45s);

  EXPECT_GE(sim.server.steps["check"], 4);
  EXPECT_EQ(sim.statistics().counters.discarded(DiscardReason::check_failed), 1u);
  EXPECT_EQ(sim.statistics().ready, 4);
}

TEST(SupplyTest, ResizeUpFillsAndResizeDownCloses) {
  SimPool sim(with_max(10, Supply::reservoir));
  sim.start();
  sim.server.limit = 30;
  PoolSize size;
  size.max = 30;
  ASSERT_TRUE(sim.pool->resize(size).has_value());
  sim.scheduler.run_for(100ms);
  EXPECT_EQ(sim.statistics().ready, 30);

  for (int i = 0; i < 8; ++i) sim.call(1s, 2s);
  sim.scheduler.run_for(1ms);
  size.max = 5;
  ASSERT_TRUE(sim.pool->resize(size).has_value());
  sim.scheduler.run_for(100ms);
  EXPECT_EQ(sim.statistics().ready, 0);
  EXPECT_EQ(sim.statistics().lent, 8);

  sim.scheduler.run_for(5s);
  EXPECT_EQ(sim.statistics().ready, 5);
  EXPECT_EQ(sim.server.sessions, 5);
  EXPECT_EQ(sim.server.refusals, 0);
}

TEST(SupplyTest, AResizeThatCannotWorkIsRefusedAndChangesNothing) {
  SimPool sim(with_max(10, Supply::reservoir));
  sim.start();
  PoolSize size;
  size.max = 5;
  size.target_ready = 6;

  const Result<void> resized = sim.pool->resize(size);

  ASSERT_FALSE(resized.has_value());
  EXPECT_EQ(resized.error().code(), Errc::invalid);
  EXPECT_NE(resized.error().text().find("target_ready is 6"), std::string::npos);
  EXPECT_EQ(sim.statistics().max, 10);
}

TEST(SupplyTest, AConnectThatCameTooLateIsNotStarted) {
  PoolOptions options = with_max(2, Supply::standard);
  options.connect_rate = 1;
  SimPool sim(options);
  sim.start();
  sim.call(10s, 100ms);  // takes the only permit of this second
  sim.scheduler.run_for(20ms);
  sim.call(10s, 10ms);  // wants another, and is served by the first one's return
  sim.scheduler.run_for(5s);

  EXPECT_EQ(sim.server.steps["connect"], 1);
  EXPECT_EQ(sim.statistics().counters.acquired, 2u);
}

}  // namespace
}  // namespace forebay::test
