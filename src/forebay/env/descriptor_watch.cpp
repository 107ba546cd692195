#include "forebay/env/descriptor_watch.hpp"

#include <string>
#include <system_error>

namespace forebay {

bool DescriptorWait::await_suspend(std::coroutine_handle<> task) {
  task_ = task;
  Scheduler& scheduler = watched_->scheduler();
  if (until_.is_cancelled()) {
    ending_ = DescriptorEnding::cancelled;
  } else if (scheduler.has_passed(until_.deadline())) {
    ending_ = DescriptorEnding::timed_out;
  } else if (system_error_ = watched_->begin(*this); system_error_ != 0) {
    ending_ = DescriptorEnding::broken;
  } else {
    until_.listen(*this, scheduler);
    return true;
  }
  return false;
}

Result<void> DescriptorWait::await_resume() {
  until_.leave(*this);
  switch (ending_) {
    case DescriptorEnding::ready: return {};
    case DescriptorEnding::timed_out:
      return failure(Errc::timed_out, "the descriptor was not ready in time");
    case DescriptorEnding::cancelled:
      return failure(Errc::cancelled, "the wait for the descriptor was cancelled");
    case DescriptorEnding::closed:
      return failure(Errc::closed, "the wait for the descriptor was ended");
    case DescriptorEnding::broken: break;
  }
  return failure(Errc::connection_lost,
                 "cannot watch a descriptor: " + std::generic_category().message(system_error_));
}

// It may have ended already, and another wait may have begun, before this task runs again.
void DescriptorWait::on_cancel(Listener& listener) {
  WatchedDescriptor* const watched = static_cast<DescriptorWait&>(listener).watched_;
  if (watched != nullptr) watched->end(DescriptorEnding::cancelled);
}

}  // namespace forebay
