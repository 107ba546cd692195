// RetirementSchedule: what lies ahead of each open slot. First its replacement becomes wanted, then
// it retires, at a time apart from that of every other.
//
// A slot that was taken out because it was due is ahead of nothing until it is scheduled again.
#pragma once

#include "forebay/base/intrusive_heap.hpp"
#include "forebay/core/retirement_spacer.hpp"
#include "forebay/core/slot.hpp"

namespace forebay {

class RetirementSchedule {
 public:
  // Chooses retire_at, and when its replacement is wanted. REQUIRES: the times of its life are set.
  void add(Slot& slot, int pool_size, Duration connect_time, Random& random);
  // It goes: its time is free for others. REQUIRES: it was added.
  void remove(Slot& slot);

  void set(Slot& slot, Instant at);
  // Looks again soon, and ever sooner as its guard window comes nearer, but a bounded number of
  // times.
  void postpone(Slot& slot, Instant now);
  // Nothing happens to it by itself any more; its time stays taken.
  void suspend(Slot& slot) { events_.remove(slot); }
  static bool is_ahead(const Slot& slot) { return slot.event_place.is_in_heap(); }

  // Takes out the next that is due; null if none is.
  Slot* pop_due(Instant now);
  bool empty() const { return events_.empty(); }
  Instant next_at() const { return events_.front().next_event; }  // REQUIRES: !empty()
  std::size_t size() const { return spacer_.size(); }  // added and not removed, ahead of it or not

 private:
  static bool happens_earlier(const Slot& a, const Slot& b) {
    return a.next_event != b.next_event ? a.next_event < b.next_event : a.id < b.id;
  }

  IntrusiveHeap<Slot, &Slot::event_place, &RetirementSchedule::happens_earlier> events_;
  RetirementSpacer spacer_;
};

}  // namespace forebay
