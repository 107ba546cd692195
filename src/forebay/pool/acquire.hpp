// Acquire: what `co_await pool.acquire(deadline)` awaits.
//
// When a connection is ready it does not suspend, allocate or call the system. Otherwise it
// stands in line with a timer; the hand-off and the deadline meet under the exchange's lock, so
// one of them wins.
#pragma once

#include "forebay/base/error.hpp"
#include "forebay/core/waiter_queue.hpp"
#include "forebay/env/scheduler.hpp"
#include "forebay/pool/pooled_connection.hpp"

namespace forebay {

// What whoever acquires in a child after fork() is told.
Error used_after_fork();

// Why a caller got nothing, in words and numbers. An Error with a ConnectionLimit: a budget that
// the pool shares had no room.
Error explain_no_connection(const Exchange& exchange, const Waiter& waiter, Duration waited);

class [[nodiscard]] Acquire : private Waiter, private Timer {
 public:
  // To be awaited by a task of the scheduler.
  Acquire(Exchange& exchange, Scheduler& scheduler, Instant until, std::source_location caller);

  bool await_ready();
  bool await_suspend(std::coroutine_handle<> task);
  Result<PooledConnection> await_resume();

 private:
  static void hand_over(Waiter& waiter);
  static void expire(Timer& timer);

  Exchange& exchange_;
  Scheduler& scheduler_;
  std::coroutine_handle<> task_{};
};

// The same for a caller who has a thread of its own and has just found nothing ready. On the
// scheduler's own thread it is Errc::invalid.
Result<PooledConnection> wait_blocking(Exchange& exchange, Duration timeout,
                                       const std::source_location& from);

}  // namespace forebay
