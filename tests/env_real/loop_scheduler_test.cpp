// LoopScheduler on the test's own thread, and with other threads posting to it.
#include "forebay/env/real/loop_scheduler.hpp"

#include <algorithm>
#include <functional>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include "env_real/loop_scheduler_fixture.hpp"
#include "forebay/detail/env/detached.hpp"
#include "forebay/env/real/owned_descriptor.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay::real {
namespace {

using namespace std::chrono_literals;

Task<void> note(std::vector<int>& notes, int number) {
  notes.push_back(number);
  co_return;
}

Task<void> post_then_note(Scheduler& scheduler, std::vector<int>& notes, int number) {
  for (int offset = 1; offset <= 3; ++offset)
    start_detached(scheduler, note(notes, number + offset));
  notes.push_back(number);
  co_return;
}

class LoopSchedulerTest : public LoopSchedulerFixture {};

TEST_F(LoopSchedulerTest, PostsRunFirstInFirstOut) {
  for (int number = 0; number < 200; ++number) start_detached(scheduler_, note(notes_, number));

  run_briefly();

  ASSERT_EQ(notes_.size(), 200u);
  EXPECT_TRUE(std::ranges::is_sorted(notes_));
}

TEST_F(LoopSchedulerTest, APostFromATaskRunsAfterWhatWasReady) {
  start_detached(scheduler_, post_then_note(scheduler_, notes_, 10));
  start_detached(scheduler_, note(notes_, 1));

  run_briefly();

  EXPECT_EQ(notes_, (std::vector{10, 1, 11, 12, 13}));
}

TEST_F(LoopSchedulerTest, APostNeverResumesInsideTheCall) {
  start_detached(scheduler_, note(notes_, 1));

  const std::size_t notes_after_post = notes_.size();
  run_briefly();

  EXPECT_EQ(notes_after_post, 0u);
  EXPECT_EQ(notes_.size(), 1u);
}

// One that is ready all the time, whose news starts a task.
class Ready final : public Poller::Watched {
 public:
  explicit Ready(std::move_only_function<void()> on_news)
      : Watched(::eventfd(1, EFD_CLOEXEC), &tell),
        own_(descriptor()),
        on_news_(std::move(on_news)) {}

 private:
  static void tell(Watched& watched, Poller::Events) { static_cast<Ready&>(watched).on_news_(); }

  const OwnedDescriptor own_;
  std::move_only_function<void()> on_news_;
};

TEST_F(LoopSchedulerTest, APostFromThePollerIsRun) {
  Ready ready([this] { start_detached(scheduler_, note(notes_, 1)); });
  ASSERT_EQ(scheduler_.poller().want(ready, Poller::kRead), 0);

  run_until(scheduler_.now() + 1ms);

  EXPECT_EQ(notes_, (std::vector{1}));
  scheduler_.poller().forget(ready);
}

// Keeps something ready all the time; timers and descriptors must get their turns.
Task<void> yield_until_told(Scheduler& scheduler, const bool& was_told, const bool& timer_fired) {
  while (!was_told || !timer_fired) co_await Yield(scheduler);
}
Task<void> set_at(Scheduler& scheduler, Instant time, bool& flag) {
  co_await sleep_until(scheduler, time);
  flag = true;
}

TEST_F(LoopSchedulerTest, ABusyTaskStarvesNeitherTimersNorDescriptors) {
  bool was_told = false;
  bool timer_fired = false;
  start_detached(scheduler_, yield_until_told(scheduler_, was_told, timer_fired));
  start_detached(scheduler_, set_at(scheduler_, scheduler_.now() + 1ms, timer_fired));
  Ready ready([&was_told] { was_told = true; });
  ASSERT_EQ(scheduler_.poller().want(ready, Poller::kRead), 0);

  run_until(scheduler_.now() + 2ms);

  EXPECT_TRUE(was_told);
  EXPECT_TRUE(timer_fired);
  scheduler_.poller().forget(ready);
}

Task<void> count(int& runs, std::vector<int>& last_by_thread, int thread, int number,
                 bool& is_ordered) {
  const auto index = static_cast<std::size_t>(thread);
  is_ordered = is_ordered && last_by_thread[index] < number;
  last_by_thread[index] = number;
  ++runs;
  co_return;
}

TEST_F(LoopSchedulerTest, FourThreadsPostEightyThousandTasksAndEachKeepsItsOrder) {
  constexpr int kThreads = 4;
  constexpr int kPosts = 20'000;
  int runs = 0;
  bool is_ordered = true;
  std::vector<int> last_by_thread(kThreads, -1);
  std::thread loop([this] { scheduler_.run(); });

  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int number = 0; number < kPosts; ++number) {
        start_detached(scheduler_, count(runs, last_by_thread, thread, number, is_ordered));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  scheduler_.stop();
  loop.join();

  EXPECT_EQ(runs, kThreads * kPosts);
  EXPECT_TRUE(is_ordered);
}

TEST_F(LoopSchedulerTest, TheCheapClockIsNeverAheadAndNeverFarBehind) {
  for (int round = 0; round < 1'000; ++round) {
    const Instant before = scheduler_.now();
    const Instant recent = scheduler_.recent_now();
    const Instant after = scheduler_.now();
    EXPECT_LE(recent, after);
    EXPECT_GE(recent, before - Scheduler::kRecentLag);
  }
}

}  // namespace
}  // namespace forebay::real
