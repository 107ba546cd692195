// The side of PoolState that the background loop sees: opening, expiry, idleness, checks, resizing, audit.
#include <fmt/format.h>

#include <utility>

#include "forebay/base/check.hpp"
#include "forebay/core/pool_state.hpp"

namespace forebay {
namespace {

// The loop looks at least this often, so that a late or lost wake-up cannot leave anything stale for longer.
constexpr Duration kLongestNap = std::chrono::seconds(1);

void wake_no_later_than(PoolWork& work, Instant time) { work.wake_at = std::min(work.wake_at, time); }

}  // namespace

void PoolWork::clear() {
  open.clear();
  reset.clear();
  check.clear();
  close.clear();
  leaked.clear();
  wake_at = kNever;
}

void PoolState::collect(Instant now, PoolWork& work) {
  if (!is_closed_) {
    run_events(now);
    shrink();
    retire_idle(now, work);
    collect_checks(now, work);
    collect_leaks(now, work);

    const RefillDecision decision = plan_refill(rules_.supply, supply_counts(now), now);
    for (int i = 0; i < decision.open; ++i) {
      if (auto approval = capacity_.try_approve()) work.open.push_back(std::move(*approval));
    }
    if (decision.opened_by_keeper > 0) keeper_from_ = now + kKeeperTick;
    wake_no_later_than(work, decision.wake_at);
    if (!events_.empty()) {
      wake_no_later_than(work, events_.front().next_event);
      wake_no_later_than(work, now + kLongestNap);
    }
  }
  while (Slot* slot = list(SlotState::returned).front()) {
    move(*slot, SlotState::resetting);
    work.reset.push_back(slot);
  }
  while (Slot* slot = list(SlotState::discarded).front()) {
    move(*slot, SlotState::closing);
    work.close.push_back(slot);
  }
  known_shortage_ = std::max(0, ready_shortage() - static_cast<int>(work.open.size()));
}

void PoolState::add_opening(Slot& slot) {
  FOREBAY_CHECK(slot.state == SlotState::opening);
  list(SlotState::opening).push_back(slot);
}

bool PoolState::is_still_wanted(const Slot& slot, Instant now) const {
  FOREBAY_CHECK(slot.state == SlotState::opening);
  if (is_closed_ || is_over_capacity()) return false;
  SupplyCounts others = supply_counts(now);
  --others.opening;
  return unmet_demand(rules_.supply, others) > 0;
}

void PoolState::opened(Slot& slot, Instant now, Duration connect_time, Random& random, WakeList& wakes) {
  FOREBAY_CHECK(slot.state == SlotState::opening);
  ++counters_.opened;
  connect_time_.add(connect_time);
  failures_ = 0;
  backoff_until_ = Instant::min();

  slot.opened_at = now;
  slot.expires_at = deadline_after(now, draw_lifetime(rules_.expiry, random));
  slot.stale_at = slot.expires_at - rules_.expiry.guard_window;
  slot.retire_at = spacer_.choose(now, slot.stale_at, rules_.max, random);
  schedule(slot, slot.retire_at - replacement_lead(slot));
  place(slot, now, wakes);

  const int open = ready_.size() + cleaning() + count(SlotState::lent);
  if (open >= rules_.low_watermark) is_filled_ = true;
}

// A burst of connects that fail together is one failure: the next attempts come after one backoff.
void PoolState::open_failed(Instant now, std::string error, Random& random) {
  ++counters_.open_failures;
  last_open_error_ = std::move(error);
  if (now < backoff_until_) return;
  ++failures_;
  backoff_until_ = now + backoff_delay(rules_.backoff, failures_, random);
}

void PoolState::refuse_opening(Slot& slot, DiscardReason reason) {
  FOREBAY_CHECK(slot.state == SlotState::opening);
  ++counters_.discards[static_cast<std::size_t>(reason)];
  slot.reason = reason;
  move(slot, SlotState::closing);
}

void PoolState::reset_done(Slot& slot, Instant now, bool is_clean, WakeList& wakes) {
  FOREBAY_CHECK(slot.state == SlotState::resetting);
  if (is_clean) {
    place(slot, now, wakes);
  } else {
    discard(slot, DiscardReason::reset_failed);
  }
}

void PoolState::check_done(Slot& slot, Instant now, bool is_alive, WakeList& wakes) {
  FOREBAY_CHECK(slot.state == SlotState::checking);
  if (!is_alive) {
    discard(slot, DiscardReason::check_failed);
  } else if (!waiters_.empty() || reason_to_refuse(slot, now)) {
    place(slot, now, wakes);
  } else {
    unlink(slot);
    slot.state = SlotState::ready;
    ready_.put_back(slot, now);
    count_leaving(slot, +1);
    // Its turn to retire came while it was away: that is decided now that it is back.
    if (!slot.event_place.is_in_heap()) schedule(slot, now);
  }
}

void PoolState::remove(Slot& slot) {
  FOREBAY_CHECK(slot.state == SlotState::opening || slot.state == SlotState::closing);
  unlink(slot);
}

std::optional<Approval> PoolState::approve_warm_up(Instant now) {
  if (is_closed_) return std::nullopt;
  const SupplyCounts counts = supply_counts(now);
  if (counts.ready + counts.cleaning + counts.lent + counts.opening >= rules_.supply.keep_open) {
    return std::nullopt;
  }
  return capacity_.try_approve();
}

// Warm-up is best effort: whatever it reached counts as filled.
void PoolState::release_keeper(Instant now) {
  keeper_from_ = now;
  is_filled_ = true;
}

void PoolState::resize(const PoolRules& rules) {
  rules_ = rules;
  capacity_.set_max(rules.max);
  allowed_over_ = std::max(0, capacity_.approved() - rules.max);
}

// ---- what is due -----------------------------------------------------------------------------------

void PoolState::schedule(Slot& slot, Instant at) {
  events_.remove(slot);
  slot.next_event = at;
  events_.push(slot);
}

// Each open slot has two things ahead: its replacement becomes wanted, then it retires.
void PoolState::run_events(Instant now) {
  while (!events_.empty() && events_.front().next_event <= now) {
    Slot& slot = events_.pop();
    if (slot.is_leaving) {
      retire(slot, now);
    } else {
      set_leaving(slot, true);
      schedule(slot, slot.retire_at);
    }
  }
}

void PoolState::retire(Slot& slot, Instant now) {
  if (slot.state != SlotState::ready) return;  // place() decides when it is back
  if (now >= slot.expires_at) {
    discard(slot, DiscardReason::expired_on_scan);
  } else if (now >= slot.stale_at) {
    discard(slot, DiscardReason::expiring_soon_on_scan);
  } else if (ready_.size() > 1) {
    discard(slot, DiscardReason::replaced);
  } else {
    // The last one ready stays until a replacement is there or its guard window begins.
    schedule(slot, std::min(slot.stale_at, now + std::max(Duration(1), (slot.stale_at - now) / 8)));
  }
}

void PoolState::set_leaving(Slot& slot, bool is_leaving) {
  count_leaving(slot, -1);
  slot.is_leaving = is_leaving;
  count_leaving(slot, +1);
}

// How long before its retirement a replacement is opened: time for a connect that is slower than usual,
// and never more than a quarter of a life.
Duration PoolState::replacement_lead(const Slot& slot) const {
  return std::min(4 * connect_time_.estimate(), (slot.retire_at - slot.opened_at) / 4);
}

void PoolState::shrink() {
  while (is_over_capacity() && !ready_.empty()) {
    discard(*ready_.longest_idle(), DiscardReason::shrunk);
  }
}

void PoolState::retire_idle(Instant now, PoolWork& work) {
  if (rules_.idle_timeout == Duration::max()) return;
  while (Slot* slot = ready_.longest_idle()) {
    const int existing = ready_.size() + cleaning() + count(SlotState::lent);
    if (ready_.size() <= target_ready() || existing <= rules_.supply.keep_open) return;
    const Instant due = slot->idle_since + rules_.idle_timeout;
    if (due > now) {
      wake_no_later_than(work, due);
      return;
    }
    discard(*slot, DiscardReason::idle);
  }
}

// At most half of what is ready is away for a check at any time.
void PoolState::collect_checks(Instant now, PoolWork& work) {
  while (Slot* slot = ready_.longest_unproven()) {
    const bool is_suspect = slot->alive_at <= suspect_since_;
    const Instant due = is_suspect ? now : deadline_after(slot->alive_at, rules_.check_after);
    if (due > now) {
      wake_no_later_than(work, due);
      return;
    }
    if (count(SlotState::checking) > ready_.size()) return;
    move(*slot, SlotState::checking);
    work.check.push_back(slot);
  }
}

void PoolState::collect_leaks(Instant now, PoolWork& work) {
  if (rules_.leak_after == Duration::max()) return;
  for (Slot* slot = list(SlotState::lent).front(); slot != nullptr; slot = SlotList::next(*slot)) {
    if (slot->is_leak_reported) continue;
    const Instant due = slot->taken_at + rules_.leak_after;
    if (due > now) {
      wake_no_later_than(work, due);
      return;
    }
    slot->is_leak_reported = true;
    ++counters_.leaks_reported;
    work.leaked.push_back(slot);
  }
}

SupplyCounts PoolState::supply_counts(Instant now) const {
  SupplyCounts counts;
  counts.ready = ready_.size();
  counts.lent = count(SlotState::lent);
  counts.cleaning = cleaning();
  counts.opening = count(SlotState::opening);
  counts.leaving = leaving_;
  counts.leaving_lent = leaving_lent_;
  counts.waiters = waiters_.size();
  counts.room = capacity_.room();
  if (!waiters_.empty()) counts.longest_wait = std::max(Duration::zero(), now - waiters_.longest()->since);
  counts.connect_time = connect_time_.estimate();
  counts.backoff_until = backoff_until_;
  counts.keeper_from = keeper_from_;
  return counts;
}

// ---- audit -----------------------------------------------------------------------------------------

void PoolState::audit() const {
  const auto state_text = [this] {
    std::string text = fmt::format("max {} approved {} waiters {}", rules_.max, approved(), waiters());
    for (std::size_t i = 0; i < kSlotStates; ++i) {
      const auto state = static_cast<SlotState>(i);
      text += fmt::format(" {} {}", name(state), count(state));
    }
    return text;
  };
  int slots = 0;
  int leaving = 0;
  int leaving_lent = 0;
  std::size_t placed = 0;
  const auto look = [&](const Slot& slot, SlotState state) {
    FOREBAY_CHECK(slot.state == state, state_text());
    ++slots;
    if (slot.is_leaving) ++(state == SlotState::lent ? leaving_lent : leaving);
    const bool is_open = state != SlotState::opening && state != SlotState::discarded &&
                         state != SlotState::closing;
    if (is_open) ++placed;
    FOREBAY_CHECK(state != SlotState::ready || slot.event_place.is_in_heap(), state_text());
    FOREBAY_CHECK(is_open || !slot.event_place.is_in_heap(), state_text());
    FOREBAY_CHECK(!is_open || slot.retire_at <= slot.stale_at, state_text());
  };
  ready_.audit();
  for (const Slot* slot = ready_.longest_idle(); slot != nullptr; slot = ReadyQueue::less_idle(*slot)) {
    look(*slot, SlotState::ready);
  }
  for (std::size_t i = 0; i < kSlotStates; ++i) {
    for (const Slot* slot = lists_[i].front(); slot != nullptr; slot = SlotList::next(*slot)) {
      look(*slot, static_cast<SlotState>(i));
    }
  }
  FOREBAY_CHECK(slots == approved(), state_text());
  FOREBAY_CHECK(slots <= rules_.max + allowed_over_, state_text());
  FOREBAY_CHECK(leaving == leaving_ && leaving_lent == leaving_lent_, state_text());
  FOREBAY_CHECK(placed == spacer_.size(), state_text());
  FOREBAY_CHECK(waiters_.empty() || ready_.empty(), state_text());
}

}  // namespace forebay
