#include "forebay/env/sim/sim_scheduler.hpp"

#include <algorithm>

#include "forebay/env/sim/timeline.hpp"

namespace forebay::sim {

void SimScheduler::post(std::coroutine_handle<> task) {
  ready_.push_back(task);
  update_timeline();
}

void SimScheduler::arm(Timer& timer, Instant due) {
  timer.due = due;
  timer.order = next_order_++;
  // The counter stays in the low half, so that no two timers tie whatever the seed.
  if (ties_) timer.order |= ties_->next() & 0xffff'ffff'0000'0000u;
  timers_.push(timer);
  update_timeline();
}

void SimScheduler::update_timeline() {
  if (timeline_ != nullptr) timeline_->note(*this);
}

bool SimScheduler::step() {
  const Running running(*this);
  if (!ready_.empty()) {
    const std::coroutine_handle<> task = ready_.front();
    ready_.pop_front();
    task.resume();
  } else if (!timers_.empty()) {
    Timer& timer = timers_.pop();
    *now_ = std::max(*now_, timer.due);
    timer.action(timer);
  } else {
    return false;
  }
  finish_step();
  return true;
}

std::uint64_t SimScheduler::run() {
  const std::uint64_t before = steps_;
  while (step()) {
  }
  return steps_ - before;
}

void SimScheduler::run_until(Instant time) {
  while (!ready_.empty() || (!timers_.empty() && timers_.front().due <= time)) step();
  *now_ = std::max(*now_, time);
}

void SimScheduler::settle() {
  while (!ready_.empty()) step();
}

void SimScheduler::finish_step() {
  ++steps_;
  if (after_step_) after_step_();
}

}  // namespace forebay::sim
