// Acquire: what `co_await pool.acquire(deadline)` awaits.
//
// When a connection is ready it does not suspend, allocate or call the system. Otherwise it
// stands in line with a timer, and listens to its cancellation; the hand-off, the deadline and the
// cancellation meet under the exchange's lock, so one of them wins.
//
// A caller that was cancelled gets no connection, even if one was handed over in the same moment:
// that one goes to the next in line.
#pragma once

#include <coroutine>
#include <source_location>

#include "forebay/base/error.hpp"
#include "forebay/detail/core/waiter.hpp"
#include "forebay/env/until.hpp"
#include "forebay/pool/pooled_connection.hpp"

namespace forebay {

class [[nodiscard]] Acquire : private Waiter, private Timer, private Cancellation::Listener {
 public:
  // To be awaited by a task of the scheduler.
  Acquire(Exchange& exchange, Scheduler& scheduler, Until until, std::source_location caller);

  bool await_ready();
  bool await_suspend(std::coroutine_handle<> task);
  Result<PooledConnection> await_resume();

 private:
  static void hand_over(Waiter& waiter);
  static void expire(Timer& timer);
  static void on_cancel(Listener& listener);

  Exchange& exchange_;
  Scheduler& scheduler_;
  const Until until_;
  std::coroutine_handle<> task_{};
};

}  // namespace forebay
