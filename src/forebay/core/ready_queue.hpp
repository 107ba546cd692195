// ReadyQueue: open, clean, unborrowed connections, in order of idleness.
//
// The front has been idle longest; the back is newest and is taken first by default. Giving back is
// on the hot path and does not look at the clock: what was added since the last stamp() gets its
// time from the next one. Every operation is O(1), except stamp(), which touches what was added,
// and put_back(), which walks past the slots that have been idle even longer.
//
// Always: idle_since never decreases from front to back; unstamped slots are at the back.
#pragma once

#include <cstdint>

#include "forebay/core/slot.hpp"

namespace forebay {

enum class TakeOrder : std::uint8_t { newest_first, oldest_first };

class ReadyQueue {
 public:
  explicit ReadyQueue(TakeOrder order) : order_(order) {}

  bool empty() const { return slots_.empty(); }
  int size() const { return static_cast<int>(slots_.size()); }

  // The slot to hand out next; null when empty.
  Slot* next() const { return order_ == TakeOrder::newest_first ? slots_.back() : slots_.front(); }
  Slot* longest_idle() const { return slots_.front(); }
  static Slot* less_idle(const Slot& slot) { return decltype(slots_)::next(slot); }

  void add(Slot& slot) {  // it was in use until now
    slot.idle_since = kUnstamped;
    slots_.push_back(slot);
  }
  void put_back(Slot& slot, Instant now);  // it was only checked: idle_since stays, it is alive now
  void remove(Slot& slot) { slots_.erase(slot); }
  // Whatever was added since the last stamp counts as alive, and idle, since now. Who stamps
  // read the clock before it got the lock: an earlier time than that of the last stamp counts
  // as the same.
  void stamp(Instant now);
  void audit() const;

 private:
  static constexpr Instant kUnstamped = Instant::max();

  const TakeOrder order_;
  Instant last_stamp_ = Instant::min();
  IntrusiveList<Slot, &Slot::link> slots_;
};

}  // namespace forebay
