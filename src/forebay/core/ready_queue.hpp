// ReadyQueue: open, clean, unborrowed connections, in two orders: how long they have been idle, and
// how long nothing has been heard of their server through them.
//
// The longest idle are in front; the back is newest and is taken first by default. Giving back is
// on the hot path and does not look at the clock: what was added since the last stamp() gets its
// time from the next one, and only then its place among the silent. A slot that is away for a check
// keeps its place in the order of idleness and is passed over.
//
// Every operation is O(1), except stamp(), which touches what was added, and those that pass over
// slots which are away.
//
// Always: neither idle_since nor alive_at decreases from front to back of its order; unstamped
// slots are at the back.
#pragma once

#include <cstdint>

#include "forebay/core/slot.hpp"

namespace forebay {

enum class TakeOrder : std::uint8_t { newest_first, oldest_first };

class ReadyQueue {
 public:
  explicit ReadyQueue(TakeOrder order) : order_(order) {}

  bool empty() const { return size() == 0; }
  int size() const { return static_cast<int>(slots_.size()) - away_; }

  // The slot to hand out next; null when empty.
  Slot* next() const {
    return order_ == TakeOrder::newest_first ? last_here(slots_.back()) : longest_idle();
  }
  Slot* longest_idle() const { return first_here(slots_.front()); }
  static Slot* less_idle(const Slot& slot) { return first_here(slot.link.next); }
  // Of those that have a stamp, the one whose server has been silent for longest.
  Slot* longest_silent() const { return silent_.front(); }

  void add(Slot& slot) {  // it was in use until now
    slot.idle_since = kUnstamped;
    slots_.push_back(slot);
  }
  void remove(Slot& slot) {
    if (slot.alive_link.is_linked()) silent_.erase(slot);
    slots_.erase(slot);
  }
  // For a check. It is not ready meanwhile, and stays where it is. REQUIRES: it has a stamp.
  void send_away(Slot& slot) {
    silent_.erase(slot);
    ++away_;
  }
  // From a check: idle_since stays, and it is alive at that time.
  void put_back(Slot& slot, Instant now);
  void remove_away(Slot& slot) {
    --away_;
    slots_.erase(slot);
  }
  // Whatever was added since the last stamp counts as alive, and idle, since now. Who stamps
  // read the clock before it got the lock: an earlier time than that of the last stamp counts
  // as the same.
  void stamp(Instant now);
  void audit() const;

 private:
  static constexpr Instant kUnstamped = Instant::max();

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
  IntrusiveList<Slot, &Slot::link> slots_;
  IntrusiveList<Slot, &Slot::alive_link> silent_;
};

}  // namespace forebay
