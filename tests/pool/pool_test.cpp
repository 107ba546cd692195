// The pool in virtual time: what callers see.
#include "forebay/pool/pool.hpp"

#include <gtest/gtest.h>

#include "support/sim_pool.hpp"

namespace forebay::test {
namespace {

PoolOptions standard(int max) {
  PoolOptions options;
  options.size.max = max;
  return options;
}

PoolOptions reservoir(int max) {
  PoolOptions options;
  options.size.max = max;
  options.supply = Supply::reservoir;
  return options;
}

TEST(PoolTest, AReservoirIsFilledBeforeStartEnds) {
  SimPool sim(reservoir(20));

  EXPECT_TRUE(sim.start());

  EXPECT_EQ(sim.statistics().ready, 20);
  EXPECT_EQ(sim.server.most_sessions, 20);
  EXPECT_EQ(sim.now().time_since_epoch(), 5ms);
}

TEST(PoolTest, AReadyConnectionIsHandedOutWithoutWaiting) {
  SimPool sim(reservoir(2));
  sim.start();

  std::optional<PooledConnection> taken = sim.pool->try_acquire();

  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(sim.statistics().lent, 1);
  EXPECT_EQ(sim.statistics().counters.empty, 0u);
  taken->give_back();
  EXPECT_EQ(sim.statistics().ready, 2);
}

TEST(PoolTest, AnEmptyPoolOpensOnDemand) {
  SimPool sim(standard(3));
  sim.start();

  auto& call = sim.call(1s, 1ms);
  sim.scheduler.run_for(1s);

  EXPECT_FALSE(call.error.has_value());
  EXPECT_EQ(call.ended - call.asked, 5ms);
  EXPECT_EQ(sim.statistics().counters.opened, 1u);
}

TEST(PoolTest, AReturnedConnectionGoesToTheLongestWaiter) {
  SimPool sim(standard(1));
  sim.start();
  sim.call(10s, 100ms);
  sim.scheduler.run_for(50ms);
  for (int i = 0; i < 5; ++i) {
    sim.call(10s, 10ms);
    sim.scheduler.run_for(1ms);
  }

  sim.scheduler.run_for(1s);

  for (std::size_t i = 1; i + 1 < sim.calls.size(); ++i) {
    EXPECT_LT(sim.calls[i]->ended, sim.calls[i + 1]->ended);
  }
}

TEST(PoolTest, ANewcomerDoesNotOvertakeAWaiter) {
  SimPool sim(standard(1));
  sim.start();
  PooledConnection held;
  sim.call(10s, 0ms);
  sim.scheduler.run_for(10ms);
  held = std::move(*sim.pool->try_acquire());
  auto& waiting = sim.call(10s, 5ms);
  sim.scheduler.run_for(1ms);

  held.give_back();
  const bool has_overtaken = sim.pool->try_acquire().has_value();

  EXPECT_FALSE(has_overtaken);
  sim.scheduler.run_for(1ms);
  EXPECT_TRUE(waiting.is_done);
}

TEST(PoolTest, AHundredWaitersWithMixedDeadlinesEndInOrderAndOnTime) {
  PoolOptions options = standard(4);
  SimPool sim(options);
  sim.start();
  SeededRandom random(7);
  for (int i = 0; i < 100; ++i) {
    const Duration timeout = random.between(1ms, 300ms);
    sim.call(timeout, 10ms);
  }

  sim.scheduler.run_for(10s);

  Instant last_served{};
  int served = 0;
  for (const auto& call : sim.calls) {
    ASSERT_TRUE(call->is_done);
    if (call->error) {
      EXPECT_EQ(*call->error, Errc::timed_out);
    } else {
      EXPECT_GE(call->ended, last_served);
      last_served = call->ended;
      ++served;
    }
  }
  EXPECT_GT(served, 20);
  EXPECT_LT(served, 100);
}

TEST(PoolTest, NobodyWaitsLongerThanTheDeadline) {
  SimPool sim(standard(1));
  sim.start();
  sim.call(10s, 5s);
  sim.scheduler.run_for(20ms);

  auto& call = sim.call(250ms, 0ms);
  sim.scheduler.run_for(1s);

  EXPECT_EQ(call.error, Errc::timed_out);
  EXPECT_EQ(call.ended - call.asked, 250ms);
}

TEST(PoolTest, ADeadlineInThePastIsAnsweredAtOnce) {
  SimPool sim(standard(1));
  sim.start();

  auto& call = sim.call(0ms, 0ms);
  sim.scheduler.settle();

  EXPECT_EQ(call.error, Errc::timed_out);
  EXPECT_EQ(sim.statistics().counters.empty, 1u);
}

TEST(PoolTest, WhoDoesNotWaitStillMakesAnEmptyPoolOpenOne) {
  SimPool sim(standard(3));
  sim.start();

  const bool is_served_at_once = sim.pool->try_acquire().has_value();
  sim.scheduler.run_for(1s);
  const bool is_served_later = sim.pool->try_acquire().has_value();

  EXPECT_FALSE(is_served_at_once);
  EXPECT_TRUE(is_served_later);
  EXPECT_EQ(sim.statistics().counters.opened, 1u);
}

TEST(PoolTest, OpenGivesUpAfterAHundredMilliseconds) {
  SimPool sim(standard(1));
  sim.server.connect_time = 10s;
  sim.start();
  std::optional<Instant> ended;
  auto driver_like = [](SimPool& world, std::optional<Instant>& end) -> Task<void> {
    Result<PooledConnection> got = co_await world.pool->open();
    EXPECT_FALSE(got.has_value());
    end = world.now();
  };

  start_detached(sim.scheduler, driver_like(sim, ended));
  sim.scheduler.run_for(1s);

  EXPECT_EQ(ended, Instant(100ms));
}

TEST(PoolTest, CloseEndsEveryWaiter) {
  SimPool sim(standard(1));
  sim.start();
  sim.call(10s, 2s);
  sim.scheduler.run_for(10ms);
  for (int i = 0; i < 10; ++i) sim.call(10s, 0ms);
  sim.scheduler.run_for(1ms);

  const Instant closing = sim.now();
  EXPECT_FALSE(sim.close(100ms));  // one is still lent

  for (std::size_t i = 1; i < sim.calls.size(); ++i) {
    EXPECT_EQ(sim.calls[i]->error, Errc::closed);
    EXPECT_EQ(sim.calls[i]->ended, closing);
  }
  sim.scheduler.run_for(3s);
  EXPECT_TRUE(sim.close());
  EXPECT_EQ(sim.server.sessions, 0);
}

TEST(PoolTest, TheTimeoutSaysWhoHoldsWhatAndWhyNothingOpens) {
  SimPool sim(standard(2));
  sim.server.fails = [](const std::string& step, int number) {
    return step == "connect" && number > 1;
  };
  sim.start();
  sim.call(1s, 10s);
  sim.scheduler.run_for(10ms);
  std::string text;
  auto unlucky = [](SimPool& world, std::string& out) -> Task<void> {
    Result<PooledConnection> got = co_await world.pool->acquire(world.now() + 500ms);
    out = got.error().text();
  };

  start_detached(sim.scheduler, unlucky(sim, text));
  sim.scheduler.run_for(1s);

  EXPECT_NE(text.find("within 500ms"), std::string::npos) << text;
  EXPECT_NE(text.find("max 2: lent 1, ready 0"), std::string::npos) << text;
  EXPECT_NE(text.find("sim_pool.hpp"), std::string::npos) << text;
  EXPECT_NE(text.find("the server is away"), std::string::npos) << text;
}

TEST(PoolTest, ABrokenConnectionIsReplacedAndTheOthersAreChecked) {
  SimPool sim(reservoir(4));
  sim.start();
  PooledConnection broken = std::move(*sim.pool->try_acquire());

  broken.mark_broken();
  sim.scheduler.run_for(100ms);

  EXPECT_EQ(sim.statistics().ready, 4);
  EXPECT_EQ(sim.statistics().counters.discarded(DiscardReason::broken), 1u);
  EXPECT_EQ(sim.server.steps["check"], 3);
}

TEST(PoolTest, AConnectionThatSaysItIsUselessIsDiscardedOnReturn) {
  SimPool sim(reservoir(1));
  sim.start();
  PooledConnection taken = std::move(*sim.pool->try_acquire());
  static_cast<FakeConnection&>(taken.connection()).is_broken = true;

  taken.give_back();
  sim.scheduler.run_for(100ms);

  EXPECT_EQ(sim.statistics().counters.discarded(DiscardReason::broken), 1u);
  EXPECT_EQ(sim.statistics().ready, 1);
}

TEST(PoolTest, AResetRunsInTheBackgroundBeforeTheNextCaller) {
  SimPool sim(reservoir(1));
  sim.server.needs_reset = true;
  sim.server.reset_time = 2ms;
  sim.start();

  sim.call(1s, 1ms);
  auto& second = sim.call(1s, 1ms);
  sim.scheduler.run_for(100ms);

  EXPECT_EQ(second.ended - second.asked, 3ms);
  EXPECT_EQ(sim.server.steps["reset"], 2);
}

TEST(PoolTest, AFailedResetDiscardsTheConnection) {
  SimPool sim(reservoir(1));
  sim.server.needs_reset = true;
  sim.server.fails = [](const std::string& step, int number) {
    return step == "reset" && number == 1;
  };
  sim.start();

  auto& first = sim.call(1s, 1ms);
  sim.scheduler.run_for(100ms);
  auto& second = sim.call(1s, 1ms);
  sim.scheduler.run_for(100ms);

  EXPECT_EQ(sim.statistics().counters.discarded(DiscardReason::reset_failed), 1u);
  EXPECT_NE(first.connection_id, second.connection_id);
}

TEST(PoolTest, ALeakIsReportedOnceWithThePlaceThatTookIt) {
  PoolOptions options = standard(2);
  options.leak_after = 5s;
  std::vector<LeakReport> leaks;
  options.on_leak = [&leaks](const LeakReport& leak) { leaks.push_back(leak); };
  SimPool sim(options);
  sim.start();

  sim.call(1s, 20s);
  sim.scheduler.run_for(30s);

  ASSERT_EQ(leaks.size(), 1u);
  EXPECT_GE(leaks[0].held, 5s);
  EXPECT_LE(leaks[0].held, 5s + 5'000ms / 16);
  EXPECT_NE(std::string(leaks[0].taken_from.file_name()).find("sim_pool.hpp"), std::string::npos);
  EXPECT_EQ(sim.statistics().counters.leaks_reported, 1u);
}

TEST(PoolTest, ALifeWithoutAnEndIsNotReplaced) {
  PoolOptions options = reservoir(5);
  options.lifetime = options.idle_timeout = options.check_after_idle = Duration::max();
  SimPool sim(options);
  sim.start();

  sim.scheduler.run_for(3h);

  EXPECT_EQ(sim.statistics().ready, 5);
  EXPECT_EQ(sim.statistics().counters.opened, 5u);
}

TEST(PoolTest, HooksSeeEveryConnectionOpenAndClose) {
  PoolOptions options = reservoir(3);
  int opened = 0;
  std::vector<DiscardReason> closed;
  options.after_connect = [&opened](Connection&, Instant) -> Task<Result<void>> {
    ++opened;
    co_return Result<void>();
  };
  options.before_close = [&closed](Connection&, DiscardReason reason) { closed.push_back(reason); };
  SimPool sim(options);
  sim.start();

  sim.close();

  EXPECT_EQ(opened, 3);
  EXPECT_EQ(closed, std::vector<DiscardReason>(3, DiscardReason::closed));
}

TEST(PoolTest, AHookThatRefusesIsAFailureWithItsReason) {
  PoolOptions options = standard(1);
  options.after_connect = [](Connection&, Instant) -> Task<Result<void>> {
    co_return failure(Errc::refused, "wrong schema");
  };
  SimPool sim(options);
  sim.start();

  auto& call = sim.call(1s, 0ms);
  sim.scheduler.run_for(2s);

  EXPECT_EQ(call.error, Errc::timed_out);
  EXPECT_NE(sim.statistics().last_connect_error.find("wrong schema"), std::string::npos);
  EXPECT_GT(sim.statistics().counters.discarded(DiscardReason::hook_failed), 0u);
  EXPECT_EQ(sim.server.sessions, 0);
}

}  // namespace
}  // namespace forebay::test
