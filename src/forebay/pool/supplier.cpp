#include "forebay/pool/supplier.hpp"

#include <fmt/format.h>

#include "forebay/base/log.hpp"

namespace forebay {

Supplier::Supplier(Env env, Exchange& exchange, Gate& gate, const PoolOptions& options)
    : env_(env),
      exchange_(exchange),
      gate_(gate),
      options_(options),
      tasks_(env.scheduler),
      changed_(env.scheduler),
      closing_(env.scheduler) {}

Task<void> Supplier::run() {
  if (options_.supply == Supply::standard && options_.size.keep_open > 0) {
    exchange_.decide([](PoolState& state, WakeList&) { state.hold_keeper(); });
    tasks_.spawn(warm_up());
  }
  PoolWork work;
  bool was_closed = false;
  for (;;) {
    work.clear();
    start(work);
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
    look_again();
    co_return true;
  }
  if (opening.outcome == GateOutcome::failed) {
    exchange_.decide([&](PoolState& state, WakeList&) {
      state.open_failed(now, std::move(*opening.failed), env_.random);
    });
  }
  if (slot.connection) {  // it opened, and the application's hook refused it
    exchange_.decide([&](PoolState& state, WakeList&) {
      state.refuse_opening(slot, DiscardReason::hook_failed);
    });
    co_await finish_close(slot, DiscardReason::hook_failed);
  }
  drop(slot);
  co_return opening.outcome != GateOutcome::failed;
}

Task<void> Supplier::reset_one(ConnectionSlot& slot) {
  const Instant deadline = deadline_after(env_.scheduler.now(), options_.reset_timeout);
  const Result<void> reset = co_await slot.connection->reset(deadline);
  const Instant now = env_.scheduler.now();
  exchange_.decide([&](PoolState& state, WakeList& wakes) {
    state.reset_done(slot, now, reset.has_value(), wakes);
    if (!reset) state.suspect_all(now);
  });
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
  look_again();
}

Task<void> Supplier::close_one(ConnectionSlot& slot) {
  co_await finish_close(slot, slot.reason);
  drop(slot);
}

Task<void> Supplier::finish_close(ConnectionSlot& slot, DiscardReason reason) {
  if (options_.before_close) options_.before_close(*slot.connection, reason);
  const Instant deadline = deadline_after(env_.scheduler.now(), options_.close_timeout);
  co_await slot.connection->close(deadline);
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

void Supplier::report_leaks(const PoolWork& work) const {
  std::vector<LeakReport> lent = exchange_.lent();
  for (const Slot* slot : work.leaked) {
    for (const LeakReport& leak : lent) {
      if (leak.connection_id != slot->id) continue;
      log::warning(fmt::format("{}: possible leak: {}", options_.name, describe(leak)));
      if (options_.on_leak) options_.on_leak(leak);
    }
  }
}

}  // namespace forebay
