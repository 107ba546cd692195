// Until: how long somebody waits: until a deadline, or until it is cancelled, whichever comes
// first. A deadline alone converts, so functions that take an Until are called with either.
//
//   co_await pool.acquire(deadline);
//   co_await pool.acquire(Until(deadline, client_gone));
//
// It may carry the trace context in whose name somebody waits, for observers.
//
// A value to be passed down. The cancellation, if there is one, belongs to the scheduler of the
// task that waits, and outlives the wait.
#pragma once

#include <string_view>

#include "forebay/env/cancellation.hpp"

namespace forebay {

class Until {
 public:
  Until(Instant deadline) : deadline_(deadline) {}  // NOLINT(google-explicit-constructor)
  Until(Instant deadline, Cancellation& cancellation)
      : deadline_(deadline), cancellation_(&cancellation) {}

  Instant deadline() const { return deadline_; }
  Cancellation* cancellation() const { return cancellation_; }  // null: there is none
  bool is_cancelled() const { return cancellation_ != nullptr && cancellation_->is_cancelled(); }
  // The same with a trace context, which outlives the wait.
  Until traced(std::string_view context) const {
    Until traced = *this;
    traced.trace_context_ = context;
    return traced;
  }
  std::string_view trace_context() const { return trace_context_; }  // empty: there is none
  // The nearer deadline of the two, with its own cancellation and trace context, or the other's
  // where it has none.
  Until within(const Until& outer) const;

  // REQUIRES: it is not cancelled yet, and `scheduler` is that of the cancellation.
  void listen(Cancellation::Listener& listener, const Scheduler& scheduler) const;
  void leave(Cancellation::Listener& listener) const {
    if (cancellation_ != nullptr) cancellation_->leave(listener);
  }

 private:
  Instant deadline_;
  Cancellation* cancellation_ = nullptr;
  std::string_view trace_context_;
};

}  // namespace forebay
