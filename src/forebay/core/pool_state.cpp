// The side of PoolState that callers see: taking, waiting, giving back. The upkeep is in
// pool_upkeep.cpp.
#include "forebay/core/pool_state.hpp"

#include <utility>

#include "forebay/base/check.hpp"

namespace forebay {

PoolState::PoolState(const PoolRules& rules, Capacity* process_capacity)
    : rules_(rules),
      capacity_(rules.max, process_capacity),
      ready_(rules.take_order),
      is_filled_(rules.low_watermark <= 0) {}

PoolState::~PoolState() {
  FOREBAY_CHECK(is_closed_ && capacity_.approved() == 0, "a pool died before its connections");
}

Slot* PoolState::take(Instant now, const std::source_location& from) {
  if (is_closed_) return nullptr;
  while (Slot* slot = ready_.next()) {
    if (now < slot->stale_at) {
      lend(*slot, now, from);
      return slot;
    }
    discard(*slot, now >= slot->expires_at ? DiscardReason::expired_on_checkout
                                           : DiscardReason::insufficient_remaining_lifetime);
  }
  return nullptr;
}

bool PoolState::time_out(Waiter& waiter) {
  if (!waiters_.withdraw(waiter, WaitOutcome::timed_out)) return false;
  ++counters_.timeouts;
  return true;
}

void PoolState::give_back(Slot& slot, Instant now, bool needs_reset, WakeList& wakes) {
  FOREBAY_CHECK(slot.state == SlotState::lent, "given back, but not lent");
  ++counters_.given_back;
  if (const auto reason = reason_to_refuse(slot, now)) {
    discard(slot, *reason);  // closing it is reset enough
  } else if (needs_reset) {
    move(slot, SlotState::returned);
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
    discard(slot, *reason);
    return;
  }
  const std::size_t before = wakes.size();
  Waiter* waiter = waiters_.empty() ? nullptr : waiters_.next(now, wakes);
  counters_.timeouts += wakes.size() - before;
  if (waiter != nullptr) {
    ++counters_.waits;
    counters_.wait_time += now - waiter->since;
    waiter->slot = &slot;
    lend(slot, now, waiter->from);
    waiters_.resolve(*waiter, WaitOutcome::granted, wakes);
    return;
  }
  if (ready_.size() >= rules_.max_ready) {
    discard(slot, DiscardReason::reservoir_full);
    return;
  }
  if (now >= slot.retire_at) {
    // Its turn to be replaced has come, and its guard window has not: it goes, unless it would be the last.
    if (!ready_.empty()) {
      discard(slot, DiscardReason::replaced);
      return;
    }
    schedule(slot, std::min(slot.stale_at, now + std::max(Duration(1), (slot.stale_at - now) / 8)));
  }
  unlink(slot);
  slot.state = SlotState::ready;
  ready_.add(slot, now);
  count_leaving(slot, +1);
}

// Why a connection must not go back among the others, if it must not.
std::optional<DiscardReason> PoolState::reason_to_refuse(const Slot& slot, Instant now) const {
  if (is_closed_) return DiscardReason::closed;
  if (now >= slot.expires_at) return DiscardReason::expired_on_return;
  if (now >= slot.stale_at) return DiscardReason::insufficient_remaining_lifetime;
  if (is_over_capacity()) return DiscardReason::shrunk;
  return std::nullopt;
}

bool PoolState::is_over_capacity() const {
  const int going = static_cast<int>(list(SlotState::discarded).size() + list(SlotState::closing).size());
  return capacity_.approved() - going > capacity_.max();
}

void PoolState::lend(Slot& slot, Instant now, const std::source_location& from) {
  move(slot, SlotState::lent);
  slot.taken_at = now;
  slot.taken_from = from;
  slot.is_leak_reported = false;
  ++counters_.acquired;
}

void PoolState::discard(Slot& slot, DiscardReason reason) {
  ++counters_.discards[static_cast<std::size_t>(reason)];
  set_leaving(slot, false);
  events_.remove(slot);
  spacer_.release(slot.retire_at);
  slot.reason = reason;
  move(slot, SlotState::discarded);
}

void PoolState::unlink(Slot& slot) {
  count_leaving(slot, -1);
  if (slot.state == SlotState::ready) {
    ready_.remove(slot);
  } else {
    list(slot.state).erase(slot);
  }
}

// The only way from one state to another, except into ready, whose order place() and check_done() know.
void PoolState::move(Slot& slot, SlotState to) {
  unlink(slot);
  slot.state = to;
  list(to).push_back(slot);
  count_leaving(slot, +1);
}

void PoolState::count_leaving(const Slot& slot, int change) {
  if (slot.is_leaving) (slot.state == SlotState::lent ? leaving_lent_ : leaving_) += change;
}

int PoolState::count(SlotState state) const {
  return state == SlotState::ready ? ready_.size() : static_cast<int>(list(state).size());
}

void PoolState::close(WakeList& wakes) {
  is_closed_ = true;
  while (Waiter* waiter = const_cast<Waiter*>(waiters_.longest())) {
    waiters_.resolve(*waiter, WaitOutcome::closed, wakes);
  }
  while (Slot* slot = ready_.longest_idle()) discard(*slot, DiscardReason::closed);
  while (Slot* slot = list(SlotState::returned).front()) discard(*slot, DiscardReason::closed);
}

}  // namespace forebay
