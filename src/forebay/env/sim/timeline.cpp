#include "forebay/env/sim/timeline.hpp"

#include <algorithm>

namespace forebay::sim {

Timeline::~Timeline() { FOREBAY_CHECK(turns_.empty(), "a timeline died before its schedulers"); }

void Timeline::join(SimScheduler& scheduler) {
  FOREBAY_CHECK(scheduler.timeline_ == nullptr && scheduler.now() <= now_);
  scheduler.timeline_ = this;
  scheduler.now_ = &now_;
  scheduler.turn_at_ = scheduler.next_step();
  scheduler.turn_order_ = next_order_++;
  turns_.push(scheduler);
}

void Timeline::leave(SimScheduler& scheduler) {
  FOREBAY_CHECK(scheduler.timeline_ == this);
  turns_.remove(scheduler);
  scheduler.is_frozen_ = false;
  scheduler.own_now_ = now_;
  scheduler.now_ = &scheduler.own_now_;
  scheduler.timeline_ = nullptr;
}

void Timeline::set_frozen(SimScheduler& scheduler, bool is_frozen) {
  FOREBAY_CHECK(scheduler.timeline_ == this);
  scheduler.is_frozen_ = is_frozen;
  note(scheduler);
}

SimScheduler* Timeline::step_until(Instant time) {
  if (next_step() > time) {
    now_ = std::max(now_, time);
    return nullptr;
  }
  SimScheduler& next = turns_.front();
  running_ = &next;
  next.step();
  running_ = nullptr;
  if (next.timeline_ == this) reschedule(next);
  return &next;
}

// The one that is running is looked at when its step is done.
void Timeline::note(SimScheduler& scheduler) {
  if (&scheduler != running_) reschedule(scheduler);
}

void Timeline::reschedule(SimScheduler& scheduler) {
  const Instant turn_at = scheduler.is_frozen_ ? kNever : scheduler.next_step();
  if (turn_at == scheduler.turn_at_) return;
  scheduler.turn_at_ = turn_at;
  // The order of joining stays in the low half, so that no two of them tie whatever the seed.
  if (ties_) {
    scheduler.turn_order_ =
        (scheduler.turn_order_ & 0xffff'ffffu) | (ties_->next() & 0xffff'ffff'0000'0000u);
  }
  turns_.update(scheduler);
}

}  // namespace forebay::sim
