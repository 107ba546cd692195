#include "forebay/env/cancellation.hpp"

#include "forebay/env/until.hpp"

namespace forebay {

void Cancellation::cancel() {
  is_cancelled_ = true;
  while (Listener* listener = listeners_.pop_front()) listener->action(*listener);
}

void Cancellation::listen(Listener& listener) {
  FOREBAY_CHECK(!is_cancelled_, "nobody would ever tell");
  listeners_.push_back(listener);
}

void Cancellation::Wait::await_suspend(std::coroutine_handle<> task) {
  task_ = task;
  cancellation_.listen(*this);
  if (deadline_ != kNever) cancellation_.scheduler_.arm(*this, deadline_);
}

void Cancellation::Wait::expire(Timer& timer) {
  Wait& self = static_cast<Wait&>(timer);
  self.cancellation_.leave(self);
  self.task_.resume();
}

void Cancellation::Wait::on_cancel(Listener& listener) {
  Wait& self = static_cast<Wait&>(listener);
  self.cancellation_.scheduler_.disarm(self);
  self.cancellation_.scheduler_.post(self.task_);
}

Until Until::within(const Until& outer) const {
  Until both = *this;
  if (outer.deadline_ < both.deadline_) both.deadline_ = outer.deadline_;
  if (both.cancellation_ == nullptr) both.cancellation_ = outer.cancellation_;
  if (both.trace_context_.empty()) both.trace_context_ = outer.trace_context_;
  return both;
}

void Until::listen(Cancellation::Listener& listener, const Scheduler& scheduler) const {
  if (cancellation_ == nullptr) return;
  FOREBAY_CHECK(&cancellation_->scheduler() == &scheduler,
                "a cancellation is for tasks of its own scheduler");
  cancellation_->listen(listener);
}

}  // namespace forebay
