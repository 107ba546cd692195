#include "forebay/core/ready_queue.hpp"

#include <algorithm>

#include "forebay/detail/base/check.hpp"

namespace forebay {

void ReadyQueue::put_back(Slot& slot, Instant now) {
  --away_;
  last_stamp_ = std::max(last_stamp_, now);  // what is stamped later was heard from later
  slot.alive_at = last_stamp_;
  silent_.push_back(slot);
  if (slot.home != kNoHome) home_of(slot).push_front(slot);  // it has been idle for a while
}

void ReadyQueue::stamp(Instant now) {
  last_stamp_ = std::max(last_stamp_, now);
  Slot* slot = slots_.back();
  if (slot == nullptr || slot->idle_since != kUnstamped) return;
  while (slot->link.previous != nullptr && slot->link.previous->idle_since == kUnstamped) {
    slot = slot->link.previous;
  }
  for (; slot != nullptr; slot = slot->link.next) {
    slot->idle_since = last_stamp_;
    slot->alive_at = last_stamp_;
    silent_.push_back(*slot);
  }
}

void ReadyQueue::audit() const {
  const Slot* previous = nullptr;
  int away = 0;
  std::size_t stamped = 0;
  std::size_t with_home = 0;
  for (const Slot* slot = slots_.front(); slot != nullptr; slot = slot->link.next) {
    const bool is_listed = silent_.contains(*slot);
    FOREBAY_CHECK(slots_.contains(*slot));
    FOREBAY_CHECK(is_listed == (!is_away(*slot) && slot->idle_since != kUnstamped));
    FOREBAY_CHECK(previous == nullptr || previous->idle_since <= slot->idle_since);
    const bool has_home = slot->home != kNoHome && !is_away(*slot);
    FOREBAY_CHECK(has_home == slot->home_link.is_linked());
    with_home += has_home ? 1 : 0;
    away += is_away(*slot) ? 1 : 0;
    stamped += is_listed ? 1 : 0;
    previous = slot;
  }
  FOREBAY_CHECK(away == away_ && stamped == silent_.size());
  std::size_t at_home = 0;
  for (const HomeList& home : homes_) {
    at_home += home.size();
    for (const Slot* slot = home.front(); slot != nullptr; slot = HomeList::next(*slot))
      FOREBAY_CHECK(slots_.contains(*slot) && !is_away(*slot));
  }
  FOREBAY_CHECK(at_home == with_home);
  previous = nullptr;
  for (const Slot* slot = silent_.front(); slot != nullptr; slot = slot->alive_link.next) {
    FOREBAY_CHECK(previous == nullptr || previous->alive_at <= slot->alive_at);
    previous = slot;
  }
}

}  // namespace forebay
