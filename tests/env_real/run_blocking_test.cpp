// run_blocking: a thread gets the result of a task, and nothing of the task outlives the call.
#include "forebay/env/run_blocking.hpp"

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "forebay/base/error.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;

Task<int> double_after_yield(Scheduler& scheduler, int value) {
  co_await Yield(scheduler);
  co_return 2 * value;
}

Task<Result<std::unique_ptr<int>>> make_owned(Scheduler& scheduler) {
  co_await sleep_for(scheduler, 1ms);
  co_return std::make_unique<int>(7);
}

Task<void> set(Scheduler& scheduler, int& target) {
  co_await Yield(scheduler);
  target = 7;
}

TEST(RunBlockingTest, ReturnsTheResult) {
  Runtime runtime;

  const int result = run_blocking(runtime.scheduler(), double_after_yield(runtime.scheduler(), 21));

  EXPECT_EQ(result, 42);
}

TEST(RunBlockingTest, ReturnsWhatCanOnlyBeMoved) {
  Runtime runtime;

  Result<std::unique_ptr<int>> result =
      run_blocking(runtime.scheduler(), make_owned(runtime.scheduler()));

  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(**result, 7);
}

TEST(RunBlockingTest, ReturnsOnlyWhenATaskWithoutResultHasEnded) {
  Runtime runtime;
  int target = 0;

  run_blocking(runtime.scheduler(), set(runtime.scheduler(), target));

  EXPECT_EQ(target, 7);
}

TEST(RunBlockingTest, ManyThreadsShareOneScheduler) {
  Runtime runtime;
  std::atomic<int> sum = 0;

  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int round = 0; round < 1'000; ++round) {
        sum.fetch_add(
            run_blocking(runtime.scheduler(), double_after_yield(runtime.scheduler(), 1)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(sum.load(), 8'000);
}

// Says when it dies, like a connection that goes back to its pool.
class Borrowed {
 public:
  explicit Borrowed(std::atomic<int>& alive) : alive_(&alive) { alive_->fetch_add(1); }
  Borrowed(Borrowed&& other) noexcept : alive_(std::exchange(other.alive_, nullptr)) {}
  ~Borrowed() {
    if (alive_ == nullptr) return;
    // Slowly, so that a caller who does not wait for this is caught.
    std::this_thread::sleep_for(1ms);
    alive_->fetch_sub(1);
  }
  bool is_held() const { return alive_ != nullptr; }

 private:
  std::atomic<int>* alive_;
};

Task<int> use(Scheduler& scheduler, Borrowed borrowed) {
  co_await Yield(scheduler);
  co_return borrowed.is_held() ? 1 : 0;
}
Task<void> use_without_result(Scheduler& scheduler, Borrowed borrowed) {
  co_await Yield(scheduler);
  EXPECT_TRUE(borrowed.is_held());
}

TEST(RunBlockingTest, TheTasksParametersAreGoneWhenItReturns) {
  Runtime runtime;
  std::atomic<int> alive = 0;

  for (int round = 0; round < 20; ++round) {
    run_blocking(runtime.scheduler(), use(runtime.scheduler(), Borrowed(alive)));
    ASSERT_EQ(alive.load(), 0);
    run_blocking(runtime.scheduler(), use_without_result(runtime.scheduler(), Borrowed(alive)));
    ASSERT_EQ(alive.load(), 0);
  }
}

Task<int> throw_after_yield(Scheduler& scheduler) {
  co_await Yield(scheduler);
  throw std::runtime_error("broken");
}

TEST(RunBlockingTest, AnExceptionComesOutOnTheThreadThatWaits) {
  Runtime runtime;

  EXPECT_THROW(run_blocking(runtime.scheduler(), throw_after_yield(runtime.scheduler())),
               std::runtime_error);
}

Task<void> wait_for_itself(Scheduler& scheduler) {
  run_blocking(scheduler, double_after_yield(scheduler, 1));
  co_return;
}

TEST(RunBlockingDeathTest, OnTheSchedulersOwnThreadItStopsTheProcess) {
  const auto wait = [] {
    Runtime runtime;
    run_blocking(runtime.scheduler(), wait_for_itself(runtime.scheduler()));
  };

  EXPECT_DEATH(wait(),
               "run_blocking_test.cpp:[0-9]+: a call that blocks was made on the runtime's");
}

}  // namespace
}  // namespace forebay
