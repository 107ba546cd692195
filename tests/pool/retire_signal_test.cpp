// RetireSignal: every pool that has joined is told, and none of them under the signal's own lock.
#include "forebay/pool/retire_signal.hpp"

#include <future>

#include <gtest/gtest.h>

#include "forebay/detail/env/detached.hpp"
#include "forebay/pool/exchange.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;

// A scheduler that does something of the test's whenever a task is woken through it.
class WatchedScheduler final : public Scheduler {
 public:
  Instant now() const override { return Instant(1h); }
  Instant recent_now() const override { return now(); }
  bool is_current_thread() const override { return true; }
  void post(std::coroutine_handle<> task) override {
    ready = task;
    if (on_post) on_post();
  }
  void arm(Timer&, Instant) override {}
  bool disarm(Timer&) override { return false; }
  void run_one() { std::exchange(ready, {}).resume(); }

  std::function<void()> on_post;
  std::coroutine_handle<> ready;
};

Task<void> wait_for_attention(Exchange& exchange, int& wakes) {
  co_await exchange.attention().wait_until(kNever);
  ++wakes;
}

class ClosedExchange : public Exchange {  // it has nothing that would have to be closed first
 public:
  explicit ClosedExchange(Scheduler& scheduler) : Exchange(PoolRules(), nullptr, scheduler) {}
  ~ClosedExchange() { close(DiscardReason::closed); }
};

TEST(RetireSignalTest, EveryPoolIsToldUntilItHasLeft) {
  WatchedScheduler scheduler;
  RetireSignal signal(10s);
  ClosedExchange stays(scheduler);
  ClosedExchange leaves(scheduler);
  signal.join(stays);
  signal.join(leaves);
  signal.leave(leaves);

  int wakes = 0;
  int wakes_of_who_left = 0;
  start_detached(scheduler, wait_for_attention(stays, wakes));
  scheduler.run_one();
  start_detached(scheduler, wait_for_attention(leaves, wakes_of_who_left));
  scheduler.run_one();
  signal.raise(DiscardReason::lease_lost);
  scheduler.run_one();

  EXPECT_EQ(wakes, 1);
  EXPECT_EQ(wakes_of_who_left, 0);
  signal.leave(stays);
  leaves.attention().notify();
  scheduler.run_one();
}

// A wake-up may run code of anybody. Under the lock it would keep others from joining and leaving.
TEST(RetireSignalTest, NobodyIsWokenUnderItsLock) {
  WatchedScheduler scheduler;
  RetireSignal signal(10s);
  ClosedExchange told(scheduler);
  ClosedExchange other(scheduler);
  signal.join(told);
  int wakes = 0;
  start_detached(scheduler, wait_for_attention(told, wakes));
  scheduler.run_one();
  std::future<void> joined;
  bool is_joined_at_once = false;
  scheduler.on_post = [&] {
    joined = std::async(std::launch::async, [&] { signal.join(other); });
    is_joined_at_once = joined.wait_for(10s) == std::future_status::ready;
  };

  signal.raise(DiscardReason::lease_lost);

  EXPECT_TRUE(is_joined_at_once);
  joined.wait();
  scheduler.on_post = {};
  scheduler.run_one();
  EXPECT_EQ(wakes, 1);
  signal.leave(told);
  signal.leave(other);
}

}  // namespace
}  // namespace forebay
