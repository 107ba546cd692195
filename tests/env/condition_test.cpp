// Condition: wakes all who wait, each of them once, and lets each go at its own deadline.
#include "forebay/env/condition.hpp"

#include <utility>

#include <gtest/gtest.h>

#include "forebay/detail/env/detached.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;

using Notes = std::vector<std::pair<int, bool>>;

Task<void> wait(Condition& condition, Instant deadline, Notes& notes, int number) {
  const bool is_notified = co_await condition.wait_until(deadline);
  notes.emplace_back(number, is_notified);
}

Task<void> wait_twice(Condition& condition, Notes& notes, int number) {
  co_await wait(condition, kNever, notes, number);
  co_await wait(condition, kNever, notes, number);
}

class ConditionTest : public testing::Test {
 protected:
  void start_wait(Instant deadline, int number) {
    start_detached(scheduler_, wait(condition_, deadline, notes_, number));
  }

  sim::SimScheduler scheduler_;
  Condition condition_{scheduler_};
  Notes notes_;
};

TEST_F(ConditionTest, NotifyAllWakesEveryoneInTheOrderTheyCame) {
  start_wait(kNever, 1);
  start_wait(Instant(10s), 2);
  start_wait(kNever, 3);
  scheduler_.settle();

  condition_.notify_all();
  const std::size_t notes_inside_the_call = notes_.size();
  scheduler_.run();

  EXPECT_EQ(notes_inside_the_call, 0u) << "they run on later turns";
  EXPECT_EQ(notes_, (Notes{{1, true}, {2, true}, {3, true}}));
  EXPECT_EQ(scheduler_.now(), Instant()) << "no timer is left behind";
}

TEST_F(ConditionTest, EachWaitEndsAtItsOwnDeadline) {
  start_wait(Instant(2s), 2);
  start_wait(Instant(1s), 1);
  start_wait(kNever, 3);

  scheduler_.run();
  const Notes before_notification = notes_;
  condition_.notify_all();
  scheduler_.run();

  EXPECT_EQ(before_notification, (Notes{{1, false}, {2, false}}));
  EXPECT_EQ(notes_.back(), std::pair(3, true));
}

TEST_F(ConditionTest, ANotificationIsNotRemembered) {
  condition_.notify_all();
  start_wait(Instant(1s), 1);

  scheduler_.run();

  EXPECT_EQ(notes_, (Notes{{1, false}}));
}

TEST_F(ConditionTest, APassedDeadlineEndsTheWaitWithoutSuspending) {
  scheduler_.run_until(Instant(5s));
  start_wait(Instant(5s), 1);

  scheduler_.settle();

  EXPECT_EQ(notes_, (Notes{{1, false}}));
}

TEST_F(ConditionTest, ATaskThatWaitsAgainNeedsAnotherNotification) {
  start_detached(scheduler_, wait_twice(condition_, notes_, 1));
  scheduler_.settle();

  condition_.notify_all();
  scheduler_.settle();
  const std::size_t notes_after_one = notes_.size();
  condition_.notify_all();
  scheduler_.settle();

  EXPECT_EQ(notes_after_one, 1u);
  EXPECT_EQ(notes_.size(), 2u);
}

}  // namespace
}  // namespace forebay
