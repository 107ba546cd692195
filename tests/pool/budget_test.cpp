// Pools that share one cap.
#include "forebay/pool/budget.hpp"

#include <gtest/gtest.h>

#include "forebay/pool/budget_place.hpp"
#include "forebay/pool/pool_control.hpp"
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

  Task<void> give_up(Pool& pool, Duration timeout) {
    const Result<PooledConnection> got = co_await pool.acquire(scheduler_.now() + timeout);
    if (!got) refusal_ = got.error();
  }

  std::optional<Error> refusal_;
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

TEST_F(BudgetTest, RoomIsGrantedInTheOrderInWhichPoolsBeganToWait) {
  Pool third(Env{scheduler_, random_, wall_clock_}, connector_, options(), {&budget_, nullptr});
  start(first_);
  start(second_);
  start(third);
  std::array<std::optional<Instant>, 4> held;
  for (std::size_t i = 0; i < held.size(); ++i)
    start_detached(scheduler_, call(first_, 2s + i * 1s, held[i]));
  scheduler_.run_for(500ms);
  std::optional<Instant> early;
  std::optional<Instant> late;
  start_detached(scheduler_, call(third, 60s, early));
  scheduler_.run_for(100ms);
  start_detached(scheduler_, call(second_, 60s, late));

  scheduler_.run_for(3s);
  EXPECT_TRUE(early.has_value());
  EXPECT_FALSE(late.has_value());
  scheduler_.run_for(2s);
  EXPECT_TRUE(late.has_value());

  scheduler_.run_for(60s);
  finish(third);
}

// Its first connection is on its way; a second one waits for room. The caller gives up before.
TEST_F(BudgetTest, APoolThatNoLongerNeedsRoomLeavesItToTheNext) {
  start(first_);
  start(second_);
  std::array<std::optional<Instant>, 4> held;
  for (std::optional<Instant>& each : held) start_detached(scheduler_, call(first_, 2s, each));
  scheduler_.run_for(500ms);
  start_detached(scheduler_, give_up(second_, 1s));
  scheduler_.run_for(100ms);
  EXPECT_EQ(budget_.in_line(RoomNeed::empty_handed), 1);

  scheduler_.run_for(1s);

  EXPECT_EQ(budget_.in_line(RoomNeed::empty_handed), 0);
  scheduler_.run_for(10s);
  EXPECT_EQ(budget_.in_use(), 0);
}

TEST_F(BudgetTest, WhoGetsNoRoomIsToldTheNumbers) {
  start(first_);
  start(second_);
  std::array<std::optional<Instant>, 4> held;
  for (std::optional<Instant>& each : held) start_detached(scheduler_, call(first_, 5s, each));
  scheduler_.run_for(500ms);

  start_detached(scheduler_, give_up(second_, 1s));
  scheduler_.run_for(2s);

  ASSERT_TRUE(refusal_.has_value());
  EXPECT_EQ(refusal_->code(), Errc::limit_reached);
  ASSERT_NE(refusal_->connection_limit(), nullptr);
  EXPECT_EQ(refusal_->connection_limit()->in_use, 4);
  EXPECT_EQ(refusal_->connection_limit()->max, 4);
  scheduler_.run_for(5s);
}

TEST_F(BudgetTest, ACalledConnectionGoesWhereNobodyWaitsForIt) {
  start(first_);
  start(second_);
  std::array<std::optional<Instant>, 4> held;
  for (std::optional<Instant>& each : held) start_detached(scheduler_, call(first_, 1s, each));
  scheduler_.run_for(500ms);
  std::optional<Instant> served;
  start_detached(scheduler_, call(second_, 10ms, served));
  scheduler_.run_for(100ms);

  budget_.call(3);  // only one stands in line
  scheduler_.run_for(700ms);

  EXPECT_TRUE(served.has_value());
  EXPECT_EQ(first_.statistics().counters.discarded(DiscardReason::evicted_tenant), 1u);
  EXPECT_EQ(first_.statistics().ready, 3);
}

TEST_F(BudgetTest, AShedConnectionMakesRoom) {
  start(first_);
  std::array<std::optional<Instant>, 2> held;
  for (std::optional<Instant>& each : held) start_detached(scheduler_, call(first_, 100ms, each));
  scheduler_.run_for(500ms);
  ASSERT_EQ(first_.gauges().ready, 2);

  EXPECT_EQ(PoolControl(first_).shed(5), 2);
  EXPECT_EQ(budget_.coming(), 4);
  scheduler_.run_for(100ms);

  EXPECT_EQ(budget_.in_use(), 0);
  EXPECT_EQ(first_.statistics().counters.discarded(DiscardReason::evicted_tenant), 2u);
}

// What makes room sleeps while somebody only wants to be ready, and must hear when a caller comes.
TEST(BudgetLineTest, WhoNeedsRoomMoreThanBeforeIsHeardAgain) {
  sim::SimScheduler scheduler;
  int heard = 0;
  Budget budget(1, [&heard] { ++heard; });
  Signal attention(scheduler);
  Capacity taker(1, &budget.capacity());
  Capacity seeker(1, &budget.capacity());
  const std::optional<Approval> taken = taker.try_approve();
  ASSERT_TRUE(taken.has_value());
  Budget::Place place(attention, seeker);

  budget.stand_in_line(place, RoomNeed::ahead);
  budget.stand_in_line(place, RoomNeed::ahead);
  EXPECT_EQ(heard, 1);
  budget.stand_in_line(place, RoomNeed::empty_handed);
  EXPECT_EQ(heard, 2);
  budget.stand_in_line(place, RoomNeed::ahead);
  EXPECT_EQ(heard, 2);
  budget.leave_line(place);
}

}  // namespace
}  // namespace forebay::test
