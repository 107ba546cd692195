// What a pool says of itself: each event when it should be told, with its fields, and no flood.
#include "forebay/pool/pool_log.hpp"

#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/pool/budget.hpp"
#include "support/captured_log.hpp"
#include "support/counted_sources.hpp"
#include "support/real_pool.hpp"
#include "support/sim_pool.hpp"

namespace forebay::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::StartsWith;

PoolOptions logged_pool(int max = 3, Supply supply = Supply::reservoir) {
  PoolOptions options;
  options.name = "orders";
  options.size.max = max;
  options.supply = supply;
  options.lifetime_jitter = 0s;
  return options;
}

std::uint64_t sum_of(const std::vector<std::string>& numbers) {
  std::uint64_t sum = 0;
  for (const std::string& number : numbers) sum += std::stoul(number);
  return sum;
}

TEST(PoolLogTest, AStartIsToldFromTheModeToTheFill) {
  const CapturedLog log;
  SimPool sim(logged_pool());

  EXPECT_TRUE(sim.start());
  EXPECT_THAT(
      log.lines(),
      ElementsAre("info Reservoir mode enabled pool=orders max=3",
                  "info Reservoir refiller started pool=orders target_ready=3 low_watermark=3 "
                  "base_lifetime=11m0s guard_window=45s max=3",
                  "debug Reservoir refiller: created connection pool=orders reservoir_size=1 "
                  "target=3",
                  "debug Reservoir refiller: created connection pool=orders reservoir_size=2 "
                  "target=3",
                  "debug Reservoir refiller: created connection pool=orders reservoir_size=3 "
                  "target=3",
                  "info Reservoir initial fill complete pool=orders size=3 target=3 elapsed=5ms"));
  sim.close();
  EXPECT_EQ(log.lines().back(), "info Reservoir refiller stopped pool=orders");
}

TEST(PoolLogTest, AStandardPoolIsAPoolAndSaysLess) {
  const CapturedLog log;
  {
    SimPool sim(logged_pool(2, Supply::standard));
    sim.start();
    sim.call(1s, 1ms);
    sim.scheduler.run_for(2s);
  }

  EXPECT_THAT(log.lines(),
              IsSupersetOf({"debug Pool empty pool=orders waiters=1 opening=1 lent=0 max=2 "
                            "empty_total=1",
                            "debug Pool refiller stopped pool=orders"}));
  EXPECT_THAT(log.lines().at(0),
              "info Connection pool configured pool=orders max_open_conns=2 current_open=0 "
              "max_conn_lifetime=10m0s max_conn_idle_time=5m0s");
  EXPECT_THAT(log.lines().at(1), StartsWith("info Pool refiller started pool=orders "));
  for (const std::string& line : log.lines())
    EXPECT_THAT(line, testing::AnyOf(StartsWith("debug Pool"), StartsWith("info ")));
}

// The lines of services of the older kind, word by word.
TEST(PoolLogTest, APoolOnDsqlIsToldAsItsOperatorsKnowIt) {
  PoolOptions options = logged_pool(100, Supply::standard);
  options.service = "shop";
  options.size.keep_open = 100;
  options.lifetime = 55min;
  options.idle_timeout = Duration::max();
  const CapturedLog log(log::Level::info);
  SimPool sim(options, ServerKind::dsql);
  sim.start();

  EXPECT_THAT(
      log.lines(),
      IsSupersetOf(
          {"info DSQL connection pool configured pool=orders service=shop max_open_conns=100 "
           "current_open=0 max_conn_lifetime=55m0s max_conn_idle_time=0s",
           "info Starting DSQL connection pool warmup pool=orders service=shop",
           "info Starting DSQL pool warmup pool=orders service=shop current_connections=0 "
           "target_connections=100 connections_to_create=100",
           "info DSQL pool warmup complete pool=orders service=shop connections_created=100 "
           "connections_failed=0 final_open_connections=100",
           "info DSQL pool keeper started pool=orders service=shop target_pool_size=100 "
           "tick_interval=1s max_conns_per_tick=1"}));
}

TEST(PoolLogTest, AConnectionThatWarmUpCannotOpenIsTold) {
  PoolOptions options = logged_pool(1, Supply::standard);
  options.size.keep_open = 1;
  options.initial_fill_limit = 30s;
  const CapturedLog log(log::Level::info);
  SimPool sim(options);
  sim.server.fails = [](const std::string& step, int number) {
    return step == "connect" && number <= 6;
  };
  sim.start();
  sim.scheduler.run_for(1min);

  EXPECT_THAT(
      log.lines("Pool warmup connection failed"),
      ElementsAre(
          "warning Pool warmup connection failed pool=orders error=\"the server is away\""));
  EXPECT_THAT(log.values("Pool warmup complete", "connections_failed"), ElementsAre("1"));
}

TEST(PoolLogTest, EveryEventHasTheService) {
  PoolOptions options = logged_pool();
  options.service = "shop";
  const CapturedLog log;
  SimPool sim(options);
  sim.start();
  sim.call(1s, 1ms);
  sim.scheduler.run_for(1s);
  sim.close();

  EXPECT_THAT(log.lines(), testing::Each(HasSubstr(" pool=orders service=shop")));
}

TEST(PoolLogTest, TheServiceIsThatOfTheClusterUnlessThePoolHasItsOwn) {
  PoolSharing sharing;
  sharing.service = "fleet";
  const CapturedLog log(log::Level::info);
  {
    SimPool sim(logged_pool(), 1, sharing);
    EXPECT_EQ(sim.pool->service(), "fleet");
    PoolOptions options = logged_pool();
    options.service = "shop";
    EXPECT_EQ(SimPool(options, 1, sharing).pool->service(), "shop");
    EXPECT_EQ(SimPool(logged_pool()).pool->service(), std::nullopt);
    sim.start();
  }
  EXPECT_THAT(log.values("Reservoir mode enabled", "service"), ElementsAre("fleet"));
}

// Tenants' pools come and go all day.
TEST(PoolLogTest, PoolsThatShareABudgetStartWithoutNews) {
  Budget budget(4, [] {});
  PoolSharing sharing;
  sharing.budget = &budget;
  const CapturedLog log(log::Level::info);
  {
    SimPool sim(logged_pool(2, Supply::standard), 1, sharing);
    sim.start();
  }
  EXPECT_THAT(log.lines(), IsEmpty());
}

TEST(PoolLogTest, WhatADriverOpensIsToldWithWhatIsLeft) {
  const CapturedLog log;
  SimPool sim(logged_pool());
  sim.start();
  {
    const Result<PooledConnection> first = sim.pool->open_blocking();
    ASSERT_TRUE(first.has_value());
    const Result<PooledConnection> second = sim.pool->open_blocking();
    ASSERT_TRUE(second.has_value());
  }
  EXPECT_THAT(log.lines("Reservoir driver Open() - connection checked out"),
              ElementsAre("debug Reservoir driver Open() - connection checked out pool=orders "
                          "open_count=1 reservoir_ready=2",
                          "debug Reservoir driver Open() - connection checked out pool=orders "
                          "open_count=2 reservoir_ready=1"));
}

TEST(PoolLogTest, AFillThatNobodyWaitsForIsToldAtTheTarget) {
  PoolOptions options = logged_pool();
  options.size.low_watermark = 0;
  const CapturedLog log;
  SimPool sim(options);
  sim.start();
  EXPECT_EQ(log.count("Reservoir initial fill complete"), 0u);
  sim.scheduler.run_for(1s);

  EXPECT_THAT(log.values("Reservoir initial fill complete", "size"), ElementsAre("3"));
}

TEST(PoolLogTest, TheEndOfWarmUpIsTold) {
  PoolOptions options = logged_pool(3, Supply::standard);
  options.size.keep_open = 2;
  const CapturedLog log(log::Level::info);
  SimPool sim(options);
  sim.start();

  EXPECT_THAT(log.lines("Pool initial fill complete"),
              ElementsAre("info Pool initial fill complete pool=orders size=2 target=2 "
                          "elapsed=10ms"));
}

TEST(PoolLogTest, AFillThatTakesTooLongIsToldAndItsEndToo) {
  PoolOptions options = logged_pool();
  options.initial_fill_limit = 2s;
  const CapturedLog log;
  SimPool sim(options);
  sim.server.fails = [&sim](const std::string& step, int number) {
    return step == "connect" && number > 1 && sim.now() < Instant(3s);
  };

  EXPECT_FALSE(sim.start());
  EXPECT_THAT(log.lines("Reservoir initial fill timeout"),
              ElementsAre("warning Reservoir initial fill timeout pool=orders current=1 target=3 "
                          "elapsed=2s error=\"the server is away\""));
  sim.scheduler.run_for(10s);
  EXPECT_THAT(log.values("Reservoir initial fill complete", "size"), ElementsAre("3"));
}

TEST(PoolLogTest, AFailedConnectIsToldWithItsStepAndThePause) {
  const CapturedLog log;
  PoolOptions options = logged_pool(1);
  options.backoff = BackoffRule{100ms, 1s, 0};
  SimPool sim(options);
  sim.server.fails = [](const std::string& step, int number) {
    return step == "connect" && number <= 3;
  };
  sim.start();

  EXPECT_THAT(log.lines("Reservoir refiller: connection open failed").front(),
              "error Reservoir refiller: connection open failed pool=orders error=\"the server is "
              "away\" reason=connection_open attempt=1");
  EXPECT_THAT(log.lines("Reservoir refiller: failed to create connection").back(),
              "warning Reservoir refiller: failed to create connection pool=orders error=\"the "
              "server is away\" reason=connection_open attempt=3 retry_in=400ms");
}

// A pool of one behind a gate whose steps fail as told.
class GateLogTest : public testing::Test {
 protected:
  std::vector<std::string> lines_when(const std::string& failing) {
    CapturedLog log(log::Level::warning);
    StepLog steps;
    steps.fails = [&](const std::string& kind, int number) {
      return kind == failing && number == 1;
    };
    CountedLeases leases(steps);
    CountedTokens tokens(steps);
    CountedPermits permits(steps, scheduler_);
    PoolSharing sharing;
    sharing.leases = &leases;
    sharing.tokens = &tokens;
    sharing.permits = &permits;
    PoolOptions options = logged_pool(1);
    options.backoff = BackoffRule{100ms, 1s, 0};
    Pool pool(Env{scheduler_, random_, clock_}, connector_, options, sharing);
    pool.launch();
    scheduler_.run_for(1s);
    const std::vector<std::string> lines = log.lines();
    start_detached(scheduler_, drop(pool.close(kNever)));
    scheduler_.run();
    return lines;
  }
  static Task<void> drop(Task<bool> task) { co_await std::move(task); }

  sim::SimScheduler scheduler_;
  SeededRandom random_{1};
  sim::SimWallClock clock_{scheduler_, WallTime()};
  FakeServer server_{scheduler_};
  FakeConnector connector_{server_};
};

TEST_F(GateLogTest, EachStepOfTheGateHasItsEvent) {
  EXPECT_THAT(
      lines_when("lease"),
      ElementsAre("error Reservoir refiller: lease acquire failed pool=orders error=\"the cluster "
                  "is full\" reason=lease_acquire attempt=1",
                  "warning Reservoir refiller: failed to create connection pool=orders error=\"the "
                  "cluster is full\" reason=lease_acquire attempt=1 retry_in=100ms"));
  EXPECT_THAT(
      lines_when("token"),
      ElementsAre("error Reservoir refiller: token provider failed pool=orders error=\"no "
                  "credentials\" reason=token_provider attempt=1",
                  "warning Reservoir refiller: failed to create connection pool=orders error=\"no "
                  "credentials\" reason=token_provider attempt=1 retry_in=100ms"));
  EXPECT_THAT(lines_when("permit"),
              ElementsAre("warning Reservoir refiller: failed to create connection pool=orders "
                          "error=\"nobody knows\" reason=rate_limit attempt=1 retry_in=100ms"));
}

TEST(PoolLogTest, ADiscardIsToldWithItsReasonAndWhatWasLeft) {
  PoolOptions options = logged_pool(1);
  options.lifetime = 60s;
  options.guard_window = 45s;
  const CapturedLog log;
  SimPool sim(options);
  sim.start();

  sim.call(1s, 30s);  // comes back when 30 s are left
  sim.scheduler.run_for(31s);
  EXPECT_THAT(log.lines("Reservoir: discarding connection"),
              ElementsAre("warning Reservoir: discarding connection pool=orders "
                          "reason=insufficient_remaining_lifetime remaining=30s guard_window=45s "
                          "connection=1"));
}

TEST(PoolLogTest, WhatTheServerNoLongerAnswersIsToldWithTheError) {
  PoolOptions options = logged_pool(1);
  options.check_after_idle = 5s;
  const CapturedLog log;
  SimPool sim(options);
  sim.start();
  sim.server.fails = [](const std::string& step, int) { return step == "check"; };
  sim.scheduler.run_for(6s);

  EXPECT_THAT(log.lines("Reservoir: connection lost").front(),
              "warning Reservoir: connection lost pool=orders reason=check_failed error=\"check "
              "failed\" connection=1");
  EXPECT_THAT(log.values("Reservoir: discarding connection", "reason"),
              testing::Contains("check_failed"));
}

TEST(PoolLogTest, AHealthyReservoirReplacesItsConnectionsWithoutAWord) {
  PoolOptions options = logged_pool(20);
  options.lifetime = 60s;
  options.lifetime_jitter = 20s;
  options.guard_window = 5s;
  const CapturedLog log(log::Level::warning);
  SimPool sim(options);
  sim.start();
  sim.scheduler.run_for(30min);

  EXPECT_GT(sim.statistics().counters.opened, 100u);
  EXPECT_THAT(log.lines(), IsEmpty());
}

// Fifty callers in the same moment, and nobody in the log knows more than one of their lines.
TEST(PoolLogTest, AnEmptyReservoirIsToldOnceASecondWithATotal) {
  const CapturedLog log(log::Level::warning);
  SimPool sim(logged_pool(1));
  sim.start();
  for (int i = 0; i < 50; ++i) sim.call(10s, 30ms);
  sim.scheduler.run_for(3s);

  EXPECT_THAT(log.lines("Reservoir empty"),
              testing::Each(StartsWith("warning Reservoir empty pool=orders waiters=")));
  EXPECT_THAT(log.values("Reservoir empty", "empty_total").back(), "49");
  EXPECT_LE(log.count("Reservoir empty"), 3u);
}

TEST(PoolLogTest, ALongOutageIsAFewLinesWithTheRightCount) {
  PoolOptions options = logged_pool(10);
  options.initial_fill_limit = 1s;
  options.backoff = BackoffRule{100ms, 1s, 0};
  const CapturedLog log(log::Level::warning);
  SimPool sim(options);
  sim.server.fails = [](const std::string& step, int) { return step == "connect"; };
  sim.start();
  sim.scheduler.run_for(10min);
  const std::uint64_t failures =
      sim.statistics().counters.failures[static_cast<std::size_t>(OpenFailure::connection_open)];
  const std::size_t told = log.count("Reservoir refiller: connection open failed");
  log::write_all_repeats();

  EXPECT_GT(failures, 500u);
  // Ten minutes of virtual time take moments, so there may be a few windows at most.
  EXPECT_LT(told, 100u);
  const auto repeated = log.values("Reservoir refiller: connection open failed", "repeated");
  // A last line that only tells the count is one of those it counts.
  EXPECT_THAT(told + sum_of(repeated),
              testing::AllOf(testing::Ge(failures), testing::Le(failures + repeated.size())));
}

TEST(PoolLogTest, ALeakIsToldWithThePlaceItWasTakenAt) {
  PoolOptions options = logged_pool(1);
  options.leak_after = 5s;
  const CapturedLog log;
  SimPool sim(options);
  sim.start();
  std::optional<PooledConnection> held = sim.pool->try_acquire();
  sim.scheduler.run_for(6s);
  held.reset();

  ASSERT_EQ(log.count("Reservoir: possible leak"), 1u);
  EXPECT_THAT(log.lines("Reservoir: possible leak").front(),
              testing::AllOf(StartsWith("warning Reservoir: possible leak pool=orders "
                                        "connection=1 held="),
                             HasSubstr("pool_log_test.cpp:")));
}

TEST(PoolLogTest, ASinkThatThrowsDoesNotHurtAPool) {
  log::write_all_repeats();
  log::set_level(log::Level::debug);
  log::set_sink([](const log::Event&) { throw std::runtime_error("the disk is full"); });
  testing::internal::CaptureStderr();
  {
    SimPool sim(logged_pool());
    EXPECT_TRUE(sim.start());
    EXPECT_EQ(sim.statistics().ready, 3);
  }
  log::set_sink({});
  log::set_level(log::Level::warning);

  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("Reservoir initial fill complete"));
}

// It keeps the loop, but not those who find a connection ready.
TEST(PoolLogTest, CallersDoNotWaitForASlowSink) {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_stuck = false;
  bool may_go_on = false;
  RealPool pool(logged_pool(), [](FakeServer&) {});
  log::write_all_repeats();
  log::set_sink([&](const log::Event&) {
    std::unique_lock lock(mutex);
    is_stuck = true;
    changed.notify_all();
    changed.wait(lock, [&] { return may_go_on; });
  });
  pool->acquire_blocking(10s)->mark_broken();
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return is_stuck; });
  }

  for (int i = 0; i < 100; ++i) EXPECT_TRUE(pool->acquire_blocking(10s).has_value());

  {
    const std::lock_guard lock(mutex);
    may_go_on = true;
  }
  changed.notify_all();
  pool.close();
  log::set_sink({});
}

}  // namespace
}  // namespace forebay::test
