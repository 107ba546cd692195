// PoolState: the whole of a pool's decisions as one state machine, without locks, clocks or I/O.
//
//   opening -> ready <-> lent -> (returned -> resetting) -> ready
//              ready <-> checking
//   any but opening -> discarded -> closing -> gone
//
// Always (audit() recomputes it all):
//  * the slots of all eight states together are the approvals, and these are at most max;
//    after a resize to less, those above max only shrink.
//  * while somebody waits, nothing is ready: a freed connection goes to the longest waiter,
//    not to a race.
//  * nothing is handed out at or after its stale_at.
//
// The owner guards it with one lock, passes the time, and keeps the slots alive from
// add_opening() to remove(). Waiters that a call resolves are put into its WakeList; the owner
// wakes them after unlocking.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "forebay/base/check.hpp"
#include "forebay/core/connect_time.hpp"
#include "forebay/core/metered.hpp"
#include "forebay/core/pool_counters.hpp"
#include "forebay/core/pool_rules.hpp"
#include "forebay/core/retirement_spacer.hpp"
#include "forebay/core/waiter_queue.hpp"

namespace forebay {

// What the pool's background loop must do now, and when to ask again.
struct PoolWork {
  std::vector<Approval> open;  // one connect each
  std::vector<Slot*> reset;
  std::vector<Slot*> check;
  std::vector<Slot*> close;
  std::vector<Slot*> leaked;  // still lent: report them
  Instant wake_at = kNever;

  void clear();
  bool empty() const {
    return open.empty() && reset.empty() && check.empty() && close.empty() && leaked.empty();
  }
};

class PoolState {
 public:
  explicit PoolState(const PoolRules& rules, Capacity* process_capacity = nullptr);
  ~PoolState();  // REQUIRES: closed, and every slot removed

  // ---- callers

  // The common case, for callers who know the time only roughly: hands out the next connection if
  // it is fresh even at the latest time it could be, or null. Null says nothing: ask take().
  Slot* take_surely_fresh(Instant earliest, Instant latest, const std::source_location& from) {
    Slot* slot = ready_.next();
    if (slot == nullptr || slot->stale_at <= latest || is_closed_) return nullptr;
    ready_.remove(*slot);
    recount(*slot, SlotState::lent);
    note_taken(*slot, earliest, from);
    return slot;
  }
  // The next fresh connection, or null. Stale ones met on the way are discarded.
  Slot* take(Instant now, const std::source_location& from);
  // REQUIRES: take() has just said that nothing is ready.
  void add_waiter(Waiter& waiter) { waiters_.add(waiter); }
  void count_empty() { ++counters_.empty; }  // a caller found nothing
  // So long it took a caller to get what was ready.
  void note_ready_time(Duration time) { counters_.ready_times.record(time); }
  void note_same_ready_time() { counters_.ready_times.record_again(); }
  // A caller found nothing and does not wait. It leaves the wish for one connection behind, so that
  // somebody who comes back finds what an empty pool would never open for those who do not wait.
  void note_unserved() {
    ++counters_.empty;
    has_unserved_ = true;
  }
  // True: it had not been resolved, and now has timed out.
  bool time_out(Waiter& waiter);
  // The common case, which needs no time: clean, nobody waits, nothing due. False: nothing was
  // done, call give_back().
  bool give_back_to_ready(Slot& slot) {
    const bool is_plain = waiters_.empty() && slot.event_place.is_in_heap() && !is_closed_ &&
                          !is_shrinking_ && ready_.size() < rules_.max_ready &&
                          !capacity_.is_called();
    if (is_plain) {
      FOREBAY_CHECK(slot.state == SlotState::lent, "given back, but not lent");
      if constexpr (kIsMetered) ++counters_.given_back;
      recount(slot, SlotState::ready);
      ready_.add(slot);
    }
    return is_plain;
  }
  void give_back(Slot& slot, Instant now, bool needs_reset, WakeList& wakes);
  void discard_lent(Slot& slot, DiscardReason reason);

  // ---- the background loop

  // Decides everything that is due and appends it to work, which the caller has cleared.
  void collect(Instant now, PoolWork& work);
  void add_opening(Slot& slot);
  // Decided again just before a connect starts: what came back in the meantime may have
  // made it needless.
  bool is_still_wanted(const Slot& slot, Instant now) const;
  void opened(Slot& slot, Instant now, Duration connect_time, Random& random, WakeList& wakes);
  void open_failed(Instant now, FailedOpen failed, Random& random);
  void refuse_opening(Slot& slot, DiscardReason reason);  // it did open, and must be closed
  void reset_done(Slot& slot, Instant now, bool is_clean, WakeList& wakes);
  void check_done(Slot& slot, Instant now, bool is_alive, WakeList& wakes);
  // Something told us that the server may be gone: everything ready is checked before long.
  void suspect_all(Instant now);
  // It has been closing for long: the server has not let go of its session.
  void note_held(Slot& slot);
  void remove(Slot& slot);  // opening (it failed) or closing (it is gone)
  // Warm-up opens one after the other by itself; the keeper holds still until it is done.
  std::optional<Approval> approve_warm_up(Instant now);
  void hold_keeper() { keeper_from_ = kNever; }
  void release_keeper(Instant now);

  // ---- changes at run time

  void resize(const PoolRules& rules);
  // Everything that exists now goes: what is ready at once, the rest when nobody uses it any more.
  void condemn_all(DiscardReason reason);
  // Up to so many that are ready go to make room for others. How many went.
  int shed(int most);
  // When the shared budget calls, a connection that comes back goes if nobody waits for it here;
  // and so many do although somebody waits, if they have served somebody here.
  void set_yields(int yields) { yields_ = yields; }
  // No caller is served any more, and everything that is not in use goes.
  void close(WakeList& wakes, DiscardReason reason = DiscardReason::closed);

  // ---- what is known

  const PoolRules& rules() const { return rules_; }
  const PoolCounters& counters() const { return counters_; }
  int count(SlotState state) const { return counts_[static_cast<std::size_t>(state)]; }
  // Given back or being checked: ready again in a moment.
  int cleaning() const {
    return count(SlotState::returned) + count(SlotState::resetting) + count(SlotState::checking);
  }
  int held() const { return held_; }
  int waiters() const { return waiters_.size(); }
  int approved() const { return capacity_.approved(); }
  Capacity& capacity() { return capacity_; }  // for a budget to grant it room
  bool is_closed() const { return is_closed_; }
  bool is_filled() const { return is_filled_; }
  // True: when it was last asked it would have opened more, but the budget that it shares had
  // no room.
  bool lacks_room() const { return lacks_room_; }
  // Why it should stand in line for room of the budget; nothing: it should not.
  std::optional<RoomNeed> room_need() const;
  Duration connect_time() const { return connect_time_.estimate(); }
  // Connects that failed in a row, where those that failed together count as one, and when the
  // pause after the last of them ends.
  int failures() const { return failures_; }
  Instant backoff_until() const { return backoff_until_; }
  // Of the last attempt to open, if that failed.
  const std::optional<FailedOpen>& last_failure() const { return last_failure_; }
  // Calls visit(slot) for every lent slot, in no particular order.
  template <class Visit>
  void for_each_lent(Visit&& visit) const {
    for (const Slot* slot = all_.front(); slot != nullptr; slot = AllSlots::next(*slot)) {
      if (slot->state == SlotState::lent) visit(*slot);
    }
  }
  // True: the background loop has work that the last collect() did not know of. Cheap:
  // asked by callers.
  bool wants_attention() const {
    return ready_.size() < attention_below_ || !returned_.empty() || !discarded_.empty();
  }
  void audit() const;
  std::string text() const;  // the counts, for whoever reports a broken promise

 private:
  using SlotQueue = IntrusiveList<Slot, &Slot::link>;
  using AllSlots = IntrusiveList<Slot, &Slot::all_link>;

  int& counted(SlotState state) { return counts_[static_cast<std::size_t>(state)]; }
  void move(Slot& slot, SlotState to);
  void leave_queue(Slot& slot);
  void discard(Slot& slot, DiscardReason reason);
  void lend(Slot& slot, Instant now, const std::source_location& from) {
    move(slot, SlotState::lent);
    note_taken(slot, now, from);
  }
  void note_taken(Slot& slot, Instant now, const std::source_location& from) {
    slot.taken_at = now;
    slot.taken_from = from;
    slot.is_leak_reported = false;
    if constexpr (kIsMetered) ++counters_.acquired;
  }
  // The books of every move; the queues are the caller's.
  void recount(Slot& slot, SlotState to) {
    count_leaving(slot, -1);
    --counted(slot.state);
    slot.state = to;
    ++counted(to);
    count_leaving(slot, +1);
  }
  void count_leaving(const Slot& slot, int change) {
    if (slot.is_leaving) [[unlikely]] {
      (slot.state == SlotState::lent ? leaving_lent_ : leaving_) += change;
    }
  }
  std::optional<DiscardReason> reason_to_refuse(const Slot& slot, Instant now) const;
  void refuse(Slot& slot, DiscardReason reason);
  void place(Slot& slot, Instant now, WakeList& wakes);
  bool is_over_capacity() const;
  // What has just been opened serves whoever waits for it before it can be yielded: with more
  // tenants than connections nobody would ever be served.
  bool answers_call(const Slot& slot) const {
    return capacity_.is_called() &&
           (waiters_.empty() || (yields_ > 0 && slot.taken_at != Slot::kNeverTaken));
  }
  int going() const { return count(SlotState::discarded) + count(SlotState::closing); }
  int open() const { return ready_.size() + cleaning() + count(SlotState::lent); }
  void set_attention(int about_to_open);

  void run_events(Instant now);
  void retire(Slot& slot, Instant now);
  void postpone(Slot& slot, Instant now);
  bool can_spare_one() const;
  void set_leaving(Slot& slot, bool is_leaving);
  void schedule(Slot& slot, Instant at);
  Duration replacement_lead(const Slot& slot) const;
  void shrink();
  void retire_idle(Instant now, PoolWork& work);
  void collect_checks(Instant now, PoolWork& work);
  void collect_leaks(Instant now, PoolWork& work);
  SupplyCounts supply_counts(Instant now) const;

  static bool happens_earlier(const Slot& a, const Slot& b) {
    return a.next_event != b.next_event ? a.next_event < b.next_event : a.id < b.id;
  }

  PoolRules rules_;
  Capacity capacity_;
  PoolCounters counters_;
  ReadyQueue ready_;
  WaiterQueue waiters_;
  SlotQueue returned_;
  SlotQueue discarded_;
  AllSlots all_;
  std::array<int, kSlotStates> counts_{};
  IntrusiveHeap<Slot, &Slot::event_place, &PoolState::happens_earlier> events_;
  RetirementSpacer spacer_;
  ConnectTime connect_time_;
  int leaving_ = 0;       // flagged slots that are ready or being cleaned
  int leaving_lent_ = 0;  // and lent ones
  int held_ = 0;
  int failures_ = 0;  // in a row, counted once per backoff
  Instant backoff_until_ = Instant::min();
  Instant keeper_from_ = Instant::min();
  Instant suspect_since_ = Instant::min();
  Instant short_since_ = kNever;            // since when fewer than the target have been ready
  std::optional<FailedOpen> last_failure_;  // none once all is there that is wanted
  Instant next_check_scan_ = Instant::min();
  Instant next_leak_scan_ = Instant::min();
  int attention_below_ = 0;  // fewer ready than this is news to the background loop
  int yields_ = 0;
  int allowed_over_ = 0;       // how far a resize to less left us above max
  bool is_shrinking_ = false;  // there may be more than max
  bool has_unserved_ = false;  // somebody went away without a connection, and may come again
  bool lacks_room_ = false;
  bool is_closed_ = false;
  bool is_filled_ = false;
  DiscardReason close_reason_ = DiscardReason::closed;
};

}  // namespace forebay
