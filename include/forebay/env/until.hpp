// Until: how long somebody waits: until a deadline, or until it is cancelled, whichever comes
// first. A deadline alone converts, so functions that take an Until are called with either.
//
//   co_await pool.acquire(deadline);
//   co_await pool.acquire(Until(deadline, client_gone));
//
// A value to be passed down. The cancellation, if there is one, belongs to the scheduler of the
// task that waits, and outlives the wait.
#pragma once

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
  // The nearer deadline of the two, with its own cancellation, or the other's if it has none.
  Until within(const Until& outer) const;

  // REQUIRES: it is not cancelled yet, and `scheduler` is that of the cancellation.
  void listen(Cancellation::Listener& listener, const Scheduler& scheduler) const;
  void leave(Cancellation::Listener& listener) const {
    if (cancellation_ != nullptr) cancellation_->leave(listener);
  }

 private:
  Instant deadline_;
  Cancellation* cancellation_ = nullptr;
};

}  // namespace forebay
