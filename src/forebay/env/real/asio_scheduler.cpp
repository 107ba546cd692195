#include "forebay/env/real/asio_scheduler.hpp"

#include <chrono>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <time.h>

#include "forebay/base/misuse.hpp"

namespace forebay::real {

AsioScheduler::~AsioScheduler() {
  MutexLock lock(inbox_mutex_);
  FOREBAY_CHECK(ready_.empty() && inbox_.empty(), "a scheduler died before its tasks had run");
  FOREBAY_CHECK(timers_.empty(), "a scheduler died while a task waited for a timer");
}

Instant AsioScheduler::now() const {
  return Instant(std::chrono::steady_clock::now().time_since_epoch());
}

Instant AsioScheduler::recent_now() const {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return Instant(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

void AsioScheduler::post(std::coroutine_handle<> task) {
  if (process_.is_in_child()) stop_for_misuse(kUsedAfterFork);
  if (is_current_thread()) {
    ready_.push_back(task);
    request_turn();
    return;
  }
  MutexLock lock(inbox_mutex_);
  inbox_.push_back(task);
  // The one that finds the inbox empty calls for a turn, and does so under the lock: once the task
  // has run, its owner may destroy this scheduler, and by then this call must not need it any more.
  if (inbox_.size() == 1) boost::asio::post(context_, [this] { run_turn(); });
}

void AsioScheduler::arm(Timer& timer, Instant due) {
  FOREBAY_CHECK(is_current_thread());
  timer.due = due;
  timer.order = next_order_++;
  timers_.push(timer);
  if (due < alarm_at_) set_alarm();
}

bool AsioScheduler::disarm(Timer& timer) {
  FOREBAY_CHECK(is_current_thread());
  // The alarm stays: it may ring for nothing, which costs less than moving it for every deadline.
  return timers_.remove(timer);
}

void AsioScheduler::run() {
  FOREBAY_CHECK(current() == nullptr, "a thread runs one scheduler");
  const Running running(*this);
  const auto work = boost::asio::make_work_guard(context_);
  context_.run();
}

void AsioScheduler::stop() {
  boost::asio::post(context_, [this] {
    is_stopping_ = true;
    run_turn();
  });
}

bool AsioScheduler::is_current_thread() const { return current() == this; }

void AsioScheduler::run_turn() {
  take_inbox();
  run_ready();
  finish_turn();
}

void AsioScheduler::run_alarm() {
  // While timers fire, new ones leave the alarm alone; it is set once, at the end.
  alarm_at_ = Instant::min();
  // Ready tasks first, as under virtual time: what was posted before a timer fires runs before it.
  run_ready();
  fire_due();
  set_alarm();
  finish_turn();
}

void AsioScheduler::take_inbox() {
  {
    MutexLock lock(inbox_mutex_);
    inbox_.swap(taken_);
  }
  ready_.insert(ready_.end(), taken_.begin(), taken_.end());
  taken_.clear();
}

void AsioScheduler::run_ready() {
  is_in_turn_ = true;
  for (int count = 0; count < kTurnLimit && !ready_.empty(); ++count) {
    const std::coroutine_handle<> task = ready_.front();
    ready_.pop_front();
    task.resume();
  }
  is_in_turn_ = false;
}

void AsioScheduler::fire_due() {
  is_in_turn_ = true;
  const Instant cutoff = now();
  for (int count = 0; count < kTurnLimit; ++count) {
    if (timers_.empty() || timers_.front().due > cutoff) break;
    Timer& timer = timers_.pop();  // one at a time: its action may disarm the next
    timer.action(timer);
  }
  is_in_turn_ = false;
}

void AsioScheduler::finish_turn() {
  // The wake-up of a late post would be lost with the context's queue.
  if (is_stopping_ && ready_.empty()) take_inbox();
  if (!ready_.empty()) {
    request_turn();
  } else if (is_stopping_) {
    context_.stop();
  }
}

void AsioScheduler::request_turn() {
  if (is_in_turn_ || is_turn_requested_) return;
  is_turn_requested_ = true;
  boost::asio::post(context_, [this] {
    is_turn_requested_ = false;
    run_turn();
  });
}

void AsioScheduler::set_alarm() {
  alarm_at_ = timers_.empty() ? kNever : timers_.front().due;
  if (alarm_at_ == kNever) return;
  // Setting the time cancels the wait for the earlier one. If that had rung already, its handler
  // still runs; it finds nothing due and sets the alarm again.
  alarm_.expires_at(std::chrono::steady_clock::time_point(alarm_at_.time_since_epoch()));
  alarm_.async_wait([this](const boost::system::error_code& error) {
    if (!error) run_alarm();
  });
}

}  // namespace forebay::real
