// SlotTable: all slots of a pool, each in the queue of its state, and how many there are of each
// kind.
//
// It moves them and decides nothing. The owner keeps the slots alive from add() to remove().
//
// Always (audit() recomputes it): the counts are those of the slots; opening, ready, lent, returned
// and discarded slots stand in the queue of their state, those being checked in that of the ready;
// the times of the lent do not decrease from the longest to the last.
#pragma once

#include <string>

#include "forebay/core/ready_queue.hpp"

namespace forebay {

class SlotTable {
 public:
  // Homes: see ReadyQueue.
  explicit SlotTable(TakeOrder order, int homes = 0) : ready_(order, homes) {}

  // ---- moves

  void add(Slot& slot);     // REQUIRES: opening
  void remove(Slot& slot);  // REQUIRES: opening or closing

  // From any state to any other but checking, and from checking to any.
  void move(Slot& slot, SlotState to);
  // Callers read the clock before they get the lock: an earlier time than the last counts as the
  // same, so that the order of the lent is that of their times.
  void lend(Slot& slot, Instant now) {
    move(slot, SlotState::lent);
    note_lent(slot, now);
  }
  // The two common cases, in one step each.
  void lend_ready(Slot& slot, Instant now) {
    ready_.remove_to(lent_, slot);
    restate(slot, SlotState::lent);
    note_lent(slot, now);
  }
  void make_lent_ready(Slot& slot) {
    restate(slot, SlotState::ready);
    ready_.add_from(lent_, slot);
  }
  // For a check a ready slot leaves, and comes back to its place by idleness.
  void begin_check(Slot& slot);
  void end_check(Slot& slot, Instant alive_at);
  // See ReadyQueue.
  void stamp(Instant now) { ready_.stamp(now); }

  // Its replacement is wanted; it no longer counts as supply.
  void set_leaving(Slot& slot, bool is_leaving);
  // REQUIRES: closing. The server has not let go of it.
  void note_held(Slot& slot);

  // ---- looks

  int count(SlotState state) const;
  int size() const { return as_int(all_.size()); }
  // Given back or being checked: ready again in a moment.
  int cleaning() const { return as_int(returned_.size()) + resetting_ + ready_.away(); }
  int open() const { return ready_.size() + cleaning() + as_int(lent_.size()); }
  int leaving() const { return leaving_; }
  int leaving_lent() const { return leaving_lent_; }
  int held() const { return held_; }

  const ReadyQueue& ready() const { return ready_; }
  Slot* first_returned() const { return returned_.front(); }  // null: there is none
  Slot* first_discarded() const { return discarded_.front(); }
  Slot* longest_lent() const { return lent_.front(); }
  // The one lent next after that one.
  static Slot* lent_after(const Slot& slot) { return SlotQueue::next(slot); }
  // The one added next after that one, of those that are opening too.
  static const Slot* opening_after(const Slot& slot) { return SlotQueue::next(slot); }
  // All of them, in the order in which they were added.
  Slot* first() const { return all_.front(); }
  static Slot* after(const Slot& slot) { return AllSlots::next(slot); }

  void audit() const;
  std::string text() const;  // the counts

 private:
  using AllSlots = IntrusiveList<Slot, &Slot::all_link>;

  static int as_int(std::size_t size) { return static_cast<int>(size); }
  void enter(Slot& slot);
  void leave(Slot& slot);
  void note_lent(Slot& slot, Instant now) {
    if (last_taken_ < now) last_taken_ = now;
    slot.taken_at = last_taken_;
  }
  void restate(Slot& slot, SlotState to) {
    count_leaving(slot, -1);
    slot.state = to;
    count_leaving(slot, +1);
  }
  void count_leaving(const Slot& slot, int change) {
    if (slot.is_leaving) [[unlikely]] {
      (slot.state == SlotState::lent ? leaving_lent_ : leaving_) += change;
    }
  }

  ReadyQueue ready_;
  SlotQueue opening_;  // in the order in which they were added
  SlotQueue lent_;     // longest first
  SlotQueue returned_;
  SlotQueue discarded_;
  AllSlots all_;
  int resetting_ = 0;  // of the states that have no queue
  int closing_ = 0;
  int leaving_ = 0;       // flagged slots that are ready or being cleaned
  int leaving_lent_ = 0;  // and lent ones
  int held_ = 0;
  Instant last_taken_ = Slot::kNeverTaken;
};

}  // namespace forebay
