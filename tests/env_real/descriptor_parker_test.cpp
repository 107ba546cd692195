// Threads that sleep until a descriptor can be read that another thread names. Run under
// ThreadSanitizer.
#include "forebay/env/descriptor_parker.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <latch>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "forebay/env/real/loop_scheduler.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;

class DescriptorParkerTest : public testing::Test {
 protected:
  DescriptorParkerTest() { EXPECT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0); }
  ~DescriptorParkerTest() override {
    for (const int end : pipe) ::close(end);
  }
  int reader() const { return pipe[0]; }
  void write() { EXPECT_EQ(::write(pipe[1], "x", 1), 1); }
  Instant in(Duration time) const { return clock.now() + time; }
  bool sleep(Duration time) { return parker.sleep_until(clock, in(time)); }

  std::array<int, 2> pipe{};
  real::LoopScheduler clock;
  DescriptorParker& parker = *DescriptorParker::of_this_thread();
};

TEST_F(DescriptorParkerTest, ASleepEndsWhenTheDescriptorCanBeRead) {
  std::thread other([this] {
    parker.end(reader());
    write();
  });
  EXPECT_TRUE(sleep(60s));
  other.join();

  EXPECT_FALSE(sleep(2ms)) << "it can still be read, and is watched no more";
}

TEST_F(DescriptorParkerTest, ASleepEndsWhenItIsToldTo) {
  for (int round = 0; round < 3; ++round) {
    std::thread other([this] { parker.end(-1); });
    EXPECT_TRUE(sleep(60s));
    other.join();
  }
  EXPECT_FALSE(sleep(2ms));
}

// The system watches no files, nor what is closed.
TEST_F(DescriptorParkerTest, ADescriptorThatCannotBeWatchedEndsItAtOnce) {
  parker.end(1'000'000);
  EXPECT_TRUE(sleep(60s));
  EXPECT_FALSE(sleep(2ms));
}

TEST_F(DescriptorParkerTest, ASleepLastsUntilItsDeadlineAndNotMuchLonger) {
  for (const Duration time : {Duration(0), Duration(300us), Duration(1500us), Duration(30ms)}) {
    const Instant deadline = in(time);
    EXPECT_FALSE(parker.sleep_until(clock, deadline));
    EXPECT_GE(clock.now(), deadline);
  }
}

TEST_F(DescriptorParkerTest, AnEndThatComesAfterTheDeadlineIsTaken) {
  for (const int descriptor : {reader(), -1, 1'000'000}) {
    EXPECT_FALSE(sleep(1ms));
    EXPECT_FALSE(parker.take_end(descriptor));
    parker.end(descriptor);
    EXPECT_TRUE(parker.take_end(descriptor));
    EXPECT_FALSE(parker.take_end(descriptor));
    EXPECT_FALSE(sleep(1ms));
  }
}

TEST_F(DescriptorParkerTest, EachThreadHasItsOwnAndSomeHaveNone) {
  constexpr int kThreads = DescriptorParker::kMost + 10;
  std::atomic<int> with = 0;
  std::latch all(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      DescriptorParker* const own = DescriptorParker::of_this_thread();
      EXPECT_EQ(own, DescriptorParker::of_this_thread());
      EXPECT_NE(own, &parker);
      if (own != nullptr) ++with;
      all.arrive_and_wait();
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(with, DescriptorParker::kMost - 1) << "this thread has one";
  DescriptorParker* latest = nullptr;
  for (int i = 0; i < 3; ++i) {
    DescriptorParker* const before = latest;
    std::thread([&] { latest = DescriptorParker::of_this_thread(); }).join();
    EXPECT_NE(latest, nullptr);
    EXPECT_TRUE(before == nullptr || latest == before) << "what one leaves is the next one's";
  }
}

TEST_F(DescriptorParkerTest, AChildAfterForkDoesNotMeddleWithItsParent) {
  const pid_t child = ::fork();
  if (child == 0) {
    DescriptorParker& own = *DescriptorParker::of_this_thread();
    own.end(-1);
    ::_exit(own.sleep_until(clock, in(60s)) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(sleep(2ms));
}

}  // namespace
}  // namespace forebay::test
