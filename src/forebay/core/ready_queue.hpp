// ReadyQueue: open, clean, unborrowed connections.
//
// Two orders over the same slots. By idleness: the front has been idle longest, the back is newest and is
// taken first by default. By proof: the front has gone longest without a sign of life. Every operation is
// O(1) except put_back(), which walks past the slots that have been idle even longer.
//
// Always: both lists hold the same slots; by idleness, idle_since never decreases from front to back.
#pragma once

#include <cstdint>

#include "forebay/core/slot.hpp"

namespace forebay {

enum class TakeOrder : std::uint8_t { newest_first, oldest_first };

class ReadyQueue {
 public:
  explicit ReadyQueue(TakeOrder order) : order_(order) {}

  bool empty() const { return by_idleness_.empty(); }
  int size() const { return static_cast<int>(by_idleness_.size()); }

  // The slot that take() would give; null when empty.
  Slot* next() const {
    return order_ == TakeOrder::newest_first ? by_idleness_.back() : by_idleness_.front();
  }
  Slot* longest_idle() const { return by_idleness_.front(); }
  Slot* longest_unproven() const { return by_proof_.front(); }
  static Slot* less_idle(const Slot& slot) { return decltype(by_idleness_)::next(slot); }

  void add(Slot& slot, Instant now);       // it was in use until now
  void put_back(Slot& slot, Instant now);  // it was only checked: idle_since stays, the proof is new
  void remove(Slot& slot);
  void audit() const;

 private:
  const TakeOrder order_;
  IntrusiveList<Slot, &Slot::link> by_idleness_;
  IntrusiveList<Slot, &Slot::proof_link> by_proof_;
};

}  // namespace forebay
