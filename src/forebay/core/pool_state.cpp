// The side of PoolState that callers see: taking, waiting, giving back. The upkeep
// is in pool_state_upkeep.cpp.
#include "forebay/core/pool_state.hpp"

#include <utility>

namespace forebay {

PoolState::PoolState(const PoolRules& rules, Capacity* process_capacity, int homes)
    : rules_(rules),
      room_(rules.max, process_capacity),
      slots_(rules.take_order, homes),
      is_filled_(rules.low_watermark <= 0) {}

PoolState::~PoolState() {
  FOREBAY_CHECK(is_closed() && room_.approved() == 0, "a pool died before its connections");
}

Slot* PoolState::take(Instant now, const std::source_location& from, int home) {
  if (is_closed()) return nullptr;
  while (Slot* slot = slots_.ready().next(home)) {
    if (now < slot->stale_at) {
      lend(*slot, now, from, home);
      return slot;
    }
    discard(*slot, now >= slot->expires_at ? DiscardReason::expired_on_checkout
                                           : DiscardReason::insufficient_remaining_lifetime);
  }
  return nullptr;
}

bool PoolState::time_out(Waiter& waiter) {
  if (!waiters_.withdraw(waiter, WaitOutcome::timed_out)) return false;
  waiter.has_lacked_room = room_.is_lacking();
  ++counters_.timeouts;
  return true;
}

bool PoolState::cancel(Waiter& waiter) {
  if (!waiters_.withdraw(waiter, WaitOutcome::cancelled)) return false;
  ++counters_.cancels;
  return true;
}

bool PoolState::is_refusing(Instant now) const {
  return health_.is_refused() && now < health_.backoff_until() && slots_.open() == 0 &&
         slots_.count(SlotState::opening) == 0;
}

void PoolState::refuse(Waiter& waiter) {
  waiter.outcome = WaitOutcome::refused;
  ++counters_.refusals;
  has_unserved_ = true;
}

void PoolState::refuse_waiters(Instant now, WakeList& wakes) {
  if (waiters_.empty() || !is_refusing(now)) return;
  counters_.refusals += static_cast<std::uint64_t>(waiters_.size());
  has_unserved_ = true;
  waiters_.resolve_all(WaitOutcome::refused, wakes);
}

void PoolState::give_back(Slot& slot, Instant now, bool needs_reset, WakeList& wakes) {
  FOREBAY_CHECK(slot.state == SlotState::lent, "given back, but not lent");
  ++counters_.given_back;
  has_learned_hold_ = has_learned_hold_ || (!hold_time_.is_observed() && !waiters_.empty());
  hold_time_.add(now - slot.taken_at);
  if (const auto reason = reason_to_refuse(slot, now)) {
    refuse(slot, *reason);  // closing it is reset enough
  } else if (needs_reset) {
    slots_.move(slot, SlotState::returned);
  } else {
    place(slot, now, wakes);
  }
}

void PoolState::discard_lent(Slot& slot, DiscardReason reason) {
  FOREBAY_CHECK(slot.state == SlotState::lent, "discarded, but not lent");
  ++counters_.given_back;
  discard(slot, reason);
}

// A clean connection finds its place: with the longest waiter, among the ready, or away.
void PoolState::place(Slot& slot, Instant now, WakeList& wakes) {
  if (const auto reason = reason_to_refuse(slot, now)) {
    refuse(slot, *reason);
    return;
  }
  const std::size_t before = wakes.size();
  Waiter* waiter = waiters_.empty() ? nullptr : waiters_.next(now, wakes);
  counters_.timeouts += wakes.size() - before;
  if (waiter != nullptr) {
    counters_.wait_times.record(now - waiter->since);
    waiter->slot = &slot;
    lend(slot, now, waiter->from, waiter->home);
    waiters_.resolve(*waiter, WaitOutcome::granted, wakes);
    return;
  }
  // A replacement needs a place beside the one that is leaving, or it would be opened
  // again and again.
  if (slots_.ready().size() - slots_.leaving() >=
      std::max(rules_.max_ready, rules_.supply.target())) {
    discard(slot, DiscardReason::reservoir_full);
    return;
  }
  if (now >= slot.retire_at || !RetirementSchedule::is_ahead(slot)) {
    // Its turn to be replaced has come, and its guard window has not.
    if (!slots_.ready().empty() && can_spare_one()) {
      discard(slot, DiscardReason::replaced);
      return;
    }
    schedule_.postpone(slot, now);
  }
  slots_.move(slot, SlotState::ready);
}

// Why a connection must not go back among the others, if it must not.
std::optional<DiscardReason> PoolState::reason_to_refuse(const Slot& slot, Instant now) const {
  if (is_closed()) return closed_for_;
  if (slot.condemned) return slot.condemned;
  if (now >= slot.expires_at) return DiscardReason::expired_on_return;
  if (now >= slot.stale_at) return DiscardReason::insufficient_remaining_lifetime;
  if (room_.is_over()) return DiscardReason::shrunk;
  if (is_called_for(slot)) return DiscardReason::evicted_tenant;
  return std::nullopt;
}

void PoolState::refuse(Slot& slot, DiscardReason reason) {
  const bool is_called = reason == DiscardReason::evicted_tenant && !is_closed() && !slot.condemned;
  if (is_called) room_.answer_call(!waiters_.empty());
  discard(slot, reason);
}

void PoolState::discard(Slot& slot, DiscardReason reason) {
  ++counters_.discards[static_cast<std::size_t>(reason)];
  slots_.set_leaving(slot, false);
  schedule_.remove(slot);
  slot.reason = reason;
  room_.note_going(+1);
  slots_.move(slot, SlotState::discarded);
}

int PoolState::shed(int most, DiscardReason reason) {
  int shed = 0;
  for (; shed < most && !slots_.ready().empty(); ++shed)
    discard(*slots_.ready().longest_idle(), reason);
  return shed;
}

void PoolState::close(WakeList& wakes, DiscardReason reason) {
  if (!is_closed()) closed_for_ = reason;
  room_.set_lacking(false);
  waiters_.resolve_all(WaitOutcome::closed, wakes);
  while (Slot* slot = slots_.ready().longest_idle()) discard(*slot, *closed_for_);
  while (Slot* slot = slots_.first_returned()) discard(*slot, *closed_for_);
}

}  // namespace forebay
