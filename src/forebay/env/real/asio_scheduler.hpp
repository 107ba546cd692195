// AsioScheduler: real time. One io_context, run by one thread, with one steady_timer as the alarm
// for the earliest timer.
//
// post(), now(), recent_now(), stop() and is_current_thread() may be called from any thread, the
// rest only by what runs on the loop. Posts of one thread run in the order of the calls. A turn is
// bounded, so a burst of ready tasks or due timers never starves the descriptors that share the
// loop. Not installed: it is the one scheduler header that knows Asio.
#pragma once

#include <deque>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "forebay/base/fork_mark.hpp"
#include "forebay/detail/base/mutex.hpp"
#include "forebay/env/scheduler.hpp"
#include "forebay/env/timer_heap.hpp"

namespace forebay::real {

class AsioScheduler final : public Scheduler {
 public:
  explicit AsioScheduler(boost::asio::io_context& context) : context_(context), alarm_(context) {}
  AsioScheduler(const AsioScheduler&) = delete;
  AsioScheduler& operator=(const AsioScheduler&) = delete;
  // REQUIRES: run() has returned, and no task is ready or waits for a timer.
  ~AsioScheduler() override;

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

  void run_turn();
  void run_alarm();
  void take_inbox() FOREBAY_EXCLUDES(inbox_mutex_);
  void run_ready();
  void fire_due();
  void finish_turn();
  void request_turn();
  void set_alarm();

  boost::asio::io_context& context_;
  const ForkMark process_;

  // For the loop's thread only.
  boost::asio::steady_timer alarm_;
  Instant alarm_at_ = kNever;  // when alarm_ rings, if before kNever
  TimerHeap timers_;
  std::uint64_t next_order_ = 0;
  std::deque<std::coroutine_handle<>> ready_;
  std::vector<std::coroutine_handle<>> taken_;  // what the inbox is swapped with; keeps its memory
  bool is_in_turn_ = false;                     // the turn itself will see what is posted now
  bool is_turn_requested_ = false;
  bool is_stopping_ = false;

  Mutex inbox_mutex_;
  std::vector<std::coroutine_handle<>> inbox_
      FOREBAY_GUARDED_BY(inbox_mutex_);  // from other threads
};

}  // namespace forebay::real
