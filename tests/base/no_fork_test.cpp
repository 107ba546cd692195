#include "forebay/base/no_fork.hpp"

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace forebay {
namespace {

// The child's verdict: 0 if it is well.
int fork_and_wait(int (*child)()) {
  const pid_t process = ::fork();
  if (process == 0) ::_exit(child());
  int status = -1;
  ::waitpid(process, &status, 0);
  return status;
}

int hold_in_child() {
  const NoFork held;
  return 0;
}

TEST(NoForkTest, AForkWaitsForAllWhoHoldIt) {
  std::promise<void> is_held;
  std::promise<void> may_go;
  std::atomic<bool> is_gone = false;
  std::thread holder([&] {
    const NoFork outer;
    const NoFork inner;
    is_held.set_value();
    may_go.get_future().wait();
    is_gone = true;
  });
  is_held.get_future().wait();
  std::atomic<bool> has_forked = false;
  bool was_gone = false;
  int status = -1;
  std::thread forker([&] {
    status = fork_and_wait([] { return hold_in_child(); });
    was_gone = is_gone;
    has_forked = true;
  });
  // Either order of the two is right; only a fork that does not wait fails this.
  for (int i = 0; i < 20'000 && !has_forked; ++i) std::this_thread::yield();
  may_go.set_value();
  holder.join();
  forker.join();

  EXPECT_TRUE(was_gone);
  EXPECT_EQ(status, 0);
}

TEST(NoForkTest, TheOneThatHoldsItMayForkItself) {
  const NoFork held;

  EXPECT_EQ(fork_and_wait([] { return hold_in_child(); }), 0);
}

TEST(NoForkTest, ThreadsThatComeAndGoAndForksGetAlong) {
  std::atomic<bool> is_over = false;
  std::atomic<int> turns = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!is_over) {
        const NoFork held;
        ++turns;
      }
    });
  }
  int failures = 0;
  for (int i = 0; i < 50; ++i) {
    const int before = turns;
    failures += fork_and_wait([] { return hold_in_child(); }) == 0 ? 0 : 1;
    while (turns == before) std::this_thread::yield();
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace forebay
