// Task: lazy, one awaiter, a flat stack in every build, results and exceptions handed over intact.
#include "forebay/env/task.hpp"

#include <array>
#include <memory>
#include <stdexcept>

#include <gtest/gtest.h>

#include "forebay/detail/env/detached.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay {
namespace {

struct Aggregate {
  std::string text;
};
struct TrivialAggregate {
  int number;
};
class WithConstructor {
 public:
  explicit WithConstructor(std::string text) : text_(std::move(text)) {}

 private:
  std::string text_;
};

// g++ 12 would destroy these twice inside a co_await expression.
static_assert(!detail::SafeParameter<Aggregate>);
static_assert(!detail::SafeParameter<const Aggregate&>);
static_assert(!detail::SafeParameter<std::array<std::string, 2>>);
static_assert(detail::SafeParameter<TrivialAggregate>);
static_assert(detail::SafeParameter<WithConstructor>);
static_assert(detail::SafeParameter<std::string&>);
static_assert(detail::SafeParameter<std::unique_ptr<int>>);

// Counts the objects that are alive, to see that frames are destroyed.
class Tracked {
 public:
  explicit Tracked(int& alive) : alive_(&alive) { ++*alive_; }
  Tracked(Tracked&& other) noexcept : alive_(other.alive_) { ++*alive_; }
  ~Tracked() { --*alive_; }

 private:
  int* alive_;
};

Task<int> number(int value) { co_return value; }

Task<int> sum_of_many(int count) {
  int sum = 0;
  for (int index = 0; index < count; ++index) sum += co_await number(1);
  co_return sum;
}

Task<int> sum_after_naps(Scheduler& scheduler, int count) {
  int sum = 0;
  for (int index = 0; index < count; ++index) {
    co_await Yield(scheduler);
    sum += co_await number(1);
  }
  co_return sum;
}

template <class T>
Task<void> store(Task<T> task, T& result) {
  result = co_await std::move(task);
}

Task<std::unique_ptr<int>> owned(int value) { co_return std::make_unique<int>(value); }

Task<int> fail_after_nap(Scheduler& scheduler, Tracked tracked) {
  co_await Yield(scheduler);
  [[maybe_unused]] const Tracked local(std::move(tracked));
  throw std::runtime_error("broken");
}

Task<std::string> describe_failure(Scheduler& scheduler, int& alive) {
  std::string text = "none";
  try {
    co_await fail_after_nap(scheduler, Tracked(alive));
  } catch (const std::runtime_error& error) {
    text = error.what();
  }
  co_return text;
}

Task<void> mark(bool& has_started) {
  has_started = true;
  co_return;
}

TEST(TaskTest, AMillionAwaitsThatDoNotSuspendKeepTheStackFlat) {
  sim::SimScheduler scheduler;
  int result = 0;
  start_detached(scheduler, store(sum_of_many(1'000'000), result));

  scheduler.run();

  EXPECT_EQ(result, 1'000'000);
}

TEST(TaskTest, ManyAwaitsThatSuspendKeepTheStackFlat) {
  sim::SimScheduler scheduler;
  int result = 0;
  start_detached(scheduler, store(sum_after_naps(scheduler, 100'000), result));

  scheduler.run();

  EXPECT_EQ(result, 100'000);
}

TEST(TaskTest, AResultThatCanOnlyBeMovedArrives) {
  sim::SimScheduler scheduler;
  std::unique_ptr<int> result;
  start_detached(scheduler, store(owned(7), result));

  scheduler.run();

  ASSERT_NE(result, nullptr);
  EXPECT_EQ(*result, 7);
}

TEST(TaskTest, DoesNotStartBeforeItIsAwaited) {
  bool has_started = false;

  {
    const Task<void> task = mark(has_started);
  }

  EXPECT_FALSE(has_started);
}

TEST(TaskTest, ATaskThatIsNeverAwaitedDestroysItsParameters) {
  sim::SimScheduler scheduler;
  int alive = 0;

  {
    const Task<int> task = fail_after_nap(scheduler, Tracked(alive));
  }

  EXPECT_EQ(alive, 0);
}

Task<int> nap_with(Scheduler& scheduler, Tracked tracked) {
  co_await Yield(scheduler);
  [[maybe_unused]] const Tracked& used = tracked;
  co_return 1;
}
Task<void> count_alive_after(Task<int> task, const int& alive, int& alive_after) {
  co_await std::move(task);
  alive_after = alive;
}

// A task that is awaited by name would otherwise live to the end of its scope with
// one compiler only.
TEST(TaskTest, AnAwaitedTaskIsGoneWithItsParametersWhenItsAwaiterGoesOn) {
  sim::SimScheduler scheduler;
  int alive = 0;
  int alive_after = -1;
  start_detached(scheduler,
                 count_alive_after(nap_with(scheduler, Tracked(alive)), alive, alive_after));

  scheduler.run();

  EXPECT_EQ(alive_after, 0);
}

TEST(TaskTest, AnExceptionReachesTheAwaiterAndLeaksNothing) {
  sim::SimScheduler scheduler;
  std::string text;
  int alive = 0;
  start_detached(scheduler, store(describe_failure(scheduler, alive), text));

  scheduler.run();

  EXPECT_EQ(text, "broken");
  EXPECT_EQ(alive, 0);
}

TEST(TaskDeathTest, AnExceptionThatNobodyAwaitsEndsTheProcess) {
  sim::SimScheduler scheduler;
  int alive = 0;
  int result = 0;

  const auto run_a_failing_task = [&] {
    start_detached(scheduler, store(fail_after_nap(scheduler, Tracked(alive)), result));
    scheduler.run();
  };

  EXPECT_DEATH(run_a_failing_task(),
               "task_test.cpp:[0-9]+: the task started here threw an exception, and nobody awaits "
               "it who could catch it: broken");
}

}  // namespace
}  // namespace forebay
