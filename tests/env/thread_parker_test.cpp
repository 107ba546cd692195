// ThreadParker: no wake-up is lost, in either order. Deadlines lie in the past: nothing sleeps.
#include "forebay/detail/env/thread_parker.hpp"

#include <thread>

#include <gtest/gtest.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;

constexpr Instant kLongAgo(1ns);

TEST(ThreadParkerTest, AnUnparkBeforeTheParkIsRemembered) {
  ThreadParker parker;
  parker.unpark();

  const bool is_unparked = parker.park_until(kLongAgo);

  EXPECT_TRUE(is_unparked);
}

TEST(ThreadParkerTest, APassedDeadlineEndsThePark) {
  ThreadParker parker;

  const bool is_unparked = parker.park_until(kLongAgo);

  EXPECT_FALSE(is_unparked);
}

TEST(ThreadParkerTest, ADeadlineBeforeTheEpochHasPassed) {
  ThreadParker parker;

  const bool is_unparked = parker.park_until(Instant::min());

  EXPECT_FALSE(is_unparked);
}

// A parker whose deadline lost the race: the waker is on its way and must be waited for.
TEST(ThreadParkerTest, AfterItsDeadlineTheThreadCanStillWaitForItsWaker) {
  ThreadParker parker;
  int written_by_waker = 0;
  const bool is_unparked = parker.park_until(kLongAgo);

  std::thread waker([&] {
    written_by_waker = 7;
    parker.unpark();
  });
  parker.park();

  EXPECT_FALSE(is_unparked);
  EXPECT_EQ(written_by_waker, 7);
  waker.join();
}

TEST(ThreadParkerTest, ManyHandOversLoseNoWakeUp) {
  constexpr int kRounds = 20'000;
  std::vector<ThreadParker> there(kRounds);
  std::vector<ThreadParker> back(kRounds);

  std::thread other([&] {
    for (std::size_t round = 0; round < kRounds; ++round) {
      there[round].park();
      back[round].unpark();
    }
  });
  for (std::size_t round = 0; round < kRounds; ++round) {
    there[round].unpark();
    back[round].park();
  }

  other.join();
  SUCCEED();
}

}  // namespace
}  // namespace forebay
