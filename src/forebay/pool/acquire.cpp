#include "forebay/pool/acquire.hpp"

#include <fmt/format.h>

#include "forebay/base/readable_time.hpp"
#include "forebay/detail/base/check.hpp"
#include "forebay/detail/env/thread_parker.hpp"
#include "forebay/env/descriptor_parker.hpp"
#include "forebay/pool/acquire_blocking.hpp"
#include "forebay/pool/errand.hpp"
#include "forebay/pool/exchange.hpp"

namespace forebay {
namespace {

struct ThreadWaiter : Waiter {
  ThreadWaiter(Instant arrival, Instant wait_deadline, const std::source_location& caller)
      : Waiter(&unpark, arrival, wait_deadline, caller) {}
  static void unpark(Waiter& waiter) { static_cast<ThreadWaiter&>(waiter).parker.unpark(); }
  ThreadParker parker;
};

PooledConnection take_from(Exchange& exchange, const Waiter& waiter, Holder holder) {
  return PooledConnection(exchange, static_cast<ConnectionSlot&>(*waiter.slot), holder);
}

// The next attempt may be under way.
Error refused(const Error& refusal, Duration retry_in) {
  std::string text = "every connect is refused, and waiting does not mend it: " + refusal.text();
  if (retry_in > Duration::zero())
    text += fmt::format("; the next attempt comes in {}", readable_time(retry_in));
  return refusal.with_text(std::move(text));
}

}  // namespace

Error used_after_fork() { return Error(Errc::closed, kUsedAfterFork); }

Error explain_no_connection(const Exchange& exchange, const Waiter& waiter, Duration waited) {
  if (exchange.is_in_child()) return used_after_fork();
  if (waiter.outcome == WaitOutcome::closed) {
    return Error(
        Errc::closed,
        "the pool is closed and serves nobody any more; open another one, or acquire before "
        "close()");
  }
  if (waiter.outcome == WaitOutcome::cancelled) {
    return Error(Errc::cancelled,
                 fmt::format("cancelled after {} in line for a connection", readable_time(waited)));
  }
  const Shortage shortage = exchange.shortage();
  const PoolGauges& gauges = shortage.gauges;
  if (shortage.refusal) return refused(*shortage.refusal, shortage.retry_in);
  std::string text =
      fmt::format("no connection within {}; {}", readable_time(waited), describe(gauges));
  if (shortage.longest) text += fmt::format("; lent for longest: {}", describe(*shortage.longest));
  if (gauges.held > 0) {
    text += fmt::format("; {} {} held by sessions that the server has not let go of", gauges.held,
                        gauges.held == 1 ? "place is" : "places are");
  }
  if (!shortage.last_connect_error.empty()) {
    text += fmt::format("; last connect failure: {}", shortage.last_connect_error);
  }
  const bool has_lacked_room = waiter.has_lacked_room || gauges.lacks_room;
  if (!has_lacked_room) return Error(Errc::timed_out, std::move(text));
  ConnectionLimit limit;
  limit.in_use = exchange.budget()->in_use();
  limit.max = exchange.budget()->max();
  text = fmt::format("connection limit reached: {}/{} connections in use; {}", limit.in_use,
                     limit.max, text);
  return Error(std::move(limit), std::move(text));
}

Acquire::Acquire(Exchange& exchange, Scheduler& scheduler, Until until, std::source_location caller)
    : Waiter(&hand_over, Instant{}, until.deadline(), caller),
      Timer(&expire),
      Listener(&on_cancel),
      exchange_(exchange),
      scheduler_(scheduler),
      until_(until) {
  home = exchange.home_of(&scheduler);
}

bool Acquire::await_ready() {
  if (exchange_.is_in_child()) {
    outcome = WaitOutcome::closed;
    return true;
  }
  if (until_.is_cancelled()) return true;
  slot = exchange_.try_take(from, home);
  if (slot == nullptr) return false;
  outcome = WaitOutcome::granted;
  return true;
}

bool Acquire::await_suspend(std::coroutine_handle<> task) {
  task_ = task;
  since = scheduler_.now();
  if (deadline <= since) {
    exchange_.note_unserved();
    outcome = exchange_.is_closed() ? WaitOutcome::closed : WaitOutcome::timed_out;
    return false;
  }
  // From here on another thread may post the task. It cannot run before we return: this
  // is its thread.
  if (!exchange_.take_or_wait(*this)) return false;
  if (deadline != kNever) scheduler_.arm(*this, deadline);
  until_.listen(*this, scheduler_);
  return true;
}

Result<PooledConnection> Acquire::await_resume() {
  if (task_) {
    scheduler_.disarm(*this);
    until_.leave(*this);
  }
  if (outcome == WaitOutcome::granted) {
    PooledConnection taken = take_from(exchange_, *this, Holder::loop);
    if (!until_.is_cancelled()) return taken;  // otherwise it goes back
  }
  if (until_.is_cancelled()) outcome = WaitOutcome::cancelled;
  return failure(
      explain_no_connection(exchange_, *this, task_ ? scheduler_.now() - since : Duration{}));
}

void Acquire::hand_over(Waiter& waiter) {
  Acquire& self = static_cast<Acquire&>(waiter);
  self.scheduler_.post(self.task_);
}

void Acquire::expire(Timer& timer) {
  Acquire& self = static_cast<Acquire&>(timer);
  // If it has been resolved already, the task is posted and takes what it got.
  if (self.exchange_.time_out(self)) self.task_.resume();
}

void Acquire::on_cancel(Listener& listener) {
  Acquire& self = static_cast<Acquire&>(listener);
  // If it has been resolved already, the task is posted, and gives back what it got.
  if (!self.exchange_.cancel(self)) return;
  self.scheduler_.disarm(self);
  self.scheduler_.post(self.task_);
}

namespace {

Error on_loop(const std::source_location& from) {
  return Error(Errc::invalid,
               fmt::format("a blocking acquire at {} on the runtime's own thread, which must "
                           "never wait; co_await acquire() there",
                           place_text(from)));
}

// At once: a thread that looked again for a while without standing in line would be overtaken by
// callers who come later, for as long as the machine does not let it look. True: it stands there.
bool stand_in_line(Exchange& exchange, Waiter& waiter) {
  if (waiter.deadline > waiter.since) return exchange.take_or_wait(waiter);
  exchange.note_unserved();
  waiter.outcome = exchange.is_closed() ? WaitOutcome::closed : WaitOutcome::timed_out;
  return false;
}

// What a thread has when it waits no more.
Result<PooledConnection> outcome_of(Exchange& exchange, const Waiter& waiter) {
  if (waiter.outcome == WaitOutcome::granted) return take_from(exchange, waiter, Holder::thread);
  const bool has_waited = waiter.deadline > waiter.since;
  return failure(explain_no_connection(
      exchange, waiter, has_waited ? exchange.scheduler().now() - waiter.since : Duration{}));
}

}  // namespace

Result<PooledConnection> wait_blocking(Exchange& exchange, Duration timeout,
                                       const std::source_location& from) {
  Scheduler& scheduler = exchange.scheduler();
  if (is_on_loop(scheduler)) return failure(on_loop(from));
  const Instant since = scheduler.now();
  ThreadWaiter waiter(since, deadline_after(since, timeout), from);
  if (stand_in_line(exchange, waiter) && !waiter.parker.park_until(waiter.deadline) &&
      !exchange.time_out(waiter)) {
    waiter.parker.park();  // resolved at the last moment: its wake-up must still find us
  }
  return outcome_of(exchange, waiter);
}

Result<PooledConnection> wait_for_errand(Exchange& exchange, Errand& errand) {
  Scheduler& scheduler = exchange.scheduler();
  if (is_on_loop(scheduler)) return failure(on_loop(errand.from));
  errand.since = scheduler.now();
  errand.sleeper_ = DescriptorParker::of_this_thread();
  if (errand.sleeper_ == nullptr)
    return wait_blocking(exchange, errand.deadline - errand.since, errand.from);
  if (stand_in_line(exchange, errand)) errand.sleep(exchange);
  return outcome_of(exchange, errand);
}

void Errand::sleep(Exchange& exchange) {
  if (sleeper_->sleep_until(exchange.scheduler(), deadline)) {
    FOREBAY_CHECK(is_begun_.load(std::memory_order_acquire), "a thread in line woke by itself");
    return;
  }
  if (exchange.time_out(*this)) return;
  // Resolved at the last moment: whoever did that is not through yet.
  while (!is_begun_.load(std::memory_order_acquire) || !sleeper_->take_end(awaited_))
    ThreadParker::offer_turn();
}

void Errand::hand_over(Waiter& waiter) {
  Errand& self = static_cast<Errand&>(waiter);
  int descriptor = -1;
  if (self.outcome == WaitOutcome::granted) {
    ConnectionSlot& taken = static_cast<ConnectionSlot&>(*self.slot);
    taken.user.store(self.thread_, std::memory_order_relaxed);
    taken.connection->set_held(true);
    descriptor = self.begin(*taken.connection);
  }
  DescriptorParker& sleeper = *self.sleeper_;
  self.awaited_ = descriptor;
  self.is_begun_.store(true, std::memory_order_release);
  // The thread goes on when this has been heard, and not before.
  sleeper.end(descriptor);
}

}  // namespace forebay
