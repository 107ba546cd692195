#include "forebay/env/real/loop_scheduler.hpp"

#include <chrono>
#include <utility>

#include <time.h>

#include "forebay/base/misuse.hpp"

namespace forebay::real {

LoopScheduler::~LoopScheduler() {
  MutexLock lock(inbox_mutex_);
  FOREBAY_CHECK(ready_.empty() && inbox_.empty(), "a scheduler died before its tasks had run");
  FOREBAY_CHECK(timers_.empty(), "a scheduler died while a task waited for a timer");
}

Instant LoopScheduler::now() const {
  return Instant(std::chrono::steady_clock::now().time_since_epoch());
}

Instant LoopScheduler::recent_now() const {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return Instant(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

void LoopScheduler::post(std::coroutine_handle<> task) {
  if (process_.is_in_child()) stop_for_misuse(kUsedAfterFork);
  if (is_current_thread()) {
    ready_.push_back(task);
    return;
  }
  MutexLock lock(inbox_mutex_);
  inbox_.push_back(task);
  // Under the lock: once the task has run, its owner may destroy this scheduler, and by then this
  // call must not need it any more.
  if (std::exchange(is_asleep_, false)) poller_.wake();
}

void LoopScheduler::arm(Timer& timer, Instant due) {
  FOREBAY_CHECK(is_current_thread());
  timer.due = due;
  timer.order = next_order_++;
  timers_.push(timer);
  if (due < alarm_at_) set_alarm();
}

bool LoopScheduler::disarm(Timer& timer) {
  FOREBAY_CHECK(is_current_thread());
  // The alarm stays: it may ring for nothing, which costs less than moving it for every deadline.
  return timers_.remove(timer);
}

void LoopScheduler::run() {
  FOREBAY_CHECK(current() == nullptr, "a thread runs one scheduler");
  const Running running(*this);
  for (Next what = next(); what != Next::end; what = next()) {
    const bool has_rung = poller_.wait(what == Next::sleep);
    take_inbox();
    // Ready tasks first, as under virtual time: what was posted before a timer fires runs before
    // it.
    run_ready();
    if (has_rung) fire_due();
  }
}

LoopScheduler::Next LoopScheduler::next() {
  if (!ready_.empty()) return Next::turn;
  MutexLock lock(inbox_mutex_);
  if (!inbox_.empty()) return Next::turn;
  if (is_stopping_) return Next::end;
  is_asleep_ = true;
  return Next::sleep;
}

void LoopScheduler::stop() {
  MutexLock lock(inbox_mutex_);
  is_stopping_ = true;
  if (std::exchange(is_asleep_, false)) poller_.wake();
}

bool LoopScheduler::is_current_thread() const { return current() == this; }

void LoopScheduler::take_inbox() {
  {
    MutexLock lock(inbox_mutex_);
    is_asleep_ = false;
    inbox_.swap(taken_);
  }
  ready_.insert(ready_.end(), taken_.begin(), taken_.end());
  taken_.clear();
}

void LoopScheduler::run_ready() {
  for (int count = 0; count < kTurnLimit && !ready_.empty(); ++count) {
    const std::coroutine_handle<> task = ready_.front();
    ready_.pop_front();
    task.resume();
  }
}

void LoopScheduler::fire_due() {
  // While timers fire, new ones leave the alarm alone; it is set once, at the end.
  alarm_at_ = Instant::min();
  const Instant cutoff = now();
  for (int count = 0; count < kTurnLimit; ++count) {
    if (timers_.empty() || timers_.front().due > cutoff) break;
    Timer& timer = timers_.pop();  // one at a time: its action may disarm the next
    timer.action(timer);
  }
  set_alarm();
}

void LoopScheduler::set_alarm() {
  alarm_at_ = timers_.empty() ? kNever : timers_.front().due;
  poller_.set_alarm(alarm_at_);
}

}  // namespace forebay::real
