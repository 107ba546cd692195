// The side of PoolState that the background loop sees: opening, expiry, idleness,
// checks, resizing, audit.
#include <utility>

#include <fmt/format.h>

#include "forebay/base/check.hpp"
#include "forebay/core/pool_state.hpp"

namespace forebay {
namespace {

// The loop looks at least this often, so that a late or lost wake-up cannot leave anything
// stale for longer.
constexpr Duration kLongestNap = std::chrono::seconds(1);

// The longest pause while the server has no connection left for us and some of ours are open: the
// next that ends makes room, and others want it too.
constexpr Duration kLongestPauseAtLimit = std::chrono::seconds(1);

constexpr Duration kShortestPostponement = std::chrono::milliseconds(1);

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
  ready_.stamp(now);
  if (!is_closed_) {
    run_events(now);
    shrink();
    retire_idle(now, work);
    collect_checks(now, work);
    collect_leaks(now, work);

    if (!ready_.empty()) has_unserved_ = false;
    const bool is_short = ready_.size() + cleaning() - leaving_ < rules_.supply.target();
    short_since_ = is_short ? std::min(short_since_, now) : kNever;
    // Planned as if a shared budget had room, so that it is known what is missing if it has not.
    SupplyCounts counts = supply_counts(now);
    counts.room = capacity_.own_room();
    const RefillDecision decision = plan_refill(rules_.supply, counts, now);
    for (int i = 0; i < decision.open; ++i) {
      if (auto approval = capacity_.try_approve()) work.open.push_back(std::move(*approval));
    }
    lacks_room_ = static_cast<int>(work.open.size()) < decision.open;
    if (decision.opened_by_keeper > 0 && !work.open.empty()) keeper_from_ = now + kKeeperTick;
    wake_no_later_than(work, decision.wake_at);
    if (!events_.empty()) {
      wake_no_later_than(work, events_.front().next_event);
      wake_no_later_than(work, now + kLongestNap);
    }
  }
  while (Slot* slot = returned_.front()) {
    move(*slot, SlotState::resetting);
    work.reset.push_back(slot);
  }
  while (Slot* slot = discarded_.front()) {
    move(*slot, SlotState::closing);
    work.close.push_back(slot);
  }
  capacity_.return_grants();
  set_attention(static_cast<int>(work.open.size()));
}

std::optional<RoomNeed> PoolState::room_need() const {
  if (!lacks_room_ || is_closed_) return std::nullopt;
  if (waiters_.empty() && !has_unserved_) return RoomNeed::ahead;
  return capacity_.approved() == going() ? RoomNeed::empty_handed : RoomNeed::waiting;
}

// Callers wake the loop when ready falls below what it knows now. A shortage that could not be
// helped at once, because of a backoff or too many connects in flight, is known; in a full pool
// nothing can be done.
void PoolState::set_attention(int about_to_open) {
  const int needed =
      rules_.supply.target() - cleaning() + leaving_ - count(SlotState::opening) - about_to_open;
  attention_below_ = capacity_.own_room() > 0 ? std::min(needed, ready_.size()) : 0;
}

void PoolState::add_opening(Slot& slot) {
  FOREBAY_CHECK(slot.state == SlotState::opening);
  all_.push_back(slot);
  ++counted(SlotState::opening);
}

bool PoolState::is_still_wanted(const Slot& slot, Instant now) const {
  FOREBAY_CHECK(slot.state == SlotState::opening);
  if (is_closed_ || slot.condemned || is_over_capacity()) return false;
  // Connects start in the order of their slots: whoever stands behind this one must not count as
  // its rival, or the first in line would give way and what is still wanted would come last.
  int not_ahead = 1;
  for (const Slot* later = AllSlots::next(slot); later != nullptr; later = AllSlots::next(*later)) {
    if (later->state == SlotState::opening) ++not_ahead;
  }
  SupplyCounts ahead = supply_counts(now);
  ahead.opening -= not_ahead;
  return unmet_demand(rules_.supply, ahead) > 0;
}

void PoolState::opened(Slot& slot, Instant now, Duration connect_time, Random& random,
                       WakeList& wakes) {
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

  if (open() >= rules_.low_watermark) is_filled_ = true;
  // A full server lets one in now and then: what it said stays true while more is wanted.
  SupplyCounts counts = supply_counts(now);
  counts.opening = 0;
  if (unmet_demand(rules_.supply, counts) == 0) last_failure_.reset();
}

// A burst of connects that fail together is one failure: the next attempts come after one backoff.
void PoolState::open_failed(Instant now, FailedOpen failed, Random& random) {
  ++counters_.failures[static_cast<std::size_t>(failed.reason)];
  const bool is_server_full =
      failed.reason == OpenFailure::connection_open && failed.error.code() == Errc::limit_reached;
  last_failure_.emplace(std::move(failed));
  if (now < backoff_until_) return;
  ++failures_;
  BackoffRule rule = rules_.backoff;
  if (is_server_full && open() > 0) rule.longest = std::min(rule.longest, kLongestPauseAtLimit);
  backoff_until_ = now + backoff_delay(rule, failures_, random);
}

void PoolState::refuse_opening(Slot& slot, DiscardReason reason) {
  FOREBAY_CHECK(slot.state == SlotState::opening);
  ++counters_.discards[static_cast<std::size_t>(reason)];
  slot.reason = reason;
  capacity_.note_going(+1);
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
    recount(slot, SlotState::ready);
    // The answer holds against a suspicion of the same instant, or it would be asked for ever.
    ready_.put_back(slot, std::max(now, suspect_since_ + Duration(1)));
    // Its turn to retire came while it was away: that is decided now that it is back.
    if (!slot.event_place.is_in_heap()) schedule(slot, now);
  }
}

void PoolState::note_held(Slot& slot) {
  FOREBAY_CHECK(slot.state == SlotState::closing && !slot.is_held);
  slot.is_held = true;
  ++held_;
}

void PoolState::remove(Slot& slot) {
  FOREBAY_CHECK(slot.state == SlotState::opening || slot.state == SlotState::closing);
  if (slot.state == SlotState::closing) capacity_.note_going(-1);
  if (slot.is_held) --held_;
  --counted(slot.state);
  all_.erase(slot);
}

void PoolState::suspect_all(Instant now) {
  ready_.stamp(now);
  suspect_since_ = now;
  next_check_scan_ = now;
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
  is_shrinking_ = allowed_over_ > 0;
  next_check_scan_ = Instant::min();  // their periods may have become shorter
  next_leak_scan_ = Instant::min();
}

void PoolState::condemn_all(DiscardReason reason) {
  while (Slot* slot = ready_.longest_idle()) discard(*slot, reason);
  for (Slot* slot = all_.front(); slot != nullptr; slot = AllSlots::next(*slot)) {
    if (slot->state == SlotState::discarded || slot->state == SlotState::closing) continue;
    slot->condemned = reason;
    events_.remove(*slot);  // so that giving it back takes the careful way
  }
}

// ---- what is due

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
  } else if (ready_.size() > 1 && can_spare_one()) {
    discard(slot, DiscardReason::replaced);
  } else {
    postpone(slot, now);
  }
}

void PoolState::set_leaving(Slot& slot, bool is_leaving) {
  count_leaving(slot, -1);
  slot.is_leaving = is_leaving;
  count_leaving(slot, +1);
}

// Ahead of its guard window a connection is retired only if few others are on their way out or in.
// Where closing and opening are slow, it is better used a little longer than missed.
bool PoolState::can_spare_one() const {
  const int on_their_way = count(SlotState::opening) + going();
  return on_their_way <= std::max(1, open() / 10);
}

// Looks again soon, and ever sooner as its guard window comes nearer, but a bounded
// number of times.
void PoolState::postpone(Slot& slot, Instant now) {
  const Duration pause = std::max<Duration>(kShortestPostponement, (slot.stale_at - now) / 8);
  schedule(slot, std::min(slot.stale_at, now + pause));
}

// How long before its retirement a replacement is opened: time for a connect that is slower than
// usual, and never more than a quarter of a life.
Duration PoolState::replacement_lead(const Slot& slot) const {
  return std::min(4 * connect_time_.estimate(), (slot.retire_at - slot.opened_at) / 4);
}

void PoolState::shrink() {
  while (is_over_capacity() && !ready_.empty()) {
    discard(*ready_.longest_idle(), DiscardReason::shrunk);
  }
  is_shrinking_ = capacity_.approved() > capacity_.max();
}

void PoolState::retire_idle(Instant now, PoolWork& work) {
  if (rules_.idle_timeout == Duration::max()) return;
  while (Slot* slot = ready_.longest_idle()) {
    if (ready_.size() <= rules_.supply.target() || open() <= rules_.supply.keep_open) return;
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
    while (Slot* slot = ready_.longest_silent()) {
      const Instant due = slot->alive_at <= suspect_since_
                              ? now
                              : deadline_after(slot->alive_at, rules_.check_after);
      if (due > now) {
        next = std::min(next, due);
        break;  // nor is any behind it
      }
      const int away = count(SlotState::checking);
      if (away > 0 && away + 1 > ready_.size() - 1) {
        next = now;  // as soon as one is back
        break;
      }
      recount(*slot, SlotState::checking);
      ready_.send_away(*slot);
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
    for (Slot* slot = all_.front(); slot != nullptr; slot = AllSlots::next(*slot)) {
      if (slot->state != SlotState::lent || slot->is_leak_reported) continue;
      const Instant due = slot->taken_at + rules_.leak_after;
      if (due <= now) {
        slot->is_leak_reported = true;
        ++counters_.leaks_reported;
        work.leaked.push_back(slot);
      } else {
        next = std::min(next, due);
      }
    }
    next_leak_scan_ = std::max(next, now + rules_.leak_after / kScansPerPeriod);
  }
  wake_no_later_than(work, next_leak_scan_);
}

SupplyCounts PoolState::supply_counts(Instant now) const {
  SupplyCounts counts;
  counts.ready = ready_.size();
  counts.lent = count(SlotState::lent);
  counts.cleaning = cleaning();
  counts.opening = count(SlotState::opening);
  counts.leaving = leaving_;
  counts.leaving_lent = leaving_lent_;
  counts.waiters = std::max(waiters_.size(), has_unserved_ ? 1 : 0);
  counts.room = capacity_.room();
  if (!waiters_.empty())
    counts.longest_wait = std::max(Duration::zero(), now - waiters_.longest()->since);
  if (short_since_ != kNever) counts.short_for = now - short_since_;
  counts.connect_time = connect_time_.estimate();
  counts.backoff_until = backoff_until_;
  counts.is_probing = failures_ > 0;
  counts.keeper_from = keeper_from_;
  return counts;
}

// ---- audit

std::string PoolState::text() const {
  std::string text =
      fmt::format("max {} approved {} waiters {}", rules_.max, approved(), waiters());
  for (std::size_t i = 0; i < kSlotStates; ++i) {
    text += fmt::format(" {} {}", name(static_cast<SlotState>(i)), counts_[i]);
  }
  return text;
}

void PoolState::audit() const {
  std::array<int, kSlotStates> counts{};
  int leaving = 0;
  int leaving_lent = 0;
  int held = 0;
  std::size_t placed = 0;
  for (const Slot* slot = all_.front(); slot != nullptr; slot = AllSlots::next(*slot)) {
    ++counts[static_cast<std::size_t>(slot->state)];
    const bool is_lent = slot->state == SlotState::lent;
    if (slot->is_leaving) ++(is_lent ? leaving_lent : leaving);
    const bool is_open = slot->state != SlotState::opening && slot->state != SlotState::discarded &&
                         slot->state != SlotState::closing;
    if (is_open) ++placed;
    if (slot->is_held) ++held;
    FOREBAY_CHECK(!slot->is_held || slot->state == SlotState::closing, text());
    FOREBAY_CHECK(slot->state != SlotState::ready || slot->event_place.is_in_heap(), text());
    FOREBAY_CHECK(is_open || !slot->event_place.is_in_heap(), text());
    FOREBAY_CHECK(!is_open || slot->retire_at <= slot->stale_at, text());
  }
  ready_.audit();
  FOREBAY_CHECK(counts == counts_, text());
  FOREBAY_CHECK(count(SlotState::ready) == ready_.size(), text());
  FOREBAY_CHECK(count(SlotState::returned) == static_cast<int>(returned_.size()), text());
  FOREBAY_CHECK(count(SlotState::discarded) == static_cast<int>(discarded_.size()), text());
  FOREBAY_CHECK(static_cast<int>(all_.size()) == approved(), text());
  FOREBAY_CHECK(approved() <= rules_.max + allowed_over_, text());
  FOREBAY_CHECK(is_shrinking_ || approved() <= rules_.max, text());
  FOREBAY_CHECK(leaving == leaving_ && leaving_lent == leaving_lent_, text());
  FOREBAY_CHECK(placed == spacer_.size(), text());
  FOREBAY_CHECK(held == held_, text());
  FOREBAY_CHECK(waiters_.empty() || ready_.empty(), text());
}

}  // namespace forebay
