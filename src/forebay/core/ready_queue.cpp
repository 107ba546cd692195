#include "forebay/core/ready_queue.hpp"

#include "forebay/base/check.hpp"

namespace forebay {

void ReadyQueue::add(Slot& slot, Instant now) {
  // Callers read the clock before they take the lock, so a later caller may come with an earlier time.
  if (const Slot* last = by_idleness_.back(); last != nullptr && last->idle_since > now) {
    now = last->idle_since;
  }
  slot.idle_since = now;
  slot.alive_at = now;
  by_idleness_.push_back(slot);
  by_proof_.push_back(slot);
}

void ReadyQueue::put_back(Slot& slot, Instant now) {
  slot.alive_at = now;
  Slot* position = by_idleness_.front();
  while (position != nullptr && position->idle_since < slot.idle_since) {
    position = decltype(by_idleness_)::next(*position);
  }
  by_idleness_.insert_before(position, slot);
  by_proof_.push_back(slot);
}

void ReadyQueue::remove(Slot& slot) {
  by_idleness_.erase(slot);
  by_proof_.erase(slot);
}

void ReadyQueue::audit() const {
  FOREBAY_CHECK(by_idleness_.size() == by_proof_.size());
  const Slot* previous = nullptr;
  for (const Slot* slot = by_idleness_.front(); slot != nullptr; slot = decltype(by_idleness_)::next(*slot)) {
    FOREBAY_CHECK(by_proof_.contains(*slot));
    FOREBAY_CHECK(previous == nullptr || previous->idle_since <= slot->idle_since);
    previous = slot;
  }
}

}  // namespace forebay
