// PoolState: the whole of a pool's decisions as one state machine, without locks, clocks or I/O.
//
//   opening -> ready <-> lent -> (returned -> resetting) -> ready
//              ready <-> checking
//   any but opening -> discarded -> closing -> gone
//
// It decides; its parts keep the books: where each slot is (SlotTable), what lies ahead of it
// (RetirementSchedule), how connects go (ConnectHealth), how many there may be (PoolRoom).
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

#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "forebay/core/connect_health.hpp"
#include "forebay/core/metered.hpp"
#include "forebay/core/pool_counters.hpp"
#include "forebay/core/pool_room.hpp"
#include "forebay/core/pool_rules.hpp"
#include "forebay/core/retirement_schedule.hpp"
#include "forebay/core/slot_table.hpp"
#include "forebay/core/waiter_queue.hpp"
#include "forebay/detail/base/check.hpp"

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
  // Homes: see ReadyQueue.
  explicit PoolState(const PoolRules& rules, Capacity* process_capacity = nullptr, int homes = 0);
  ~PoolState();  // REQUIRES: closed, and every slot removed

  // ---- callers

  // The common case, for callers who know the time only roughly: hands out the next connection if
  // it is fresh even at the latest time it could be, or null. Null says nothing: ask take().
  Slot* take_surely_fresh(Instant earliest, Instant latest, const std::source_location& from,
                          int home = kNoHome) {
    Slot* slot = slots_.ready().next(home);
    if (slot == nullptr || slot->stale_at <= latest || is_closed()) return nullptr;
    slots_.lend_ready(*slot, earliest);
    note_taken(*slot, from, home);
    return slot;
  }
  // The next fresh connection, or null; one of the caller's home, if there is any.
  // Stale ones met on the way are discarded.
  Slot* take(Instant now, const std::source_location& from, int home = kNoHome);
  // REQUIRES: take() has just said that nothing is ready.
  void add_waiter(Waiter& waiter) { waiters_.add(waiter); }
  void count_empty() { ++counters_.empty; }  // a caller found nothing
  // How long it took a caller to get what was ready.
  void note_ready_time(Duration time) { counters_.ready_times.record(time); }
  void note_same_ready_time() { counters_.ready_times.record_again(); }
  // A caller found nothing and does not wait. It leaves the wish for one connection behind, so that
  // somebody who comes back finds what an empty pool would never open for those who do not wait.
  void note_unserved() {
    ++counters_.empty;
    has_unserved_ = true;
  }
  // True: nothing is open or on its way, and until the next attempt nothing will be, because the
  // server refuses us for good. To wait would be in vain.
  bool is_refusing(Instant now) const;
  // A caller who comes while it is so. It leaves the wish for one connection behind.
  void refuse(Waiter& waiter);
  // True: it had not been resolved, and now has timed out.
  bool time_out(Waiter& waiter);
  // The same for one that is cancelled.
  bool cancel(Waiter& waiter);
  // The common case, which needs no time: clean, nobody waits, nothing due. False: nothing was
  // done, call give_back().
  bool give_back_to_ready(Slot& slot) {
    const bool is_plain = waiters_.empty() && RetirementSchedule::is_ahead(slot) && !is_closed() &&
                          slots_.ready().size() < rules_.max_ready && room_.is_at_rest();
    if (is_plain) {
      FOREBAY_CHECK(slot.state == SlotState::lent, "given back, but not lent");
      if constexpr (kIsMetered) ++counters_.given_back;
      slots_.make_lent_ready(slot);
    }
    return is_plain;
  }
  void give_back(Slot& slot, Instant now, bool needs_reset, WakeList& wakes);
  void discard_lent(Slot& slot, DiscardReason reason);

  // ---- the background loop

  // Decides everything that is due and appends it to work, which the caller has cleared.
  void collect(Instant now, PoolWork& work);
  void add_opening(Slot& slot) { slots_.add(slot); }
  // Decided again just before a connect starts: what came back in the meantime may have
  // made it needless.
  bool is_still_wanted(const Slot& slot, Instant now) const;
  void opened(Slot& slot, Instant now, Duration connect_time, Random& random, WakeList& wakes);
  // True: a pause begins, in which nothing is tried.
  bool open_failed(Instant now, const FailedOpen& failed, Random& random);
  // Those who wait hear it if is_refusing().
  void refuse_waiters(Instant now, WakeList& wakes);
  // One is opened before all others, even if none is to be kept: what is wrong for good shows at
  // once, and once.
  void begin_first_try();
  void refuse_opening(Slot& slot, DiscardReason reason);  // it did open, and must be closed
  void reset_done(Slot& slot, Instant now, bool is_clean, WakeList& wakes);
  // Instead: it is clean, and the application does not want it so.
  void refuse_reset(Slot& slot, DiscardReason reason);
  void check_done(Slot& slot, Instant now, bool is_alive, WakeList& wakes);
  // Something told us that the server may be gone: everything ready is checked before long.
  void suspect_all(Instant now);
  // It has been closing for long: the server has not let go of its session.
  void note_held(Slot& slot) { slots_.note_held(slot); }
  // Opening (it failed) or closing (it is gone). Its approval goes back with its place in the
  // books; the part of a shared budget only when the owner destroys the slot.
  void remove(Slot& slot);
  // Warm-up opens one after the other by itself; the keeper holds still until it is done.
  std::optional<Approval> approve_warm_up();
  void hold_keeper() { keeper_from_ = kNever; }
  void release_keeper(Instant now);

  // ---- changes at run time

  void resize(const PoolRules& rules);
  // Everything that exists now goes: what is ready at once, the rest when nobody uses it any more.
  void condemn_all(DiscardReason reason);
  // Ready connections go to make room for others. How many went.
  int shed(int most, DiscardReason reason = DiscardReason::evicted_tenant);
  // No caller is served any more, and everything that is not in use goes.
  void close(WakeList& wakes, DiscardReason reason = DiscardReason::closed);

  // ---- what is known

  const PoolRules& rules() const { return rules_; }
  const PoolCounters& counters() const { return counters_; }
  const SlotTable& slots() const { return slots_; }
  const ConnectHealth& health() const { return health_; }
  const PoolRoom& room() const { return room_; }
  PoolRoom& room() { return room_; }  // for the budget, and those who share it
  int waiters() const { return waiters_.size(); }
  bool is_closed() const { return closed_for_.has_value(); }
  bool is_filled() const { return is_filled_; }
  // Warm-up is over, and has not filled it.
  bool has_given_up() const { return is_warm_up_over_ && !is_filled_; }
  bool is_trying_first() const { return is_trying_first_; }
  // Why it should stand in line for room of the budget; nothing: it should not.
  std::optional<RoomNeed> room_need() const { return room_.need(is_awaited()); }
  // True: the background loop has work that the last collect() did not know of. Cheap:
  // asked by callers.
  bool wants_attention() const {
    return slots_.ready().size() < attention_below_ || slots_.first_returned() != nullptr ||
           slots_.first_discarded() != nullptr || has_learned_hold_;
  }
  // The same when a caller has just found nothing. One that stands in line in a full pool is served
  // by what comes back, and the loop can do nothing for it.
  bool wants_demand() const { return room_.free_of_own() > 0 || wants_attention(); }
  void audit() const;
  std::string text() const;  // the counts, for reports of a broken promise

 private:
  void discard(Slot& slot, DiscardReason reason);
  void lend(Slot& slot, Instant now, const std::source_location& from, int home) {
    slots_.lend(slot, now);
    note_taken(slot, from, home);
  }
  void note_taken(Slot& slot, const std::source_location& from, int home) {
    if (home != kNoHome) slot.home = home;
    slot.taken_from = from;
    slot.is_leak_reported = false;
    if constexpr (kIsMetered) ++counters_.acquired;
  }
  std::optional<DiscardReason> reason_to_refuse(const Slot& slot, Instant now) const;
  void refuse(Slot& slot, DiscardReason reason);
  void note_fill() { is_filled_ = is_filled_ || slots_.open() >= rules_.low_watermark; }
  // What the server may count of ours, but for those on their way.
  int sessions() const { return slots_.open() + room_.going(); }
  void place(Slot& slot, Instant now, WakeList& wakes);
  bool is_called_for(const Slot& slot) const {
    return room_.is_called(!waiters_.empty(), slot.taken_at != Slot::kNeverTaken);
  }
  bool is_awaited() const { return !waiters_.empty() || has_unserved_; }
  void set_attention(int about_to_open);

  void run_schedule(Instant now);
  void retire(Slot& slot, Instant now);
  bool can_spare_one() const;
  void shrink();
  void retire_idle(Instant now, PoolWork& work);
  void collect_checks(Instant now, PoolWork& work);
  void collect_leaks(Instant now, PoolWork& work);
  void collect_openings(Instant now, PoolWork& work);
  SupplyCounts supply_counts(Instant now) const;

  PoolRules rules_;
  PoolCounters counters_;
  PoolRoom room_;
  SlotTable slots_;
  WaiterQueue waiters_;
  RetirementSchedule schedule_;
  ConnectHealth health_;
  // Of loans that were given back while somebody waited, or not clean: others need no clock.
  TimeEstimate hold_time_{Duration(1)};
  bool has_learned_hold_ = false;  // for the first time, and the loop has not looked since
  Instant keeper_from_ = Instant::min();
  Instant short_since_ = kNever;  // since when fewer than the target have been ready
  Instant suspect_since_ = Instant::min();
  Instant next_check_scan_ = Instant::min();
  Instant next_leak_scan_ = Instant::min();
  int attention_below_ = 0;    // fewer ready than this is news to the background loop
  bool has_unserved_ = false;  // somebody went away without a connection, and may come again
  bool is_filled_ = false;
  bool is_warm_up_over_ = false;
  bool is_trying_first_ = false;
  std::optional<DiscardReason> closed_for_;  // why everything goes; nothing: it does not
};

}  // namespace forebay
