#include "forebay/core/ready_queue.hpp"

#include <algorithm>

#include "forebay/base/check.hpp"

namespace forebay {

void ReadyQueue::put_back(Slot& slot, Instant now) {
  slot.alive_at = now;
  Slot* position = slots_.front();
  while (position != nullptr && position->idle_since < slot.idle_since) {
    position = less_idle(*position);
  }
  slots_.insert_before(position, slot);
}

void ReadyQueue::stamp(Instant now) {
  last_stamp_ = std::max(last_stamp_, now);
  for (Slot* slot = slots_.back(); slot != nullptr && slot->idle_since == kUnstamped;
       slot = slot->link.previous) {
    slot->idle_since = last_stamp_;
    slot->alive_at = last_stamp_;
  }
}

void ReadyQueue::audit() const {
  const Slot* previous = nullptr;
  for (const Slot* slot = slots_.front(); slot != nullptr; slot = less_idle(*slot)) {
    FOREBAY_CHECK(slots_.contains(*slot));
    FOREBAY_CHECK(previous == nullptr || previous->idle_since <= slot->idle_since);
    previous = slot;
  }
}

}  // namespace forebay
