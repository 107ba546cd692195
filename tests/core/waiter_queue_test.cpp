// WaiterQueue against a std::deque.
#include "forebay/core/waiter_queue.hpp"

#include <deque>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;

struct TestWaiter : Waiter {
  explicit TestWaiter(Instant until)
      : Waiter(&count_wake, Instant{}, until, std::source_location::current()) {}
  static void count_wake(Waiter& waiter) { ++static_cast<TestWaiter&>(waiter).wakes; }
  int wakes = 0;
};

// A queue that lets everybody go before it dies.
struct WaiterTestQueue : WaiterQueue {
  ~WaiterTestQueue() {
    WakeList wakes;
    while (next(kNever - Duration(1), wakes) != nullptr) {
      resolve(const_cast<Waiter&>(*longest()), WaitOutcome::closed, wakes);
    }
    wake_all(wakes);
  }
};

TEST(WaiterQueueTest, TheLongestWaiterIsNext) {
  TestWaiter first(Instant(10s));
  TestWaiter second(Instant(5s));
  WaiterTestQueue queue;
  WakeList wakes;
  queue.add(first);
  queue.add(second);

  const Waiter* next = queue.next(Instant(1s), wakes);

  EXPECT_EQ(next, &first);
  EXPECT_TRUE(wakes.empty());
}

TEST(WaiterQueueTest, AWaiterWhoseDeadlinePassedTimesOutOnTheWay) {
  TestWaiter late(Instant(1s));
  TestWaiter patient(Instant(9s));
  WaiterTestQueue queue;
  WakeList wakes;
  queue.add(late);
  queue.add(patient);

  const Waiter* next = queue.next(Instant(1s), wakes);
  wake_all(wakes);

  EXPECT_EQ(next, &patient);
  EXPECT_EQ(late.outcome, WaitOutcome::timed_out);
  EXPECT_EQ(late.wakes, 1);
}

TEST(WaiterQueueTest, AResolvedWaiterCannotBeWithdrawn) {
  TestWaiter waiter(Instant(9s));
  WaiterTestQueue queue;
  WakeList wakes;
  queue.add(waiter);
  queue.resolve(waiter, WaitOutcome::granted, wakes);

  const bool is_withdrawn = queue.withdraw(waiter, WaitOutcome::timed_out);
  wake_all(wakes);

  EXPECT_FALSE(is_withdrawn);
  EXPECT_EQ(waiter.outcome, WaitOutcome::granted);
  EXPECT_EQ(waiter.wakes, 1);
}

TEST(WaiterQueueTest, AWithdrawnWaiterIsNotWoken) {
  TestWaiter waiter(Instant(9s));
  WaiterTestQueue queue;
  queue.add(waiter);

  const bool is_withdrawn = queue.withdraw(waiter, WaitOutcome::timed_out);

  EXPECT_TRUE(is_withdrawn);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(waiter.wakes, 0);
}

RC_GTEST_PROP(WaiterQueueProperty, BehavesLikeADeque,
              (const std::vector<std::pair<std::uint8_t, std::uint8_t>>& commands)) {
  std::vector<std::unique_ptr<TestWaiter>> waiters;
  WaiterTestQueue queue;
  std::deque<TestWaiter*> model;
  Instant now{};

  for (const auto& [choice, value] : commands) {
    WakeList wakes;
    if (choice < 128) {
      waiters.push_back(std::make_unique<TestWaiter>(now + Duration(value % 16)));
      queue.add(*waiters.back());
      model.push_back(waiters.back().get());
    } else if (choice < 168 && !waiters.empty()) {
      TestWaiter& waiter = *waiters[value % waiters.size()];
      const bool is_waiting = std::erase(model, &waiter) > 0;
      RC_ASSERT(queue.withdraw(waiter, WaitOutcome::timed_out) == is_waiting);
    } else if (choice < 232) {  // serve one
      Waiter* next = queue.next(now, wakes);
      while (!model.empty() && model.front()->deadline <= now) model.pop_front();
      const bool is_expected = next == (model.empty() ? nullptr : model.front());
      if (next != nullptr) queue.resolve(*next, WaitOutcome::granted, wakes);
      wake_all(wakes);
      RC_ASSERT(is_expected);
      if (!model.empty()) model.pop_front();
    } else {
      now += Duration(value % 8);
    }
    RC_ASSERT(queue.size() == static_cast<int>(model.size()));
    RC_ASSERT(queue.longest() == (model.empty() ? nullptr : model.front()));
  }

  for (const auto& waiter : waiters) RC_ASSERT(waiter->wakes <= 1);
}

}  // namespace
}  // namespace forebay
