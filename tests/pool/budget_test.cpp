// Pools that share one cap.
#include "forebay/pool/budget.hpp"

#include <gtest/gtest.h>

#include "support/sim_pool.hpp"

namespace forebay::test {
namespace {

// Two pools on one scheduler and one server, under a budget smaller than their sum.
class BudgetTest : public testing::Test {
 protected:
  static PoolOptions options() {
    PoolOptions options;
    options.size.max = 4;
    options.idle_timeout = 1s;
    return options;
  }
  ~BudgetTest() override {
    finish(first_);
    finish(second_);
    scheduler_.run();
  }
  void start(Pool& pool) { start_detached(scheduler_, forget(pool.start())); }
  void finish(Pool& pool) {
    start_detached(scheduler_, forget(pool.close(kNever)));
    scheduler_.run_for(1s);
  }
  static Task<void> forget(Task<bool> task) { co_await std::move(task); }
  Task<void> call(Pool& pool, Duration hold, std::optional<Instant>& served) {
    Result<PooledConnection> got = co_await pool.acquire(kNever);
    served = scheduler_.now();
    co_await sleep_for(scheduler_, hold);
  }

  sim::SimScheduler scheduler_;
  SeededRandom random_{1};
  sim::SimWallClock wall_clock_{scheduler_, WallTime()};
  FakeServer server_{scheduler_};
  FakeConnector connector_{server_};
  Budget budget_{4};
  Pool first_{Env{scheduler_, random_, wall_clock_}, connector_, options(), {&budget_, nullptr}};
  Pool second_{Env{scheduler_, random_, wall_clock_}, connector_, options(), {&budget_, nullptr}};
};

TEST_F(BudgetTest, APoolWithoutRoomIsWokenWhenAnotherGivesSomeBack) {
  start(first_);
  start(second_);
  std::array<std::optional<Instant>, 4> held;
  for (std::optional<Instant>& each : held) start_detached(scheduler_, call(first_, 2s, each));
  scheduler_.run_for(500ms);
  ASSERT_EQ(budget_.in_use(), 4);
  std::optional<Instant> served;
  start_detached(scheduler_, call(second_, 10ms, served));

  scheduler_.run_for(1s);
  EXPECT_FALSE(served.has_value());
  scheduler_.run_for(4s);

  // They come back after two seconds and go a second later, for being idle: room, at once.
  ASSERT_TRUE(served.has_value());
  EXPECT_LT(*served, Instant(3600ms));
  EXPECT_LE(server_.most_sessions, 4);
}

TEST_F(BudgetTest, ALargerBudgetIsUsedAtOnce) {
  start(first_);
  start(second_);
  std::array<std::optional<Instant>, 4> held;
  for (std::optional<Instant>& each : held) start_detached(scheduler_, call(first_, 60s, each));
  scheduler_.run_for(500ms);
  std::optional<Instant> served;
  start_detached(scheduler_, call(second_, 10ms, served));
  scheduler_.run_for(500ms);
  ASSERT_FALSE(served.has_value());

  budget_.set_max(5);
  scheduler_.run_for(10ms);

  EXPECT_TRUE(served.has_value());
  scheduler_.run_for(60s);
}

}  // namespace
}  // namespace forebay::test
