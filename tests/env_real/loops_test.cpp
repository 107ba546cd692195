// A runtime with several loops: each with a thread, timers and descriptors of its own, and tasks
// that go from one to another.
#include <array>
#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "forebay/env/descriptor_watch.hpp"
#include "forebay/env/loop_group.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/env/sleep.hpp"
#include "forebay/env/task_group.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;

constexpr int kLoops = 4;

RuntimeOptions four_loops() {
  RuntimeOptions options;
  options.loops = kLoops;
  return options;
}

std::string thread_name() {
  std::array<char, 16> name{};
  pthread_getname_np(pthread_self(), name.data(), name.size());
  return name.data();
}

Task<std::string> own_thread_name() { co_return thread_name(); }

Task<bool> is_thread_of(Runtime& runtime) { co_return runtime.is_current_thread(); }

TEST(LoopsTest, EachLoopHasAThreadOfItsOwn) {
  Runtime runtime(four_loops());
  Runtime other;

  ASSERT_EQ(runtime.loops(), kLoops);
  EXPECT_EQ(&runtime.loop(0).env.scheduler, &runtime.scheduler());
  for (int i = 0; i < kLoops; ++i) {
    Scheduler& scheduler = runtime.loop(i).env.scheduler;
    EXPECT_EQ(scheduler.loop(), i);
    EXPECT_EQ(run_blocking(scheduler, own_thread_name()), "forebay-" + std::to_string(i));
    EXPECT_TRUE(run_blocking(scheduler, is_thread_of(runtime)));
    EXPECT_FALSE(run_blocking(scheduler, is_thread_of(other)));
  }
  EXPECT_FALSE(runtime.is_current_thread());
  EXPECT_EQ(&runtime.here().env.scheduler, &runtime.scheduler());
}

TEST(LoopsTest, ARuntimeHasOneToSixtyFour) {
  for (const int loops : {0, -1, 65}) {
    RuntimeOptions options;
    options.loops = loops;

    const auto refused = Runtime::start(options);

    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code(), Errc::invalid);
    EXPECT_EQ(refused.error().text(),
              "loops is " + std::to_string(loops) + ": a runtime has 1 to 64");
  }
}

Task<std::vector<std::string>> visit_all(Runtime& runtime) {
  std::vector<std::string> names;
  for (int i = runtime.loops() - 1; i >= 0; --i) {
    Scheduler& there = runtime.loop(i).env.scheduler;
    co_await resume_on(there);
    names.push_back(thread_name());
    EXPECT_EQ(&runtime.here().env.scheduler, &there);
    EXPECT_EQ(&here(runtime.scheduler()), &there);
    co_await sleep_for(there, 1ms);
    EXPECT_EQ(thread_name(), names.back());
  }
  co_return names;
}

TEST(LoopsTest, ATaskGoesFromLoopToLoop) {
  Runtime runtime(four_loops());

  const std::vector<std::string> names = run_blocking(runtime.scheduler(), visit_all(runtime));

  EXPECT_EQ(names, (std::vector<std::string>{"forebay-3", "forebay-2", "forebay-1", "forebay-0"}));
}

// Bytes go through a pair of sockets whose reading end is watched by one loop after the other.
class MovingDescriptor {
 public:
  explicit MovingDescriptor(Runtime& runtime) : runtime_(runtime) {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends_.data()), 0);
  }
  ~MovingDescriptor() {
    watch_.reset();
    for (const int end : ends_) ::close(end);
  }

  Task<int> run(int rounds) {
    int received = 0;
    for (int round = 0; round < rounds; ++round) {
      co_await resume_on(runtime_.loop(round % runtime_.loops()).env.scheduler);
      if (watch_ && !watch_->is_here()) watch_.reset();
      if (!watch_) watch_ = runtime_.descriptors().watch(ends_[0]);
      EXPECT_TRUE(watch_->is_here());
      EXPECT_EQ(::write(ends_[1], "x", 1), 1);
      const Instant deadline = runtime_.scheduler().now() + 30s;
      const Result<void> ready = co_await watch_->wait(Readiness::readable, deadline);
      char byte = 0;
      if (ready && ::read(ends_[0], &byte, 1) == 1) ++received;
    }
    co_return received;
  }

 private:
  Runtime& runtime_;
  std::array<int, 2> ends_{};
  std::unique_ptr<WatchedDescriptor> watch_;
};

Task<void> move_one(Runtime& runtime, int rounds, int& received) {
  MovingDescriptor moving(runtime);
  received = co_await moving.run(rounds);
  co_await resume_on(runtime.scheduler());
}

Task<void> move_many(Runtime& runtime, std::vector<int>& received) {
  TaskGroup group(runtime.scheduler());
  for (int& each : received) group.spawn(move_one(runtime, 200, each));
  co_await group.join();
}

TEST(LoopsTest, ADescriptorMovesFromLoopToLoop) {
  Runtime runtime(four_loops());
  std::vector<int> received(16);

  run_blocking(runtime.scheduler(), move_many(runtime, received));

  EXPECT_EQ(received, std::vector<int>(16, 200));
}

Task<void> block(Runtime& runtime) {
  run_blocking(runtime.scheduler(), own_thread_name());
  co_return;
}

TEST(LoopsDeathTest, ACallThatBlocksIsRefusedOnEveryLoop) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        Runtime runtime(four_loops());
        run_blocking(runtime.loop(2).env.scheduler, block(runtime));
      },
      "a call that blocks was made on the runtime's own thread");
}

}  // namespace
}  // namespace forebay
