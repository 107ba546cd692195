// after_connect prepares a connection for every user: after its connect, and after each reset.
#include <gmock/gmock.h>

#include "forebay/pool/pool.hpp"
#include "support/sim_pool.hpp"

namespace forebay::test {
namespace {

// A pool of one connection, whose hook counts its calls and refuses some.
struct PreparedPool {
  explicit PreparedPool(bool needs_reset = true) : sim(options()) {
    sim.server.needs_reset = needs_reset;
    sim.start();
  }

  PoolOptions options() {
    PoolOptions options;
    options.supply = Supply::reservoir;
    options.size.max = 1;
    options.reset_timeout = 3s;
    options.after_connect = [this](Connection& connection, Instant deadline) {
      return prepare(connection, deadline);
    };
    return options;
  }
  Task<Result<void>> prepare(Connection& connection, Instant deadline) {
    const int call = ++calls;
    are_all_held &= connection.is_held();
    time_left = deadline - sim.now();
    co_await sleep_for(sim.scheduler, 1ms);
    if (call == throws_in) throw std::runtime_error("oops");
    if (call == fails_in) co_return failure(Errc::statement_failed, "no such schema");
    co_return Result<void>();
  }
  std::uint64_t use() {
    auto& call = sim.call(1s, 1ms);
    sim.scheduler.run_for(100ms);
    EXPECT_TRUE(call.is_done && !call.error);
    return call.connection_id;
  }

  int calls = 0;
  int throws_in = 0;
  int fails_in = 0;
  bool are_all_held = true;
  Duration time_left{};
  SimPool sim;
};

TEST(PrepareTest, TheHookRunsAgainAfterEachReset) {
  PreparedPool pool;
  EXPECT_EQ(pool.calls, 1);

  for (int i = 0; i < 3; ++i) pool.use();

  EXPECT_EQ(pool.calls, 4);
  EXPECT_TRUE(pool.are_all_held);
  EXPECT_EQ(pool.sim.server.steps["reset"], 3);
  EXPECT_EQ(pool.sim.statistics().counters.opened, 1u);
}

TEST(PrepareTest, TheNextCallerWaitsForTheHook) {
  PreparedPool pool;
  pool.sim.call(1s, 10ms);

  auto& second = pool.sim.call(1s, 1ms);
  pool.sim.scheduler.run_for(100ms);

  EXPECT_EQ(second.ended - second.asked, 10ms + 1ms);
}

TEST(PrepareTest, WithoutAResetThereIsNothingToPrepare) {
  PreparedPool pool(false);

  for (int i = 0; i < 3; ++i) pool.use();

  EXPECT_EQ(pool.calls, 1);
}

TEST(PrepareTest, TheHookHasWhatTheResetLeavesOfItsTime) {
  PreparedPool pool;
  pool.sim.server.reset_time = 1s;

  pool.sim.call(1s, 1ms);
  pool.sim.scheduler.run_for(5s);

  EXPECT_EQ(pool.time_left, 2s);
}

TEST(PrepareTest, AHookThatRefusesAfterAResetCostsTheConnection) {
  for (const bool throws : {false, true}) {
    PreparedPool pool;
    (throws ? pool.throws_in : pool.fails_in) = 2;

    const std::uint64_t first = pool.use();
    const std::uint64_t second = pool.use();

    EXPECT_NE(first, second);
    EXPECT_EQ(pool.sim.statistics().counters.discarded(DiscardReason::hook_failed), 1u);
    EXPECT_EQ(pool.sim.statistics().counters.discarded(DiscardReason::reset_failed), 0u);
    EXPECT_EQ(pool.sim.statistics().ready, 1);
  }
}

}  // namespace
}  // namespace forebay::test
