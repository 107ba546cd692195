// Signal: every order of notification, wait and deadline that one thread can produce. The orders
// that need threads are in tests/env_real/signal_stress_test.cpp.
#include "forebay/env/signal.hpp"

#include <optional>

#include <gtest/gtest.h>

#include "forebay/detail/env/detached.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;

Task<void> wait(Signal& signal, Instant deadline, std::optional<bool>& is_notified) {
  is_notified = co_await signal.wait_until(deadline);
}

Task<void> notify_at(Scheduler& scheduler, Signal& signal, Instant time) {
  co_await sleep_until(scheduler, time);
  signal.notify();
}

class SignalTest : public testing::Test {
 protected:
  void start_wait(Instant deadline) {
    is_notified_.reset();
    start_detached(scheduler_, wait(signal_, deadline, is_notified_));
  }
  void start_notify(Instant time) {
    start_detached(scheduler_, notify_at(scheduler_, signal_, time));
  }

  sim::SimScheduler scheduler_;
  Signal signal_{scheduler_};
  std::optional<bool> is_notified_;
};

TEST_F(SignalTest, ANotificationBeforeTheWaitEndsItAtOnce) {
  signal_.notify();
  start_wait(Instant(10s));

  scheduler_.settle();

  EXPECT_EQ(is_notified_, true);
  EXPECT_FALSE(scheduler_.step()) << "no timer is left behind";
}

TEST_F(SignalTest, ANotificationDuringTheWaitEndsIt) {
  start_wait(Instant(10s));
  start_notify(Instant(4s));

  scheduler_.run();

  EXPECT_EQ(is_notified_, true);
  EXPECT_EQ(scheduler_.now(), Instant(4s)) << "the deadline's timer is gone";
}

TEST_F(SignalTest, TheDeadlineEndsTheWait) {
  start_wait(Instant(10s));

  scheduler_.run();

  EXPECT_EQ(is_notified_, false);
  EXPECT_EQ(scheduler_.now(), Instant(10s));
}

TEST_F(SignalTest, ANotificationAfterTheDeadlineEndsTheNextWait) {
  start_wait(Instant(10s));
  start_notify(Instant(11s));
  scheduler_.run();
  const std::optional<bool> first = is_notified_;

  start_wait(Instant(20s));
  scheduler_.settle();

  EXPECT_EQ(first, false);
  EXPECT_EQ(is_notified_, true);
}

TEST_F(SignalTest, NotificationsMerge) {
  signal_.notify();
  signal_.notify();
  start_wait(Instant(10s));
  scheduler_.run();
  const std::optional<bool> first = is_notified_;

  start_wait(Instant(20s));
  scheduler_.run();

  EXPECT_EQ(first, true);
  EXPECT_EQ(is_notified_, false);
}

TEST_F(SignalTest, ASecondNotificationBeforeTheTaskRunsMergesWithTheFirst) {
  start_wait(Instant(10s));
  scheduler_.settle();

  signal_.notify();
  signal_.notify();
  scheduler_.run();
  const std::optional<bool> first = is_notified_;
  start_wait(Instant(20s));
  scheduler_.run();

  EXPECT_EQ(first, true);
  EXPECT_EQ(is_notified_, false);
}

TEST_F(SignalTest, APassedDeadlineEndsTheWaitWithoutSuspending) {
  scheduler_.run_until(Instant(10s));
  start_wait(Instant(10s));

  scheduler_.settle();

  EXPECT_EQ(is_notified_, false);
}

TEST_F(SignalTest, ANotificationCountsEvenWhenTheDeadlineHasPassed) {
  scheduler_.run_until(Instant(10s));
  signal_.notify();
  start_wait(Instant(10s));

  scheduler_.settle();

  EXPECT_EQ(is_notified_, true);
}

TEST_F(SignalTest, WithoutADeadlineNoTimerIsArmed) {
  start_wait(kNever);
  scheduler_.settle();
  const bool has_more_to_do = scheduler_.step();

  signal_.notify();
  scheduler_.run();

  EXPECT_FALSE(has_more_to_do);
  EXPECT_EQ(is_notified_, true);
}

// Notification and deadline at the same time, in both orders and in whatever order a seed chooses:
// the wait ends once, and a notification that it did not take ends the next wait.
class SignalTieTest : public testing::TestWithParam<int> {};

TEST_P(SignalTieTest, ANotificationAtTheDeadlineIsTakenOrKept) {
  sim::SimScheduler scheduler(static_cast<std::uint64_t>(GetParam()));
  Signal signal(scheduler);
  std::optional<bool> first;
  std::optional<bool> second;
  start_detached(scheduler, wait(signal, Instant(10s), first));
  start_detached(scheduler, notify_at(scheduler, signal, Instant(10s)));
  scheduler.run_until(Instant(10s));

  start_detached(scheduler, wait(signal, Instant(20s), second));
  scheduler.run();

  ASSERT_TRUE(first.has_value());
  ASSERT_TRUE(second.has_value());
  EXPECT_NE(*first, *second) << "one notification ends exactly one wait";
}

INSTANTIATE_TEST_SUITE_P(Seeds, SignalTieTest, testing::Range(0, 16));

TEST_F(SignalTest, BothOrdersOfATieOccurAmongTheSeeds) {
  int taken = 0;

  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    sim::SimScheduler scheduler(seed);
    Signal signal(scheduler);
    std::optional<bool> is_notified;
    start_detached(scheduler, wait(signal, Instant(10s), is_notified));
    start_detached(scheduler, notify_at(scheduler, signal, Instant(10s)));
    scheduler.run();
    taken += is_notified == true ? 1 : 0;
  }

  EXPECT_GT(taken, 0);
  EXPECT_LT(taken, 16);
}

}  // namespace
}  // namespace forebay
