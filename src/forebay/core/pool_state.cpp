// The side of PoolState that callers see: taking, waiting, giving back. The upkeep
// is in pool_upkeep.cpp.
#include "forebay/core/pool_state.hpp"

#include <utility>

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
  waiter.has_lacked_room = lacks_room_;
  ++counters_.timeouts;
  return true;
}

void PoolState::give_back(Slot& slot, Instant now, bool needs_reset, WakeList& wakes) {
  FOREBAY_CHECK(slot.state == SlotState::lent, "given back, but not lent");
  ++counters_.given_back;
  if (const auto reason = reason_to_refuse(slot, now)) {
    refuse(slot, *reason);  // closing it is reset enough
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
    refuse(slot, *reason);
    return;
  }
  const std::size_t before = wakes.size();
  Waiter* waiter = waiters_.empty() ? nullptr : waiters_.next(now, wakes);
  counters_.timeouts += wakes.size() - before;
  if (waiter != nullptr) {
    counters_.wait_times.record(now - waiter->since);
    waiter->slot = &slot;
    lend(slot, now, waiter->from);
    waiters_.resolve(*waiter, WaitOutcome::granted, wakes);
    return;
  }
  // A replacement needs a place beside the one that is leaving, or it would be opened
  // again and again.
  if (ready_.size() - leaving_ >= std::max(rules_.max_ready, rules_.supply.target())) {
    discard(slot, DiscardReason::reservoir_full);
    return;
  }
  if (now >= slot.retire_at || !slot.event_place.is_in_heap()) {
    // Its turn to be replaced has come, and its guard window has not.
    if (!ready_.empty() && can_spare_one()) {
      discard(slot, DiscardReason::replaced);
      return;
    }
    postpone(slot, now);
  }
  move(slot, SlotState::ready);
}

// Why a connection must not go back among the others, if it must not.
std::optional<DiscardReason> PoolState::reason_to_refuse(const Slot& slot, Instant now) const {
  if (is_closed_) return close_reason_;
  if (slot.condemned) return slot.condemned;
  if (now >= slot.expires_at) return DiscardReason::expired_on_return;
  if (now >= slot.stale_at) return DiscardReason::insufficient_remaining_lifetime;
  if (is_over_capacity()) return DiscardReason::shrunk;
  if (answers_call(slot)) return DiscardReason::evicted_tenant;
  return std::nullopt;
}

void PoolState::refuse(Slot& slot, DiscardReason reason) {
  const bool is_called = reason == DiscardReason::evicted_tenant && !is_closed_ && !slot.condemned;
  if (is_called) {
    capacity_.answer_call();
    if (!waiters_.empty()) --yields_;
  }
  discard(slot, reason);
}

bool PoolState::is_over_capacity() const {
  if (!is_shrinking_) return false;
  return capacity_.approved() - going() > capacity_.max();
}

void PoolState::discard(Slot& slot, DiscardReason reason) {
  ++counters_.discards[static_cast<std::size_t>(reason)];
  set_leaving(slot, false);
  events_.remove(slot);
  spacer_.release(slot.retire_at);
  slot.reason = reason;
  capacity_.note_going(+1);
  move(slot, SlotState::discarded);
}

int PoolState::shed(int most) {
  int shed = 0;
  for (; shed < most && !ready_.empty(); ++shed)
    discard(*ready_.longest_idle(), DiscardReason::evicted_tenant);
  return shed;
}

void PoolState::leave_queue(Slot& slot) {
  if (slot.state == SlotState::ready) {
    ready_.remove(slot);
  } else if (slot.state == SlotState::checking) {
    ready_.remove_away(slot);
  } else if (slot.state == SlotState::returned) {
    returned_.erase(slot);
  } else if (slot.state == SlotState::discarded) {
    discarded_.erase(slot);
  }
}

// The way from one state to another; only a slot that goes for a check and comes back from it,
// which keeps its place by idleness, and the two common cases of callers go theirs.
void PoolState::move(Slot& slot, SlotState to) {
  leave_queue(slot);
  recount(slot, to);
  if (to == SlotState::ready) {
    ready_.add(slot);
  } else if (to == SlotState::returned) {
    returned_.push_back(slot);
  } else if (to == SlotState::discarded) {
    discarded_.push_back(slot);
  }
}

void PoolState::close(WakeList& wakes, DiscardReason reason) {
  if (!is_closed_) close_reason_ = reason;
  is_closed_ = true;
  lacks_room_ = false;
  waiters_.resolve_all(WaitOutcome::closed, wakes);
  while (Slot* slot = ready_.longest_idle()) discard(*slot, close_reason_);
  while (Slot* slot = returned_.front()) discard(*slot, close_reason_);
}

}  // namespace forebay
