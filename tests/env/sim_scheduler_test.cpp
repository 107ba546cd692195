// SimScheduler: time jumps, posts come first in first out, ties are by arrival or by seed.
#include "forebay/env/sim/sim_scheduler.hpp"

#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "forebay/detail/env/detached.hpp"
#include "forebay/env/sim/sim_wall_clock.hpp"
#include "forebay/env/sleep.hpp"
#include "support/noting_timer.hpp"

namespace forebay::sim {
namespace {

using test::NotingTimer;
using namespace std::chrono_literals;

Task<void> note(std::vector<int>& notes, int number) {
  notes.push_back(number);
  co_return;
}

Task<void> sleep_then_note(Scheduler& scheduler, Duration time, std::vector<int>& notes,
                           int number) {
  co_await sleep_for(scheduler, time);
  notes.push_back(number);
}

// Fires twenty timers that are all due at the same time and returns the order.
std::vector<int> order_of_ties(SimScheduler& scheduler) {
  std::vector<int> notes;
  std::vector<std::unique_ptr<NotingTimer>> timers;
  for (int number = 0; number < 20; ++number) {
    timers.push_back(std::make_unique<NotingTimer>(notes, number));
    scheduler.arm(*timers.back(), Instant(1s));
  }
  scheduler.run();
  return notes;
}

TEST(SimSchedulerTest, AnHourPassesInTwoSteps) {
  SimScheduler scheduler;
  std::vector<int> notes;
  start_detached(scheduler, sleep_then_note(scheduler, 1h, notes, 1));

  const std::uint64_t steps = scheduler.run();

  EXPECT_EQ(steps, 2u);
  EXPECT_EQ(scheduler.now(), Instant(1h));
  EXPECT_EQ(scheduler.recent_now(), Instant(1h));
  EXPECT_EQ(notes, (std::vector{1}));
}

TEST(SimSchedulerTest, PostsRunFirstInFirstOut) {
  SimScheduler scheduler;
  std::vector<int> notes;
  for (int number = 0; number < 5; ++number) start_detached(scheduler, note(notes, number));

  scheduler.run();

  EXPECT_EQ(notes, (std::vector{0, 1, 2, 3, 4}));
}

TEST(SimSchedulerTest, TiesFireInTheOrderOfArrivalByDefault) {
  SimScheduler scheduler;

  const std::vector<int> order = order_of_ties(scheduler);

  EXPECT_TRUE(std::ranges::is_sorted(order));
  EXPECT_EQ(order.size(), 20u);
}

TEST(SimSchedulerTest, ASeedGivesTiesAnOrderThatRepeats) {
  SimScheduler one(42);
  SimScheduler same(42);
  SimScheduler other(43);

  const std::vector<int> order = order_of_ties(one);
  const std::vector<int> order_again = order_of_ties(same);
  const std::vector<int> another_order = order_of_ties(other);

  EXPECT_EQ(order, order_again);
  EXPECT_NE(order, another_order);
  EXPECT_TRUE(std::ranges::is_permutation(order, another_order));
  EXPECT_FALSE(std::ranges::is_sorted(order));
}

TEST(SimSchedulerTest, ASeedNeverReordersDifferentDueTimes) {
  SimScheduler scheduler(7);
  std::vector<int> notes;
  NotingTimer late(notes, 2);
  NotingTimer early(notes, 1);
  scheduler.arm(late, Instant(2ns));
  scheduler.arm(early, Instant(1ns));

  scheduler.run();

  EXPECT_EQ(notes, (std::vector{1, 2}));
}

TEST(SimSchedulerTest, RunUntilIncludesWhatIsDueThenAndLeavesTheClockThere) {
  SimScheduler scheduler;
  std::vector<int> notes;
  start_detached(scheduler, sleep_then_note(scheduler, 1s, notes, 1));
  start_detached(scheduler, sleep_then_note(scheduler, 2s, notes, 2));
  start_detached(scheduler, sleep_then_note(scheduler, 4s, notes, 4));

  scheduler.run_until(Instant(2s));
  const std::vector<int> notes_at_two = notes;
  scheduler.run_for(1s);

  EXPECT_EQ(notes_at_two, (std::vector{1, 2}));
  EXPECT_EQ(scheduler.now(), Instant(3s));
  EXPECT_EQ(notes, notes_at_two);
  scheduler.run();
}

TEST(SimSchedulerTest, SettleRunsWhatIsReadyWithoutLettingTimePass) {
  SimScheduler scheduler;
  std::vector<int> notes;
  start_detached(scheduler, note(notes, 1));
  start_detached(scheduler, sleep_then_note(scheduler, 1ns, notes, 2));

  scheduler.settle();

  EXPECT_EQ(notes, (std::vector{1}));
  EXPECT_EQ(scheduler.now(), Instant());
  scheduler.run();
}

TEST(SimSchedulerTest, ADisarmedTimerDoesNotFire) {
  SimScheduler scheduler;
  std::vector<int> notes;
  NotingTimer kept(notes, 1);
  NotingTimer dropped(notes, 2);
  scheduler.arm(dropped, Instant(1s));
  scheduler.arm(kept, Instant(2s));

  const bool was_armed = scheduler.disarm(dropped);
  scheduler.run();

  EXPECT_TRUE(was_armed);
  EXPECT_FALSE(scheduler.disarm(kept)) << "it has fired";
  EXPECT_EQ(notes, (std::vector{1}));
}

TEST(SimSchedulerTest, ATimerThatIsDueInThePastDoesNotTurnTheClockBack) {
  SimScheduler scheduler;
  std::vector<int> notes;
  NotingTimer timer(notes, 1);
  scheduler.run_until(Instant(5s));

  scheduler.arm(timer, Instant(1s));
  scheduler.run();

  EXPECT_EQ(notes, (std::vector{1}));
  EXPECT_EQ(scheduler.now(), Instant(5s));
}

TEST(SimSchedulerTest, TheCheckRunsAfterEveryStep) {
  SimScheduler scheduler;
  std::vector<int> notes;
  std::uint64_t checks = 0;
  scheduler.set_after_step([&checks] { ++checks; });
  start_detached(scheduler, sleep_then_note(scheduler, 1s, notes, 1));

  scheduler.run();

  EXPECT_EQ(checks, 2u);
  EXPECT_EQ(scheduler.steps(), 2u);
}

TEST(SimWallClockTest, FollowsVirtualTimeWithItsOwnOffset) {
  SimScheduler scheduler;
  SimWallClock clock(scheduler, WallTime(100h));

  scheduler.run_until(Instant(5s));
  clock.set_skew(-2s);

  EXPECT_EQ(clock.now(), WallTime(100h + 3s));
}

}  // namespace
}  // namespace forebay::sim
