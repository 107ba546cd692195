// ReadyQueue: open, clean, unborrowed connections, in two orders: how long they have been idle, and
// how long nothing has been heard of their server through them.
//
// The longest idle are in front; the back is newest and is taken first by default. Giving back is
// on the hot path and does not look at the clock: what was added since the last stamp() gets its
// time from the next one, and only then its place among the silent. A slot that is away for a check
// keeps its place in the order of idleness and is passed over.
//
// Those that were last used by the same loop, or by threads on the same processor, also stand in a
// list of their own, a *home*: whoever comes from there finds them without looking at the others.
//
// Every operation is O(1), except stamp(), which touches what was added, and those that pass over
// slots which are away.
//
// Always: neither idle_since nor alive_at decreases from front to back of its order; unstamped
// slots are at the back.
#pragma once

#include <cstddef>
#include <vector>

#include "forebay/core/slot.hpp"
#include "forebay/core/supply.hpp"

namespace forebay {

// Slots of one state.
using SlotQueue = IntrusiveList<Slot, &Slot::link>;

class ReadyQueue {
 public:
  // Slots have homes from 0 to less than so many, or none.
  explicit ReadyQueue(TakeOrder order, int homes = 0)
      : order_(order), homes_(static_cast<std::size_t>(homes)) {}

  bool empty() const { return size() == 0; }
  int size() const { return static_cast<int>(slots_.size()) - away_; }
  int away() const { return away_; }

  // The slot to hand out next; null when empty. One of that home, if there is any.
  Slot* next(int home = kNoHome) const {
    const bool is_newest_wanted = order_ == TakeOrder::newest_first;
    if (home != kNoHome) {
      const HomeList& own = homes_[static_cast<std::size_t>(home)];
      if (!own.empty()) return is_newest_wanted ? own.back() : own.front();
    }
    return is_newest_wanted ? last_here(slots_.back()) : longest_idle();
  }
  Slot* longest_idle() const { return first_here(slots_.front()); }
  static Slot* less_idle(const Slot& slot) { return first_here(slot.link.next); }
  // Of those that have a stamp, the one whose server has been silent for longest.
  Slot* longest_silent() const { return silent_.front(); }

  void add(Slot& slot) {  // it was in use until now
    note_added(slot);
    slots_.push_back(slot);
  }
  void remove(Slot& slot) {
    note_removed(slot);
    slots_.erase(slot);
  }
  // The same with the queue that it comes from or goes to, in one step.
  void add_from(SlotQueue& lent, Slot& slot) {
    note_added(slot);
    slots_.take_from(lent, slot);
  }
  void remove_to(SlotQueue& lent, Slot& slot) {
    note_removed(slot);
    lent.take_from(slots_, slot);
  }
  // For a check. It is not ready meanwhile, and stays where it is. REQUIRES: it has a stamp.
  void send_away(Slot& slot) {
    silent_.erase(slot);
    if (slot.home != kNoHome) home_of(slot).erase(slot);
    ++away_;
  }
  // From a check: idle_since stays, and it is alive at that time.
  void put_back(Slot& slot, Instant now);
  void remove_away(Slot& slot) {
    --away_;
    slots_.erase(slot);
  }
  // Whatever was added since the last stamp counts as alive, and idle, since now. The caller
  // read the clock before it got the lock: an earlier time than that of the last stamp counts
  // as the same.
  void stamp(Instant now);
  void audit() const;

 private:
  using HomeList = IntrusiveList<Slot, &Slot::home_link>;
  static constexpr Instant kUnstamped = Instant::max();

  void note_added(Slot& slot) {
    slot.idle_since = kUnstamped;
    if (slot.home != kNoHome) home_of(slot).push_back(slot);
  }
  void note_removed(Slot& slot) {
    if (slot.alive_link.is_linked()) silent_.erase(slot);
    if (slot.home != kNoHome) home_of(slot).erase(slot);
  }
  HomeList& home_of(const Slot& slot) { return homes_[static_cast<std::size_t>(slot.home)]; }

  static bool is_away(const Slot& slot) { return slot.state == SlotState::checking; }
  static Slot* first_here(Slot* slot) {
    while (slot != nullptr && is_away(*slot)) slot = slot->link.next;
    return slot;
  }
  static Slot* last_here(Slot* slot) {
    while (slot != nullptr && is_away(*slot)) slot = slot->link.previous;
    return slot;
  }

  const TakeOrder order_;
  Instant last_stamp_ = Instant::min();
  int away_ = 0;
  SlotQueue slots_;
  IntrusiveList<Slot, &Slot::alive_link> silent_;
  std::vector<HomeList> homes_;
};

}  // namespace forebay
