#include "forebay/pool/supplier.hpp"

#include <exception>

#include "forebay/base/misuse.hpp"

namespace forebay {
namespace {

// Callers who find nothing may be many: the log hears of them together.
constexpr Duration kEmptyEvery = std::chrono::seconds(1);

// A healthy server lets go of a session within milliseconds, and a busy one that was told how soon
// to notice our end within a second or so. What takes longer is told, and looked at now and then.
constexpr Duration kHeldAfter = std::chrono::seconds(5);
constexpr Duration kHeldLook = std::chrono::seconds(1);

}  // namespace

Supplier::Supplier(Env env, Exchange& exchange, Gate& gate, const PoolOptions& options,
                   const PoolLog& log)
    : env_(env),
      exchange_(exchange),
      gate_(gate),
      options_(options),
      log_(log),
      tasks_(env.scheduler),
      changed_(env.scheduler) {}

Task<void> Supplier::run() {
  begun_ = env_.scheduler.now();
  log_.started();
  if (options_.supply == Supply::standard && *options_.size.keep_open > 0) {
    exchange_.decide([](PoolState& state, WakeList&) { state.hold_keeper(); });
    tasks_.spawn(warm_up());
  }
  PoolWork work;
  bool was_closed = false;
  for (;;) {
    work.clear();
    start(work);
    log_empty();
    log::write_repeats();
    if (exchange_.gives_up()) gate_.give_up();
    const bool is_closed = exchange_.is_closed();
    if (is_closed && !was_closed) {
      was_closed = true;
      gate_.close();
      changed_.notify_all();
    }
    if (is_closed &&
        exchange_.ask([](const PoolState& state) { return state.room().approved() == 0; }))
      break;
    co_await exchange_.attention().wait_until(work.wake_at);
  }
  co_await tasks_.join();
  log_.stopped();
  is_gone_ = true;
  changed_.notify_all();
}

// Under the lock the state decides, and the slots of new connections are entered; the
// rest happens outside.
void Supplier::start(PoolWork& work) {
  std::vector<ConnectionSlot*> opening;
  std::vector<LeakReport> leaks;
  const Instant now = env_.scheduler.now();
  exchange_.decide([&](PoolState& state, WakeList& wakes) {
    state.refuse_waiters(now, wakes);
    state.collect(now, work);
    for (Approval& approval : work.open) {
      opening.push_back(&make_slot(state, std::move(approval)));
    }
    for (const Slot* slot : work.leaked) leaks.push_back(leak_report(*slot, now));
  });
  exchange_.return_grants();
  for (ConnectionSlot* slot : opening) tasks_.spawn(open_one(*slot));
  for (Slot* slot : work.reset) tasks_.spawn(reset_one(static_cast<ConnectionSlot&>(*slot)));
  for (Slot* slot : work.check) tasks_.spawn(check_one(static_cast<ConnectionSlot&>(*slot)));
  for (Slot* slot : work.close) tasks_.spawn(close_one(static_cast<ConnectionSlot&>(*slot)));
  for (const LeakReport& leak : leaks) report(leak);
  exchange_.ask_for_room();
}

// Owned by the state's lists from here to drop().
ConnectionSlot& Supplier::make_slot(PoolState& state, Approval approval) {
  ConnectionSlot& slot = *new ConnectionSlot(next_id_++, std::move(approval));
  state.add_opening(slot);
  return slot;
}

// The pool's approval goes back together with its place in the books; the lease, and the part of a
// shared budget, right after it, because others hear of them.
void Supplier::drop(ConnectionSlot& slot) {
  slot.connection.reset();
  exchange_.decide([&](PoolState& state, WakeList&) { state.remove(slot); });
  delete &slot;
  look_again();
}

// Only while the slot is the supplier's own.
Scheduler& Supplier::home_of(const ConnectionSlot& slot) const {
  const LoopGroup* const loops = env_.scheduler.group();
  const bool is_loop = loops != nullptr && slot.home != kNoHome && slot.home < loops->size();
  return is_loop ? loops->at(slot.home) : env_.scheduler;
}

void Supplier::look_again() {
  exchange_.attention().notify();
  changed_.notify_all();
}

Task<void> Supplier::open_one(ConnectionSlot& slot) { co_await try_open(slot); }

// True: it opened, or is no longer wanted. False: it failed.
Task<bool> Supplier::try_open(ConnectionSlot& slot) {
  Opening opening = co_await gate_.open(slot);
  const Instant now = env_.scheduler.now();
  if (opening.outcome == GateOutcome::opened) {
    exchange_.decide([&](PoolState& state, WakeList& wakes) {
      state.opened(slot, now, opening.connect_time, env_.random, wakes);
    });
    note_opened();
    look_again();
    co_return true;
  }
  if (opening.outcome == GateOutcome::failed) note_failure(*opening.failed);
  if (slot.connection) {  // it opened, and the application's hook refused it
    exchange_.decide([&](PoolState& state, WakeList&) {
      state.refuse_opening(slot, DiscardReason::hook_failed);
    });
    co_await finish_close(slot, DiscardReason::hook_failed);
  }
  drop(slot);
  co_return opening.outcome != GateOutcome::failed;
}

// Once: where it has failed, closing is what is left.
Task<Result<void>> Supplier::cancel(ConnectionSlot& slot) {
  if (slot.is_cancel_tried || options_.cancel_timeout == Duration::zero())
    co_return failure(Errc::timed_out, "a statement ran into its deadline or was cancelled");
  slot.is_cancel_tried = true;
  const Instant deadline = deadline_after(env_.scheduler.now(), options_.cancel_timeout);
  const bool is_permitted = co_await gate_.permit_cancel(deadline);
  if (!is_permitted)
    co_return failure(Errc::timed_out, "a cancel found no place in the rate of connects in time");
  co_await resume_on(home_of(slot));
  Result<void> cancelled = co_await slot.connection->cancel(deadline);
  co_await resume_on(env_.scheduler);
  if (cancelled) slot.is_cancel_tried = false;
  co_return cancelled;
}

// It leaves the deadline, which does not begin before a cancel is over.
Task<Result<void>> Supplier::cancel_and_reset(ConnectionSlot& slot, Instant& deadline) {
  if (slot.connection->needs_cancel()) {
    const Result<void> cancelled = co_await cancel(slot);
    if (!cancelled) co_return cancelled;
  }
  deadline = deadline_after(env_.scheduler.now(), options_.reset_timeout);
  co_await resume_on(home_of(slot));
  Result<void> reset = co_await slot.connection->reset(deadline);
  co_await resume_on(env_.scheduler);
  co_return reset;
}

// What the hook did at the connect, the reset has undone.
Task<bool> Supplier::prepare(ConnectionSlot& slot, Instant deadline) {
  const Result<void> prepared = co_await gate_.prepare(*slot.connection, deadline);
  if (prepared) co_return true;
  exchange_.decide(
      [&](PoolState& state, WakeList&) { state.refuse_reset(slot, DiscardReason::hook_failed); });
  log_.lost(slot.id, DiscardReason::hook_failed, prepared.error());
  look_again();
  co_return false;
}

Task<void> Supplier::reset_one(ConnectionSlot& slot) {
  Instant deadline{};
  const Result<void> reset = co_await cancel_and_reset(slot, deadline);
  if (reset && options_.after_connect) {
    const bool is_prepared = co_await prepare(slot, deadline);
    if (!is_prepared) co_return;
  }
  const Instant now = env_.scheduler.now();
  exchange_.decide([&](PoolState& state, WakeList& wakes) {
    state.reset_done(slot, now, reset.has_value(), wakes);
    if (!reset) state.suspect_all(now);
  });
  if (!reset) log_.lost(slot.id, DiscardReason::reset_failed, reset.error());
  look_again();
}

Task<void> Supplier::check_one(ConnectionSlot& slot) {
  const Instant deadline = deadline_after(env_.scheduler.now(), options_.check_timeout);
  co_await resume_on(home_of(slot));
  const Result<void> check = co_await slot.connection->check(deadline);
  co_await resume_on(env_.scheduler);
  const Instant now = env_.scheduler.now();
  exchange_.decide([&](PoolState& state, WakeList& wakes) {
    state.check_done(slot, now, check.has_value(), wakes);
    if (!check) state.suspect_all(now);
  });
  if (!check) log_.lost(slot.id, DiscardReason::check_failed, check.error());
  look_again();
}

Task<void> Supplier::close_one(ConnectionSlot& slot) {
  co_await finish_close(slot, slot.reason);
  drop(slot);
}

Task<void> Supplier::finish_close(ConnectionSlot& slot, DiscardReason reason) {
  log_.discarding(slot, reason, env_.scheduler.now());
  call_before_close(slot, reason);
  // Nobody needs the session any more, but the server would still work for it. Whether that helped
  // or not, it is closed.
  if (slot.connection->needs_cancel()) static_cast<void>(co_await cancel(slot));
  co_await close_and_wait(slot);
}

// The place is given back when the server has let go of the session or must have; or when somebody
// has decided not to wait for that.
Task<void> Supplier::close_and_wait(ConnectionSlot& slot) {
  const Instant begun = env_.scheduler.now();
  const Instant give_up_at = deadline_after(begun, options_.on_stuck_close.limit());
  const bool is_gone =
      co_await slot.connection->close(std::min(give_up_at, deadline_after(begun, kHeldAfter)));
  if (!is_gone && env_.scheduler.now() < give_up_at) co_await hold(slot, give_up_at);
}

Task<void> Supplier::hold(ConnectionSlot& slot, Instant give_up_at) {
  exchange_.decide([&](PoolState& state, WakeList&) { state.note_held(slot); });
  log_.held(exchange_.gauges());
  for (;;) {
    const Instant now = env_.scheduler.now();
    if (exchange_.gives_up() || now >= give_up_at) co_return;
    const Instant look_at = std::min(give_up_at, deadline_after(now, kHeldLook));
    const bool is_gone = co_await slot.connection->close(look_at);
    if (is_gone) co_return;
  }
}

// One after the other, each with its retries. One whose retries run out is left to the keeper, and
// the next is tried all the same.
Task<void> Supplier::warm_up() {
  log_.warm_up_started(exchange_.gauges());
  WarmUp warmed;
  bool goes_on = true;
  for (int given_up = 0; goes_on && given_up < *options_.size.keep_open; ++given_up)
    goes_on = co_await warm_up_until_one_fails(warmed);
  const Instant now = env_.scheduler.now();
  bool has_given_up = false;
  exchange_.decide([&](PoolState& state, WakeList&) {
    state.release_keeper(now);
    has_given_up = state.has_given_up() && !state.is_closed();
  });
  if (has_given_up) log_.warm_up_gave_up(exchange_.statistics(), now - begun_);
  if (!exchange_.is_closed()) {
    log_.warm_up_done(exchange_.gauges(), warmed.created, warmed.failed);
    log_.keeper_started();
  }
  note_filled();
  look_again();
}

// True: the retries of one have run out, and others may fare better. False: all are there, there is
// no room for more, or waiting mends nothing.
Task<bool> Supplier::warm_up_until_one_fails(WarmUp& warmed) {
  int failures = 0;
  for (;;) {
    ConnectionSlot* slot = nullptr;
    exchange_.decide([&](PoolState& state, WakeList&) {
      std::optional<Approval> approval = state.approve_warm_up();
      if (approval) slot = &make_slot(state, std::move(*approval));
    });
    if (slot == nullptr) co_return false;
    const bool is_open = co_await try_open(*slot);
    const bool is_refused =
        exchange_.ask([](const PoolState& state) { return state.health().is_refused(); });
    if (is_refused || exchange_.is_closed()) co_return false;
    if (is_open) {
      failures = 0;
      ++warmed.created;
      continue;
    }
    if (++failures > options_.warm_up_retries) {
      ++warmed.failed;
      log_.warm_up_failed(exchange_.statistics().last_connect_error);
      co_return true;
    }
    const Duration pause = backoff_delay(options_.warm_up_backoff, failures, env_.random);
    co_await gate_.closing().wait_until(deadline_after(env_.scheduler.now(), pause));
  }
}

Task<bool> Supplier::wait_filled(Instant deadline, InitialFailure on_failure) {
  const auto is_filled = [](const PoolState& state) { return state.is_filled(); };
  const auto is_over = [](const PoolState& state) {
    return !state.is_trying_first() && (state.is_filled() || state.has_given_up());
  };
  for (;;) {
    const bool is_hopeless = on_failure == InitialFailure::fail_fast && exchange_.refusal();
    if (is_hopeless || exchange_.is_closed()) co_return false;
    if (exchange_.ask(is_over)) break;
    const bool is_in_time = co_await changed_.wait_until(deadline);
    if (!is_in_time) break;
  }
  co_return exchange_.ask(is_filled);
}

Task<bool> Supplier::wait_gone(Instant deadline) {
  while (!is_gone_) {
    const bool is_in_time = co_await changed_.wait_until(deadline);
    if (!is_in_time) co_return is_gone_;
  }
  co_return true;
}

void Supplier::note_failure(const FailedOpen& failed) {
  const Instant now = env_.scheduler.now();
  exchange_.note_failure(failed);
  bool is_closed = false;
  bool has_pause_begun = false;
  int attempt = 0;
  Instant retry_at{};
  exchange_.decide([&](PoolState& state, WakeList&) {
    is_closed = state.is_closed();
    has_pause_begun = state.open_failed(now, failed, env_.random);
    attempt = state.health().attempts();
    retry_at = state.health().retry_at();
  });
  if (is_closed) return;
  log_.attempt_failed(failed, attempt);
  if (has_pause_begun) log_.backed_off(failed, attempt, retry_at - now);
}

void Supplier::note_opened() {
  if (log::is_on(log::Level::debug)) log_.created(exchange_.gauges());
  note_filled();
}

// The initial fill is told once, however long it has taken: at the low watermark, or at the target
// if nobody waits for one.
void Supplier::note_filled() {
  if (is_fill_told_) return;
  const PoolGauges gauges = exchange_.gauges();
  is_fill_told_ = exchange_.ask([&gauges](const PoolState& state) {
    const bool is_awaited = state.rules().low_watermark > 0;
    return state.is_filled() && (is_awaited || gauges.open() >= gauges.target_ready);
  });
  const bool has_fill = log_.target(gauges) > 0;
  if (is_fill_told_ && has_fill) log_.filled(gauges, env_.scheduler.now() - begun_);
}

void Supplier::log_empty() {
  const Instant now = env_.scheduler.now();
  if (now < next_empty_look_ || !log::is_on(log_.news(log::Level::warning))) return;
  const std::uint64_t total =
      exchange_.ask([](const PoolState& state) { return state.counters().empty; });
  if (total == told_empty_) return;
  told_empty_ = total;
  next_empty_look_ = now + kEmptyEvery;
  log_.empty(exchange_.gauges(), total);
}

void Supplier::report(const LeakReport& leak) const {
  log_.leak(leak);
  call_on_leak(leak);
}

// Hooks that nobody awaits: what they throw is told, and the pool goes on.
void Supplier::call_before_close(const ConnectionSlot& slot, DiscardReason reason) const {
  if (!options_.before_close) return;
  slot.connection->set_held(true);
  try {
    options_.before_close(*slot.connection, reason);
  } catch (...) {
    log_.hook_threw("before_close", text_of(std::current_exception()));
  }
  slot.connection->set_held(false);
}

void Supplier::call_on_leak(const LeakReport& leak) const {
  if (!options_.on_leak) return;
  try {
    options_.on_leak(leak);
  } catch (...) {
    log_.hook_threw("on_leak", text_of(std::current_exception()));
  }
}

}  // namespace forebay
