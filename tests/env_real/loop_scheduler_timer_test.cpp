// LoopScheduler's timers: their order, their bounds per turn, and disarming at awkward moments.
#include <algorithm>

#include <gtest/gtest.h>

#include "env_real/loop_scheduler_fixture.hpp"
#include "forebay/detail/env/detached.hpp"
#include "forebay/env/real/loop_scheduler.hpp"
#include "forebay/env/sleep.hpp"
#include "support/noting_timer.hpp"

namespace forebay::real {
namespace {

using test::NotingTimer;
using namespace std::chrono_literals;

Task<void> sleep_then_note(Scheduler& scheduler, Instant until, std::vector<int>& notes,
                           int number) {
  co_await sleep_until(scheduler, until);
  notes.push_back(number);
}

class LoopSchedulerTimerTest : public LoopSchedulerFixture {};

TEST_F(LoopSchedulerTimerTest, TimersFireByDueTimeThenByOrderOfArming) {
  const Instant start = scheduler_.now();
  start_detached(scheduler_, sleep_then_note(scheduler_, start + 3ms, notes_, 4));
  start_detached(scheduler_, sleep_then_note(scheduler_, start + 2ms, notes_, 2));
  start_detached(scheduler_, sleep_then_note(scheduler_, start + 2ms, notes_, 3));
  start_detached(scheduler_, sleep_then_note(scheduler_, start + 1ms, notes_, 1));

  run_until(start + 4ms);

  EXPECT_EQ(notes_, (std::vector{1, 2, 3, 4}));
  EXPECT_GE(scheduler_.now(), start + 4ms);
}

TEST_F(LoopSchedulerTimerTest, MoreDueTimersThanATurnTakesAllFireInOrder) {
  // All are armed before the first is due, also by a machine that is busy elsewhere.
  const Instant due = scheduler_.now() + 200ms;
  for (int number = 0; number < 500; ++number) {
    start_detached(scheduler_, sleep_then_note(scheduler_, due, notes_, number));
  }

  run_until_noted(500);

  ASSERT_EQ(notes_.size(), 500u);
  EXPECT_TRUE(std::ranges::is_sorted(notes_));
}

Task<void> disarm_earliest(LoopScheduler& scheduler, NotingTimer& earliest, NotingTimer& next,
                           bool& result) {
  const Instant start = scheduler.now();
  scheduler.arm(earliest, start + 1ms);
  scheduler.arm(next, start + 3ms);
  result = scheduler.disarm(earliest);
  co_return;
}

TEST_F(LoopSchedulerTimerTest, DisarmingTheEarliestLeavesTheNextOnTime) {
  NotingTimer earliest(notes_, 1);
  NotingTimer next(notes_, 2);
  bool was_armed = false;
  start_detached(scheduler_, disarm_earliest(scheduler_, earliest, next, was_armed));

  run_until_noted(1);

  EXPECT_TRUE(was_armed);
  EXPECT_EQ(notes_, (std::vector{2}));
}

// Disarms its neighbour, which is due at the same time.
class DisarmingTimer : public Timer {
 public:
  DisarmingTimer(Scheduler& scheduler, Timer& victim)
      : Timer(&disarm), scheduler_(scheduler), victim_(victim) {}
  bool has_disarmed() const { return has_disarmed_; }

 private:
  static void disarm(Timer& timer) {
    DisarmingTimer& self = static_cast<DisarmingTimer&>(timer);
    self.has_disarmed_ = self.scheduler_.disarm(self.victim_);
  }
  Scheduler& scheduler_;
  Timer& victim_;
  bool has_disarmed_ = false;
};

Task<void> arm_both(Scheduler& scheduler, Timer& first, Timer& second) {
  scheduler.arm(first, scheduler.now());
  scheduler.arm(second, first.due);
  co_return;
}

TEST_F(LoopSchedulerTimerTest, ATimerCanDisarmAnotherThatIsDueInTheSameTurn) {
  NotingTimer victim(notes_, 1);
  DisarmingTimer killer(scheduler_, victim);
  start_detached(scheduler_, arm_both(scheduler_, killer, victim));

  run_until(scheduler_.now() + 1ms);

  EXPECT_TRUE(killer.has_disarmed());
  EXPECT_TRUE(notes_.empty());
}

Task<void> arm_at(Scheduler& scheduler, Timer& timer, Instant due) {
  scheduler.arm(timer, due);
  co_return;
}
Task<void> disarm(Scheduler& scheduler, Timer& timer) {
  scheduler.disarm(timer);
  co_return;
}

TEST_F(LoopSchedulerTimerTest, ATimerThatIsNeverDueDoesNotFire) {
  NotingTimer never(notes_, 1);
  start_detached(scheduler_, arm_at(scheduler_, never, kNever));
  start_detached(scheduler_, disarm(scheduler_, never));

  run_until(scheduler_.now() + 1ms);

  EXPECT_TRUE(notes_.empty());
}

using LoopSchedulerTimerDeathTest = LoopSchedulerTimerTest;

TEST_F(LoopSchedulerTimerDeathTest, ATimerArmedOnAnotherThreadStopsTheProcess) {
  NotingTimer timer(notes_, 1);

  EXPECT_DEATH(scheduler_.arm(timer, Instant()), "is_current_thread");
}

}  // namespace
}  // namespace forebay::real
