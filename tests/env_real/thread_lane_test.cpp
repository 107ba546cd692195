// ThreadLane: work runs beside the loop, all of it, and is joined at the end.
#include "forebay/env/real/thread_lane.hpp"

#include <atomic>
#include <latch>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"

namespace forebay::real {
namespace {

TEST(ThreadLaneTest, TheDestructorDoesAllQueuedWork) {
  constexpr int kPieces = 1'000;
  std::atomic<int> done = 0;

  {
    ThreadLane lane;
    for (int piece = 0; piece < kPieces; ++piece) lane.submit([&done] { done.fetch_add(1); });
  }

  EXPECT_EQ(done.load(), kPieces);
}

// Each piece waits for the other, so this ends only if both run at the same time.
TEST(ThreadLaneTest, TwoPiecesRunAtTheSameTime) {
  std::latch both_run(2);
  std::atomic<int> done = 0;

  {
    ThreadLane lane;
    for (int piece = 0; piece < 2; ++piece) {
      lane.submit([&] {
        both_run.arrive_and_wait();
        done.fetch_add(1);
      });
    }
  }

  EXPECT_EQ(done.load(), 2);
}

TEST(ThreadLaneTest, WorkMayHoldWhatCanOnlyBeMoved) {
  std::atomic<int> seen = 0;

  {
    ThreadLane lane;
    lane.submit([value = std::make_unique<int>(7), &seen] { seen.store(*value); });
  }

  EXPECT_EQ(seen.load(), 7);
}

TEST(ThreadLaneTest, SubmitsFromManyThreadsAreAllDone) {
  constexpr int kThreads = 4;
  constexpr int kPieces = 2'000;
  std::atomic<int> done = 0;

  {
    ThreadLane lane;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&] {
        for (int piece = 0; piece < kPieces; ++piece) lane.submit([&done] { done.fetch_add(1); });
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  EXPECT_EQ(done.load(), kThreads * kPieces);
}

Task<bool> run_beside_the_loop(Runtime& runtime, int rounds) {
  bool is_always_apart = true;
  for (int round = 0; round < rounds; ++round) {
    bool was_on_loop = true;
    auto work = [&] { was_on_loop = runtime.is_current_thread(); };
    co_await run_on(runtime.lane(), runtime.scheduler(), work);
    is_always_apart = is_always_apart && !was_on_loop && runtime.is_current_thread();
  }
  co_return is_always_apart;
}

TEST(ThreadLaneTest, ATaskWaitsForWorkAndGoesOnWithTheLoop) {
  Runtime runtime;

  const bool is_always_apart =
      run_blocking(runtime.scheduler(), run_beside_the_loop(runtime, 2'000));

  EXPECT_TRUE(is_always_apart);
}

TEST(ThreadLaneDeathTest, WorkSubmittedDuringDestructionStopsTheProcess) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";

  const auto submit_too_late = [] {
    std::latch lane_is_dying(1);
    auto lane = std::make_unique<ThreadLane>();
    ThreadLane* const raw = lane.get();
    // The work spins until the destructor refuses it: only then does submit() stop the process.
    lane->submit([&lane_is_dying, raw] {
      lane_is_dying.wait();
      for (;;) raw->submit([] {});
    });
    lane_is_dying.count_down();
    lane.reset();
  };

  EXPECT_DEATH(submit_too_late(), "a lane that is being destroyed");
}

}  // namespace
}  // namespace forebay::real
