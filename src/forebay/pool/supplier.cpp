#include "forebay/pool/supplier.hpp"

#include <exception>

#include "forebay/base/misuse.hpp"

namespace forebay {
namespace {

// Callers who find nothing may be many: the log hears of them together.
constexpr Duration kEmptyEvery = std::chrono::seconds(1);

// A healthy server lets go of a session within milliseconds, and a busy one that was told how soon
// to miss us within a second or so. What takes longer is told, and looked at now and then.
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
      changed_(env.scheduler),
      closing_(env.scheduler) {}

Task<void> Supplier::run() {
  begun_ = env_.scheduler.now();
  log_.started();
  if (options_.supply == Supply::standard && options_.size.keep_open > 0) {
    exchange_.decide([](PoolState& state, WakeList&) { state.hold_keeper(); });
    tasks_.spawn(warm_up());
  }
  PoolWork work;
  bool was_closed = false;
  for (;;) {
    work.clear();
    start(work);
    tell_empty();
    log::tell_repeats();
    if (exchange_.gives_up()) gate_.give_up();
    const bool is_closed = exchange_.is_closed();
    if (is_closed && !was_closed) {
      was_closed = true;
      gate_.close();
      closing_.notify_all();
      changed_.notify_all();
    }
    if (is_closed && exchange_.ask([](const PoolState& state) { return state.approved() == 0; }))
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
  const Instant now = env_.scheduler.now();
  exchange_.decide([&](PoolState& state, WakeList&) {
    state.collect(now, work);
    for (Approval& approval : work.open) {
      opening.push_back(&make_slot(state, std::move(approval)));
    }
  });
  for (ConnectionSlot* slot : opening) tasks_.spawn(open_one(*slot));
  for (Slot* slot : work.reset) tasks_.spawn(reset_one(static_cast<ConnectionSlot&>(*slot)));
  for (Slot* slot : work.check) tasks_.spawn(check_one(static_cast<ConnectionSlot&>(*slot)));
  for (Slot* slot : work.close) tasks_.spawn(close_one(static_cast<ConnectionSlot&>(*slot)));
  if (!work.leaked.empty()) report_leaks(work);
  exchange_.ask_for_room();
}

// Owned by the state's lists from here to drop().
ConnectionSlot& Supplier::make_slot(PoolState& state, Approval approval) {
  ConnectionSlot& slot = *new ConnectionSlot(next_id_++, std::move(approval));
  state.add_opening(slot);
  return slot;
}

// The approval goes back with the slot, when the connection is gone and together with its place
// in the books.
void Supplier::drop(ConnectionSlot& slot) {
  slot.connection.reset();
  exchange_.decide([&](PoolState& state, WakeList&) {
    state.remove(slot);
    delete &slot;
  });
  look_again();
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
  if (opening.outcome == GateOutcome::failed) note_failure(std::move(*opening.failed));
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
    co_return failure(Errc::timed_out, "a statement ran into its deadline");
  slot.is_cancel_tried = true;
  const Instant deadline = deadline_after(env_.scheduler.now(), options_.cancel_timeout);
  const bool is_permitted = co_await gate_.permit_cancel(deadline);
  if (!is_permitted)
    co_return failure(Errc::timed_out, "a cancel found no place in the rate of connects in time");
  Result<void> cancelled = co_await slot.connection->cancel(deadline);
  if (cancelled) slot.is_cancel_tried = false;
  co_return cancelled;
}

Task<Result<void>> Supplier::cancel_and_reset(ConnectionSlot& slot) {
  if (slot.connection->needs_cancel()) {
    const Result<void> cancelled = co_await cancel(slot);
    if (!cancelled) co_return cancelled;
  }
  const Instant deadline = deadline_after(env_.scheduler.now(), options_.reset_timeout);
  co_return co_await slot.connection->reset(deadline);
}

Task<void> Supplier::reset_one(ConnectionSlot& slot) {
  const Result<void> reset = co_await cancel_and_reset(slot);
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
  const Result<void> check = co_await slot.connection->check(deadline);
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
  // or not, it is seen off.
  if (slot.connection->needs_cancel()) static_cast<void>(co_await cancel(slot));
  co_await see_off(slot);
}

// The place is given back when the server has let go of the session or must have; or when somebody
// has decided not to wait for that.
Task<void> Supplier::see_off(ConnectionSlot& slot) {
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

// One after the other, each with its retries; whatever cannot be opened is left to the keeper.
Task<void> Supplier::warm_up() {
  int failures = 0;
  for (;;) {
    const Instant now = env_.scheduler.now();
    ConnectionSlot* slot = nullptr;
    exchange_.decide([&](PoolState& state, WakeList&) {
      std::optional<Approval> approval = state.approve_warm_up(now);
      if (approval) slot = &make_slot(state, std::move(*approval));
    });
    if (slot == nullptr) break;
    const bool is_open = co_await try_open(*slot);
    if (is_open) {
      failures = 0;
      continue;
    }
    if (++failures > options_.warm_up_retries || exchange_.is_closed()) break;
    const Duration pause = backoff_delay(options_.warm_up_backoff, failures, env_.random);
    co_await closing_.wait_until(deadline_after(env_.scheduler.now(), pause));
  }
  const Instant now = env_.scheduler.now();
  exchange_.decide([&](PoolState& state, WakeList&) { state.release_keeper(now); });
  note_filled();
  look_again();
}

Task<bool> Supplier::wait_filled(Instant deadline) {
  for (;;) {
    if (exchange_.ask([](const PoolState& state) { return state.is_filled(); })) co_return true;
    if (exchange_.is_closed()) co_return false;
    const bool is_in_time = co_await changed_.wait_until(deadline);
    if (!is_in_time) co_return false;
  }
}

Task<bool> Supplier::wait_gone(Instant deadline) {
  while (!is_gone_) {
    const bool is_in_time = co_await changed_.wait_until(deadline);
    if (!is_in_time) co_return is_gone_;
  }
  co_return true;
}

void Supplier::note_failure(FailedOpen failed) {
  const Instant now = env_.scheduler.now();
  const FailedOpen told = failed;
  bool is_closed = false;
  int before = 0;
  int attempt = 0;
  Instant retry_at{};
  exchange_.decide([&](PoolState& state, WakeList&) {
    is_closed = state.is_closed();
    before = state.failures();
    state.open_failed(now, std::move(failed), env_.random);
    attempt = state.failures();
    retry_at = state.backoff_until();
  });
  if (is_closed) return;
  log_.attempt_failed(told, attempt);
  if (attempt != before) log_.backed_off(told, attempt, retry_at - now);
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

void Supplier::tell_empty() {
  const Instant now = env_.scheduler.now();
  if (now < next_empty_look_ || !log::is_on(log_.news(log::Level::warning))) return;
  const std::uint64_t total =
      exchange_.ask([](const PoolState& state) { return state.counters().empty; });
  if (total == told_empty_) return;
  told_empty_ = total;
  next_empty_look_ = now + kEmptyEvery;
  log_.empty(exchange_.gauges(), total);
}

void Supplier::report_leaks(const PoolWork& work) const {
  std::vector<LeakReport> lent = exchange_.lent();
  for (const Slot* slot : work.leaked) {
    for (const LeakReport& leak : lent) {
      if (leak.connection_id != slot->id) continue;
      log_.leak(leak);
      call_on_leak(leak);
    }
  }
}

// Hooks that nobody awaits: what they throw is told, and the pool goes on.
void Supplier::call_before_close(const ConnectionSlot& slot, DiscardReason reason) const {
  if (!options_.before_close) return;
  try {
    options_.before_close(*slot.connection, reason);
  } catch (...) {
    log_.hook_threw("before_close", text_of(std::current_exception()));
  }
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
