#include "forebay/pool/exchange.hpp"

#include "forebay/detail/env/thread_parker.hpp"

namespace forebay {
namespace {

constexpr int kTurnsAtRest = 64;
constexpr Duration kLongestRest = std::chrono::milliseconds(2);

PoolGauges gauges_of(const PoolState& state) {
  PoolGauges gauges;
  gauges.max = state.rules().max;
  gauges.target_ready = state.rules().supply.target();
  const SlotTable& slots = state.slots();
  gauges.ready = slots.count(SlotState::ready);
  gauges.lent = slots.count(SlotState::lent);
  gauges.cleaning = slots.cleaning();
  gauges.opening = slots.count(SlotState::opening);
  gauges.closing = slots.count(SlotState::discarded) + slots.count(SlotState::closing);
  gauges.held = slots.held();
  gauges.approved = state.room().approved();
  gauges.waiters = state.waiters();
  gauges.lacks_room = state.room().is_lacking();
  return gauges;
}

}  // namespace

Exchange::~Exchange() {
  last_calls_.wait();
  if (budget_ == nullptr) return;
  budget_->leave_line(place_);
  place_.return_grants();
}

// The cheap clock decides unless the answer depends on the last few milliseconds. Of the callers to
// whom one is lent at once, the first in each tick of that clock is timed, and stands for the
// others of the tick: all of them are timed in a quiet pool, and for next to nothing in a busy one.
Exchange::Taken Exchange::take_now(const std::source_location& from, int home) {
  const Instant recent = scheduler_.recent_now();
  if (kIsMetered && recent != timed_at_.load(std::memory_order_relaxed)) {
    return take_timed(from, home, recent);
  }
  MutexLock lock(mutex_);
  Slot* const slot = take_fresh(from, home, recent);
  if (kIsMetered && slot != nullptr) state_.note_same_ready_time();
  return taken(slot);
}

Exchange::Taken Exchange::take_timed(const std::source_location& from, int home, Instant recent) {
  const Instant began = scheduler_.now();
  MutexLock lock(mutex_);
  Slot* const slot = take_fresh(from, home, recent);
  if (slot != nullptr) {
    state_.note_ready_time(scheduler_.now() - began);
    timed_at_.store(recent, std::memory_order_relaxed);
  }
  return taken(slot);
}

void Exchange::note_unserved() {
  refuse_child();
  bool calls_supplier = false;
  {
    MutexLock lock(mutex_);
    state_.note_unserved();
    calls_supplier = state_.wants_demand();
  }
  if (calls_supplier) call_supplier();
}

bool Exchange::take_or_wait(Waiter& waiter) {
  bool is_queued = false;
  bool calls_supplier = false;
  {
    MutexLock lock(mutex_);
    state_.count_empty();
    if (state_.is_closed()) {
      waiter.outcome = WaitOutcome::closed;
    } else if (Slot* slot = take_exactly(waiter.from, waiter.home)) {
      state_.note_ready_time(scheduler_.now() - waiter.since);
      waiter.slot = slot;
      waiter.outcome = WaitOutcome::granted;
    } else if (state_.is_refusing(waiter.since)) {
      state_.refuse(waiter);
    } else {
      state_.add_waiter(waiter);
      is_queued = true;
    }
    calls_supplier = state_.wants_demand();
  }
  if (calls_supplier) call_supplier();
  return is_queued;
}

bool Exchange::time_out(Waiter& waiter) {
  return leave_line([&waiter](PoolState& state) { return state.time_out(waiter); });
}

bool Exchange::cancel(Waiter& waiter) {
  return leave_line([&waiter](PoolState& state) { return state.cancel(waiter); });
}

template <class Leave>
bool Exchange::leave_line(Leave leave) {
  bool is_last_in_need = false;  // it may have been the one for whom the pool stands in line
  {
    MutexLock lock(mutex_);
    if (!leave(state_)) return false;
    is_last_in_need = state_.room().is_lacking() && state_.waiters() == 0;
  }
  if (is_last_in_need) attention_.notify();
  return true;
}

// The next user may have it at once, and must be the only one.
void Exchange::end_loan(ConnectionSlot& slot) {
  if (slot.connection->is_in_use()) {
    stop_for_misuse(
        "the session acquired here was given back while a statement, or a PqxxConnection, was "
        "still using it; let that end first",
        slot.taken_from);
  }
  slot.connection->set_held(false);
}

void Exchange::give_back(ConnectionSlot& slot, Holder holder) {
  if (is_in_child()) return;  // the session is the parent's
  end_loan(slot);
  const bool is_clean = slot.connection->is_usable() && !slot.connection->needs_reset();
  if (!is_clean && !clear(slot, holder)) return;
  {
    MutexLock lock(mutex_);
    if (state_.give_back_to_ready(slot)) return;
  }
  place(slot, false);
}

// True: it is clean. False: that is done in the background, or it goes.
bool Exchange::clear(ConnectionSlot& slot, Holder holder) {
  Connection& connection = *slot.connection;
  if (!connection.is_usable()) {
    connection.needs_cancel() ? place(slot, true) : discard(slot, DiscardReason::broken);
    return false;
  }
  connection.begin_reset();
  const bool may_rest = holder == Holder::thread && !is_on_loop(scheduler_);
  if (may_rest && is_behind_with_resets()) {
    rest_while_behind();
    connection.begin_reset();  // its answer has often come meanwhile
  }
  if (!connection.is_usable()) {
    discard(slot, DiscardReason::reset_failed);
    return false;
  }
  const bool is_clean = !connection.needs_reset();
  if (!is_clean) place(slot, true);
  return is_clean;
}

// Threads that use connections faster than one loop can clean them would drain the pool into its
// cleaning. When more are being cleaned than are ready, each lets others have the processor for a
// moment, and then clears its own if the server has answered. It waits for nobody.
void Exchange::rest_while_behind() const {
  Instant end = kNever;
  for (int turn = 0; turn < kTurnsAtRest && is_behind_with_resets(); ++turn) {
    const Instant now = scheduler_.now();
    if (turn == 0) end = now + kLongestRest;
    if (now >= end) return;
    ThreadParker::offer_turn();
  }
}

bool Exchange::is_behind_with_resets() const {
  return ask([](const PoolState& state) {
    return state.slots().cleaning() > state.slots().count(SlotState::ready);
  });
}

// This may have been the last one lent, and the supplier, once it can see that, may end the pool
// before another line of ours has run: so the call is noted as a last one before it is made.
void Exchange::place(ConnectionSlot& slot, bool needs_reset) {
  WakeList wakes;
  bool calls_supplier = false;
  {
    MutexLock lock(mutex_);
    state_.give_back(slot, scheduler_.now(), needs_reset, wakes);
    calls_supplier = state_.wants_attention();
    if (calls_supplier) last_calls_.begin();
  }
  if (calls_supplier) {
    attention_.notify();
    last_calls_.end();
  }
  wake_all(wakes);
}

void Exchange::discard(ConnectionSlot& slot, DiscardReason reason) {
  if (is_in_child()) return;
  end_loan(slot);
  {
    MutexLock lock(mutex_);
    state_.discard_lent(slot, reason);
    // One broken connection is often the first of many: the others are asked before they are lent.
    const bool is_lost = reason == DiscardReason::broken || reason == DiscardReason::reset_failed;
    if (is_lost) state_.suspect_all(scheduler_.now());
    last_calls_.begin();  // as in place()
  }
  attention_.notify();
  last_calls_.end();
}

void Exchange::return_grants() {
  if (budget_ != nullptr) place_.return_grants();
}

void Exchange::ask_for_room() {
  if (budget_ == nullptr) return;
  const std::optional<RoomNeed> need =
      ask([](const PoolState& state) { return state.room_need(); });
  if (need) {
    budget_->stand_in_line(place_, *need);
  } else if (is_in_line_) {
    budget_->leave_line(place_);
  }
  is_in_line_ = need.has_value();
}

void Exchange::close(DiscardReason reason) {
  decide([reason](PoolState& state, WakeList& wakes) { state.close(wakes, reason); });
  attention_.notify();
}

int Exchange::shed(int most, DiscardReason reason) {
  int shed = 0;
  decide([&](PoolState& state, WakeList&) { shed = state.shed(most, reason); });
  if (shed > 0) attention_.notify();
  return shed;
}

void Exchange::set_yields(int yields) {
  decide([yields](PoolState& state, WakeList&) { state.room().set_yields(yields); });
}

void Exchange::resize(const PoolRules& rules) {
  refuse_child();
  {
    MutexLock lock(mutex_);
    state_.resize(rules);
  }
  attention_.notify();
}

void Exchange::condemn_all(DiscardReason reason) {
  decide([reason](PoolState& state, WakeList&) { state.condemn_all(reason); });
  attention_.notify();
}

bool Exchange::is_closed() const {
  return ask([](const PoolState& state) { return state.is_closed(); });
}

PoolGauges Exchange::gauges() const { return ask(&gauges_of); }

PoolStatistics Exchange::statistics() const {
  PoolStatistics statistics = ask([](const PoolState& state) {
    PoolStatistics result;
    static_cast<PoolGauges&>(result) = gauges_of(state);
    result.connect_time = state.health().connect_time();
    result.last_open_failure = state.health().last_failure();
    result.is_filled = state.is_filled();
    result.filled_at = state.rules().low_watermark;
    result.is_closed = state.is_closed();
    result.counters = state.counters();
    return result;
  });
  if (statistics.last_open_failure) statistics.last_connect_error = last_connect_error();
  return statistics;
}

Shortage Exchange::shortage() const {
  const Instant now = scheduler_.now();
  bool has_failed = false;
  Shortage shortage = ask([&](const PoolState& state) {
    Shortage result;
    result.gauges = gauges_of(state);
    if (const Slot* longest = state.slots().longest_lent())
      result.longest = leak_report(*longest, now);
    has_failed = state.health().last_failure().has_value();
    const Instant retry_at = std::max(now, state.health().backoff_until());
    result.retry_in = retry_at - now;
    return result;
  });
  if (has_failed) shortage.last_connect_error = last_connect_error();
  shortage.refusal = refusal();
  return shortage;
}

std::optional<Error> Exchange::refusal() const {
  const bool is_refused = ask([](const PoolState& state) {
    return state.health().is_refused() && state.slots().open() == 0;
  });
  if (!is_refused) return std::nullopt;
  std::optional<FailedOpen> said;
  {
    MutexLock lock(failure_mutex_);
    said = last_refusal_;
  }
  if (!said) return std::nullopt;
  return Error(Errc::refused, ErrorClass::permanent, said->text(), said->error.sqlstate());
}

void Exchange::note_failure(const FailedOpen& failed) {
  MutexLock lock(failure_mutex_);
  last_failure_ = failed;
  if (is_for_good(failed)) last_refusal_ = failed;
}

std::string Exchange::last_connect_error() const {
  std::optional<FailedOpen> said;
  {
    MutexLock lock(failure_mutex_);
    said = last_failure_;
  }
  return said ? said->text() : std::string();
}

// Memory for all of them is found before the lock, and they stand there in order already.
std::vector<LeakReport> Exchange::lent() const {
  std::vector<LeakReport> result;
  for (;;) {
    const auto lent = static_cast<std::size_t>(gauges().lent);
    result.reserve(lent + lent / 8 + 1);
    const Instant now = scheduler_.now();
    const bool has_all = ask([&](const PoolState& state) {
      if (static_cast<std::size_t>(state.slots().count(SlotState::lent)) > result.capacity())
        return false;
      for (const Slot* slot = state.slots().longest_lent(); slot != nullptr;
           slot = SlotTable::lent_after(*slot)) {
        result.push_back(leak_report(*slot, now));
      }
      return true;
    });
    if (has_all) return result;
  }
}

std::optional<LeakReport> Exchange::lent_to_this_thread() const {
  const Instant now = scheduler_.now();
  return ask([now](const PoolState& state) {
    const Slot* slot = state.slots().longest_lent();
    for (; slot != nullptr; slot = SlotTable::lent_after(*slot)) {
      const auto& used = static_cast<const ConnectionSlot&>(*slot);
      if (used.user.load(std::memory_order_relaxed) == thread_mark())
        return std::optional(leak_report(*slot, now));
    }
    return std::optional<LeakReport>();
  });
}

void Exchange::audit() const {
  ask([](const PoolState& state) {
    state.audit();
    return true;
  });
}

}  // namespace forebay
