// LoopScheduler: real time. One thread runs what is ready, and sleeps in its Poller when nothing
// is.
//
// post(), now(), recent_now(), stop() and is_current_thread() may be called from any thread, the
// rest only by what runs on the loop. Posts of one thread run in the order of the calls. A turn is
// bounded, so a burst of ready tasks or due timers never starves the descriptors that share the
// loop.
#pragma once

#include <deque>
#include <vector>

#include "forebay/base/fork_mark.hpp"
#include "forebay/detail/base/mutex.hpp"
#include "forebay/env/real/poller.hpp"
#include "forebay/env/scheduler.hpp"
#include "forebay/env/timer_heap.hpp"

namespace forebay::real {

class LoopScheduler final : public Scheduler {
 public:
  LoopScheduler() = default;
  LoopScheduler(const LoopScheduler&) = delete;
  LoopScheduler& operator=(const LoopScheduler&) = delete;
  // REQUIRES: run() has returned, and no task is ready or waits for a timer.
  ~LoopScheduler() override;

  // What tells this loop of descriptors. If it has trouble, the loop must not run.
  Poller& poller() { return poller_; }

  Instant now() const override;
  Instant recent_now() const override;
  void post(std::coroutine_handle<> task) override;
  void arm(Timer& timer, Instant due) override;
  bool disarm(Timer& timer) override;

  // Makes the calling thread the scheduler's thread until stop(). Called once.
  void run();
  // Lets run() return as soon as nothing is ready. Tasks that wait are not told.
  void stop();
  bool is_current_thread() const override;

 private:
  // Tasks, and timers, per turn. Large enough that a turn's overhead vanishes in its tasks, small
  // enough that a ready descriptor waits for microseconds.
  static constexpr int kTurnLimit = 64;

  enum class Next : std::uint8_t { turn, sleep, end };
  Next next() FOREBAY_EXCLUDES(inbox_mutex_);
  void take_inbox() FOREBAY_EXCLUDES(inbox_mutex_);
  void run_ready();
  void fire_due();
  void set_alarm();

  const ForkMark process_;
  Poller poller_;

  // For the loop's thread only.
  Instant alarm_at_ = kNever;  // when the alarm rings, if before kNever
  TimerHeap timers_;
  std::uint64_t next_order_ = 0;
  std::deque<std::coroutine_handle<>> ready_;
  std::vector<std::coroutine_handle<>> taken_;  // what the inbox is swapped with; keeps its memory

  Mutex inbox_mutex_;
  std::vector<std::coroutine_handle<>> inbox_
      FOREBAY_GUARDED_BY(inbox_mutex_);                      // from other threads
  bool is_asleep_ FOREBAY_GUARDED_BY(inbox_mutex_) = false;  // or about to be: a post wakes it
  bool is_stopping_ FOREBAY_GUARDED_BY(inbox_mutex_) = false;
};

}  // namespace forebay::real
