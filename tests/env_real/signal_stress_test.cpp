// Signal under real concurrency: no notification is lost and no task is resumed twice.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/env/signal.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;

// How much has been published by the notifying threads, and how much of it the task has seen.
struct Progress {
  std::atomic<int> published{0};
  std::atomic<int> seen{0};
};

// Deadlines of 0 to 6 microseconds, so that notification and deadline often win by a hair, and
// every eighth wait without one, which a lost notification would make endless.
Task<void> follow(Scheduler& scheduler, Signal& signal, Progress& progress, int goal) {
  for (int round = 0; progress.seen.load() < goal; ++round) {
    const int delay = round % 8;
    const bool is_forever = delay == 7;
    const Instant deadline =
        is_forever ? kNever : scheduler.now() + std::chrono::microseconds(delay);
    co_await signal.wait_until(deadline);
    progress.seen.store(progress.published.load());
  }
}

TEST(SignalStressTest, ThreadsNotifyWhileATaskWaitsWithTinyDeadlines) {
  constexpr int kThreads = 3;
  constexpr int kNotifications = 500;
  Runtime runtime;
  Signal signal(runtime.scheduler());
  Progress progress;

  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] {
      for (int count = 0; count < kNotifications; ++count) {
        const int number = progress.published.fetch_add(1) + 1;
        signal.notify();
        while (progress.seen.load() < number) std::this_thread::yield();
      }
    });
  }
  constexpr int kGoal = kThreads * kNotifications;
  run_blocking(runtime.scheduler(), follow(runtime.scheduler(), signal, progress, kGoal));
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(progress.seen.load(), kGoal) << "had one been lost, the test would not have ended";
}

Task<void> answer_each(Signal& request, std::atomic<int>& answered, int rounds) {
  for (int round = 1; round <= rounds; ++round) {
    co_await request.wait_until(kNever);
    answered.store(round);
    answered.notify_one();
  }
}

// The other side waits for the answer before it asks again, so one lost wake-up hangs the test.
TEST(SignalStressTest, PingPongWithoutDeadlinesLosesNoWakeUp) {
  constexpr int kRounds = 20'000;
  Runtime runtime;
  Signal request(runtime.scheduler());
  std::atomic<int> answered = 0;

  std::thread asker([&] {
    for (int round = 1; round <= kRounds; ++round) {
      request.notify();
      answered.wait(round - 1);
    }
  });
  run_blocking(runtime.scheduler(), answer_each(request, answered, kRounds));
  asker.join();

  EXPECT_EQ(answered.load(), kRounds);
}

Task<bool> wait_far_longer_than_the_test(Scheduler& scheduler, Signal& signal) {
  const Instant deadline = scheduler.now() + 1h;
  co_return co_await signal.wait_until(deadline);
}

TEST(SignalStressTest, ANotificationBeatsADistantDeadline) {
  Runtime runtime;

  for (int round = 0; round < 500; ++round) {
    Signal signal(runtime.scheduler());
    std::thread notifier([&signal] { signal.notify(); });
    EXPECT_TRUE(run_blocking(runtime.scheduler(),
                             wait_far_longer_than_the_test(runtime.scheduler(), signal)));
    notifier.join();
  }
}

}  // namespace
}  // namespace forebay
