// The side of PoolState that the background loop sees: opening, expiry, idleness,
// checks, resizing, audit.
#include <utility>

#include <fmt/format.h>

#include "forebay/core/pool_state.hpp"
#include "forebay/detail/base/check.hpp"

namespace forebay {
namespace {

// The loop looks at least this often, so that a late or lost wake-up cannot leave anything
// stale for longer.
constexpr Duration kLongestNap = std::chrono::seconds(1);

// How finely checks and leaks are timed: being a sixteenth of their period late saves looking at
// all the others each time that one is due.
constexpr int kScansPerPeriod = 16;

void wake_no_later_than(PoolWork& work, Instant time) {
  work.wake_at = std::min(work.wake_at, time);
}

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
  slots_.stamp(now);
  if (!is_closed()) {
    run_schedule(now);
    shrink();
    retire_idle(now, work);
    collect_checks(now, work);
    collect_leaks(now, work);
    collect_openings(now, work);
    if (!schedule_.empty()) {
      wake_no_later_than(work, schedule_.next_at());
      wake_no_later_than(work, now + kLongestNap);
    }
  }
  while (Slot* slot = slots_.first_returned()) {
    slots_.move(*slot, SlotState::resetting);
    work.reset.push_back(slot);
  }
  while (Slot* slot = slots_.first_discarded()) {
    slots_.move(*slot, SlotState::closing);
    work.close.push_back(slot);
  }
  set_attention(static_cast<int>(work.open.size()));
}

void PoolState::collect_openings(Instant now, PoolWork& work) {
  const ReadyQueue& ready = slots_.ready();
  if (!ready.empty()) has_unserved_ = false;
  has_learned_hold_ = false;
  const bool is_short =
      ready.size() + slots_.cleaning() - slots_.leaving() < rules_.supply.target();
  short_since_ = is_short ? std::min(short_since_, now) : kNever;
  // Planned as if a shared budget had room, so that it is known what is missing if it has not.
  SupplyCounts counts = supply_counts(now);
  counts.room = room_.free_of_own();
  const RefillDecision decision = plan_refill(rules_.supply, counts, now);
  for (int i = 0; i < decision.open; ++i) {
    if (auto approval = room_.try_approve()) work.open.push_back(std::move(*approval));
  }
  room_.set_lacking(static_cast<int>(work.open.size()) < decision.open);
  if (decision.opened_by_keeper > 0 && !work.open.empty()) keeper_from_ = now + kKeeperTick;
  // What is opened for others comes first, where a shared budget has not room for all.
  const int refused = decision.open - static_cast<int>(work.open.size());
  counters_.keeper_topups +=
      static_cast<std::uint64_t>(std::max(0, decision.opened_by_keeper - refused));
  wake_no_later_than(work, decision.wake_at);
}

// Callers wake the loop when ready falls below what it knows now. A shortage that could not be
// helped at once, because of a backoff or too many connects in flight, is known; in a full pool
// nothing can be done.
void PoolState::set_attention(int about_to_open) {
  const int needed = rules_.supply.target() - slots_.cleaning() + slots_.leaving() -
                     slots_.count(SlotState::opening) - about_to_open;
  attention_below_ = room_.free_of_own() > 0 ? std::min(needed, slots_.ready().size()) : 0;
}

bool PoolState::is_still_wanted(const Slot& slot, Instant now) const {
  FOREBAY_CHECK(slot.state == SlotState::opening);
  if (is_closed() || slot.condemned || room_.is_over()) return false;
  // What stands in line for a permit would be refused like the one before it.
  if (health_.is_refused() && now < health_.backoff_until()) return false;
  // Connects start in the order of their slots: those behind this one must not count as
  // its rivals, or the first in line would give way and what is still wanted would come last.
  int not_ahead = 1;
  const Slot* later = SlotTable::opening_after(slot);
  for (; later != nullptr; later = SlotTable::opening_after(*later)) ++not_ahead;
  SupplyCounts ahead = supply_counts(now);
  ahead.opening -= not_ahead;
  return unmet_demand(rules_.supply, ahead) > 0;
}

void PoolState::opened(Slot& slot, Instant now, Duration connect_time, Random& random,
                       WakeList& wakes) {
  FOREBAY_CHECK(slot.state == SlotState::opening);
  ++counters_.opened;
  health_.note_opened(connect_time, sessions() + 1);
  is_trying_first_ = false;

  slot.opened_at = now;
  slot.expires_at = deadline_after(now, draw_lifetime(rules_.expiry, random));
  slot.stale_at = slot.expires_at - rules_.expiry.guard_window;
  schedule_.add(slot, rules_.max, health_.connect_time(), random);
  place(slot, now, wakes);

  note_fill();
  // A full server lets one in now and then: what it said stays true while more is wanted.
  SupplyCounts counts = supply_counts(now);
  counts.opening = 0;
  if (unmet_demand(rules_.supply, counts) == 0) health_.forget_failure();
}

bool PoolState::open_failed(Instant now, const FailedOpen& failed, Random& random) {
  ++counters_.failures[static_cast<std::size_t>(failed.reason)];
  is_trying_first_ = false;
  return health_.note_failed(now, failed, {rules_.backoff, slots_.open(), sessions()}, random);
}

void PoolState::begin_first_try() {
  is_trying_first_ = true;
  if (rules_.supply.target() == 0 && rules_.supply.keep_open == 0) has_unserved_ = true;
}

void PoolState::refuse_opening(Slot& slot, DiscardReason reason) {
  FOREBAY_CHECK(slot.state == SlotState::opening);
  ++counters_.discards[static_cast<std::size_t>(reason)];
  slot.reason = reason;
  room_.note_going(+1);
  slots_.move(slot, SlotState::closing);
}

void PoolState::refuse_reset(Slot& slot, DiscardReason reason) {
  FOREBAY_CHECK(slot.state == SlotState::resetting);
  discard(slot, reason);
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
    // The answer holds against a suspicion of the same instant, or it would be asked for ever.
    slots_.end_check(slot, std::max(now, suspect_since_ + Duration(1)));
    // Its turn to retire came while it was away: that is decided now that it is back.
    if (!RetirementSchedule::is_ahead(slot)) schedule_.set(slot, now);
  }
}

void PoolState::remove(Slot& slot) {
  if (slot.state == SlotState::closing) room_.note_going(-1);
  slots_.remove(slot);
  slot.approval.give_back_to_pool();
}

void PoolState::suspect_all(Instant now) {
  slots_.stamp(now);
  suspect_since_ = now;
  next_check_scan_ = now;
}

std::optional<Approval> PoolState::approve_warm_up() {
  if (is_closed()) return std::nullopt;
  const int there = slots_.open() + slots_.count(SlotState::opening);
  return there < rules_.supply.keep_open ? room_.try_approve() : std::nullopt;
}

void PoolState::release_keeper(Instant now) {
  keeper_from_ = now;
  is_warm_up_over_ = true;
}

void PoolState::resize(const PoolRules& rules) {
  rules_ = rules;
  room_.resize(rules.max);
  note_fill();
  next_check_scan_ = Instant::min();  // their periods may have become shorter
  next_leak_scan_ = Instant::min();
}

void PoolState::condemn_all(DiscardReason reason) {
  while (Slot* slot = slots_.ready().longest_idle()) discard(*slot, reason);
  for (Slot* slot = slots_.first(); slot != nullptr; slot = SlotTable::after(*slot)) {
    if (slot->state == SlotState::discarded || slot->state == SlotState::closing) continue;
    slot->condemned = reason;
    schedule_.suspend(*slot);  // so that giving it back takes the careful way
  }
}

// ---- what is due

// Each open slot has two things ahead: its replacement becomes wanted, then it retires.
void PoolState::run_schedule(Instant now) {
  while (Slot* slot = schedule_.pop_due(now)) {
    if (slot->is_leaving) {
      retire(*slot, now);
    } else {
      slots_.set_leaving(*slot, true);
      schedule_.set(*slot, slot->retire_at);
    }
  }
}

void PoolState::retire(Slot& slot, Instant now) {
  if (slot.state != SlotState::ready) return;  // place() decides when it is back
  if (now >= slot.expires_at) {
    discard(slot, DiscardReason::expired_on_scan);
  } else if (now >= slot.stale_at) {
    discard(slot, DiscardReason::expiring_soon_on_scan);
  } else if (slots_.ready().size() > 1 && can_spare_one()) {
    discard(slot, DiscardReason::replaced);
  } else {
    schedule_.postpone(slot, now);
  }
}

// Ahead of its guard window a connection is retired only if few others are on their way out or in.
// Where closing and opening are slow, it is better used a little longer than missed.
bool PoolState::can_spare_one() const {
  const int on_their_way = slots_.count(SlotState::opening) + room_.going();
  return on_their_way <= std::max(1, slots_.open() / 10);
}

void PoolState::shrink() {
  while (room_.is_over() && !slots_.ready().empty()) {
    discard(*slots_.ready().longest_idle(), DiscardReason::shrunk);
  }
  room_.note_shrunk();
}

void PoolState::retire_idle(Instant now, PoolWork& work) {
  if (rules_.idle_timeout == Duration::max()) return;
  const ReadyQueue& ready = slots_.ready();
  while (Slot* slot = ready.longest_idle()) {
    if (ready.size() <= rules_.supply.target() || slots_.open() <= rules_.supply.keep_open) return;
    const Instant due = slot->idle_since + rules_.idle_timeout;
    if (due > now) {
      wake_no_later_than(work, due);
      return;
    }
    discard(*slot, DiscardReason::idle);
  }
}

// At most half of what is ready is away for a check at any time. Checks that are due soon after
// each other are made together, kScansPerPeriod times while one of them becomes due.
void PoolState::collect_checks(Instant now, PoolWork& work) {
  if (now >= next_check_scan_) {
    Instant next = deadline_after(now, rules_.check_after);
    while (Slot* slot = slots_.ready().longest_silent()) {
      const Instant due = slot->alive_at <= suspect_since_
                              ? now
                              : deadline_after(slot->alive_at, rules_.check_after);
      if (due > now) {
        next = std::min(next, due);
        break;  // nor is any behind it
      }
      const int away = slots_.count(SlotState::checking);
      if (away > 0 && away + 1 > slots_.ready().size() - 1) {
        next = now;  // as soon as one is back
        break;
      }
      slots_.begin_check(*slot);
      work.check.push_back(slot);
    }
    next_check_scan_ =
        next == now ? now : std::max(next, now + rules_.check_after / kScansPerPeriod);
  }
  if (next_check_scan_ > now) wake_no_later_than(work, next_check_scan_);
}

void PoolState::collect_leaks(Instant now, PoolWork& work) {
  if (rules_.leak_after == Duration::max()) return;
  if (now >= next_leak_scan_) {
    Instant next = now + rules_.leak_after;
    for (Slot* slot = slots_.longest_lent(); slot != nullptr; slot = SlotTable::lent_after(*slot)) {
      if (slot->is_leak_reported) continue;
      const Instant due = slot->taken_at + rules_.leak_after;
      if (due > now) {
        next = due;
        break;  // nor is any behind it
      }
      slot->is_leak_reported = true;
      ++counters_.leaks_reported;
      work.leaked.push_back(slot);
    }
    next_leak_scan_ = std::max(next, now + rules_.leak_after / kScansPerPeriod);
  }
  wake_no_later_than(work, next_leak_scan_);
}

SupplyCounts PoolState::supply_counts(Instant now) const {
  SupplyCounts counts;
  counts.ready = slots_.ready().size();
  counts.lent = slots_.count(SlotState::lent);
  counts.cleaning = slots_.cleaning();
  counts.opening = slots_.count(SlotState::opening);
  counts.leaving = slots_.leaving();
  counts.leaving_lent = slots_.leaving_lent();
  counts.waiters = std::max(waiters_.size(), has_unserved_ ? 1 : 0);
  counts.room = room_.free();
  if (!waiters_.empty())
    counts.longest_wait = std::max(Duration::zero(), now - waiters_.longest()->since);
  if (short_since_ != kNever) counts.short_for = now - short_since_;
  counts.connect_time = health_.connect_time();
  if (hold_time_.is_observed()) counts.hold_time = hold_time_.estimate();
  counts.backoff_until = health_.backoff_until();
  counts.is_probing = health_.failures() > 0 || is_trying_first_;
  counts.replaceable = health_.replaceable(sessions(), counts.opening);
  counts.server_room = health_.server_room().left(sessions(), counts.opening);
  counts.beyond = health_.server_room().beyond();
  counts.beyond_from = health_.server_room().try_from();
  counts.keeper_from = keeper_from_;
  return counts;
}

// ---- audit

std::string PoolState::text() const {
  return fmt::format("max {} approved {} waiters {}{}", rules_.max, room_.approved(), waiters(),
                     slots_.text());
}

void PoolState::audit() const {
  slots_.audit();
  room_.audit();
  std::size_t placed = 0;
  for (const Slot* slot = slots_.first(); slot != nullptr; slot = SlotTable::after(*slot)) {
    const bool is_open = slot->state != SlotState::opening && slot->state != SlotState::discarded &&
                         slot->state != SlotState::closing;
    const bool is_ahead = RetirementSchedule::is_ahead(*slot);
    if (is_open) ++placed;
    FOREBAY_CHECK(slot->state != SlotState::ready || is_ahead, text());
    FOREBAY_CHECK(is_open || !is_ahead, text());
    FOREBAY_CHECK(!is_open || slot->retire_at <= slot->stale_at, text());
  }
  FOREBAY_CHECK(placed == schedule_.size(), text());
  FOREBAY_CHECK(slots_.size() == room_.approved(), text());
  FOREBAY_CHECK(
      slots_.count(SlotState::discarded) + slots_.count(SlotState::closing) == room_.going(),
      text());
  FOREBAY_CHECK(waiters_.empty() || slots_.ready().empty(), text());
}

}  // namespace forebay
