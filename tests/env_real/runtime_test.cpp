// Runtime: one thread with a name, the parts it hands out, and an end that leaves nothing running.
#include "forebay/env/real/runtime.hpp"

#include <array>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <pthread.h>

#include "forebay/env/blocking_lane.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;

Task<std::string> name_of_thread() {
  std::array<char, 16> name{};
  pthread_getname_np(pthread_self(), name.data(), name.size());
  co_return std::string(name.data());
}

Task<bool> is_on_its_thread(Runtime& runtime) { co_return runtime.is_current_thread(); }

TEST(RuntimeTest, TasksRunOnAThreadCalledForebay) {
  Runtime runtime;

  const std::string name = run_blocking(runtime.scheduler(), name_of_thread());

  EXPECT_EQ(name, "forebay");
}

TEST(RuntimeTest, SecureRandomNumbersDifferEvenOnSeveralThreads) {
  Runtime runtime;
  std::array<std::vector<std::uint64_t>, 4> drawn;
  {
    std::vector<std::jthread> threads;
    for (std::vector<std::uint64_t>& numbers : drawn) {
      threads.emplace_back([&] {
        for (int i = 0; i < 1'000; ++i) numbers.push_back(runtime.secure_random().next());
      });
    }
  }

  std::set<std::uint64_t> all;
  for (const std::vector<std::uint64_t>& numbers : drawn)
    all.insert(numbers.begin(), numbers.end());
  EXPECT_EQ(all.size(), 4'000u);
}

TEST(RuntimeTest, KnowsItsOwnThread) {
  Runtime runtime;
  Runtime other;

  const bool own = run_blocking(runtime.scheduler(), is_on_its_thread(runtime));
  const bool foreign = run_blocking(other.scheduler(), is_on_its_thread(runtime));

  EXPECT_TRUE(own);
  EXPECT_FALSE(foreign);
  EXPECT_FALSE(runtime.is_current_thread());
}

TEST(RuntimeTest, TheEnvironmentIsThatOfTheRuntime) {
  Runtime runtime;

  const Env env = runtime.env();

  EXPECT_EQ(&env.scheduler, &runtime.scheduler());
  EXPECT_LE(env.scheduler.recent_now(), env.scheduler.now());
}

TEST(RuntimeTest, TheWallClockShowsTheTimeOfDay) {
  Runtime runtime;

  const auto before = std::chrono::system_clock::now().time_since_epoch();
  const auto shown = runtime.env().wall_clock.now().time_since_epoch();
  const auto after = std::chrono::system_clock::now().time_since_epoch();

  EXPECT_LE(before, shown);
  EXPECT_LE(shown, after);
}

Task<std::uint64_t> draw(Env env) { co_return env.random.next(); }

TEST(RuntimeTest, TwoRuntimesDrawDifferentNumbers) {
  Runtime one;
  Runtime other;

  const std::uint64_t first = run_blocking(one.scheduler(), draw(one.env()));
  const std::uint64_t second = run_blocking(other.scheduler(), draw(other.env()));

  EXPECT_NE(first, second);
}

Task<void> hop(Scheduler& scheduler, int hops, int& done) {
  for (int count = 0; count < hops; ++count) co_await Yield(scheduler);
  ++done;
}

// Far more turns than one, so the destructor must let the queue run dry rather than cut it.
TEST(RuntimeTest, WhatIsReadyRunsBeforeTheRuntimeIsGone) {
  int done = 0;

  {
    Runtime runtime;
    for (int task = 0; task < 10; ++task)
      start_detached(runtime.scheduler(), hop(runtime.scheduler(), 1'000, done));
  }

  EXPECT_EQ(done, 10);
}

Task<void> work_on_lane(Runtime& runtime, int& done) {
  auto work = [&done] { ++done; };
  co_await run_on(runtime.lane(), runtime.scheduler(), work);
  ++done;
}

TEST(RuntimeTest, WorkOnTheLaneComesBackBeforeTheRuntimeIsGone) {
  constexpr int kRounds = 200;
  int done = 0;

  for (int round = 0; round < kRounds; ++round) {
    Runtime runtime;
    run_blocking(runtime.scheduler(), work_on_lane(runtime, done));
  }

  EXPECT_EQ(done, 2 * kRounds);
}

Task<void> sleep_for_an_hour(Scheduler& scheduler) { co_await sleep_for(scheduler, 1h); }

TEST(RuntimeDeathTest, ATaskThatStillSleepsStopsTheProcess) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";

  const auto die_too_early = [] {
    Runtime runtime;
    start_detached(runtime.scheduler(), sleep_for_an_hour(runtime.scheduler()));
  };

  EXPECT_DEATH(die_too_early(), "a scheduler died while a task waited for a timer");
}

}  // namespace
}  // namespace forebay
