// WaiterQueue: callers who found nothing ready, in order of arrival.
//
// A waiter is resolved exactly once: with a slot, by its deadline, because it was cancelled,
// because the server refuses us for good, or because the pool closed.
// Resolving takes it out of the queue; the one that resolved it wakes it afterwards, outside any
// lock.
#pragma once

#include "forebay/detail/base/intrusive_list.hpp"
#include "forebay/detail/core/waiter.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

// Waiters that are resolved and not yet woken.
using WakeList = IntrusiveList<Waiter, &Waiter::link>;

class WaiterQueue {
 public:
  bool empty() const { return waiters_.empty(); }
  int size() const { return static_cast<int>(waiters_.size()); }
  const Waiter* longest() const { return waiters_.front(); }

  void add(Waiter& waiter) { waiters_.push_back(waiter); }

  // True: it was still waiting, and now has this outcome. False: somebody else resolved it.
  bool withdraw(Waiter& waiter, WaitOutcome outcome) {
    if (waiter.outcome != WaitOutcome::waiting) return false;
    waiters_.erase(waiter);
    waiter.outcome = outcome;
    return true;
  }

  // The longest waiter whose deadline has not passed; those before it time out on the way.
  Waiter* next(Instant now, WakeList& wakes) {
    while (Waiter* waiter = waiters_.front()) {
      if (waiter->deadline > now) return waiter;
      resolve(*waiter, WaitOutcome::timed_out, wakes);
    }
    return nullptr;
  }

  void resolve(Waiter& waiter, WaitOutcome outcome, WakeList& wakes) {
    waiters_.erase(waiter);
    waiter.outcome = outcome;
    wakes.push_back(waiter);
  }

  void resolve_all(WaitOutcome outcome, WakeList& wakes) {
    while (Waiter* waiter = waiters_.front()) resolve(*waiter, outcome, wakes);
  }

 private:
  IntrusiveList<Waiter, &Waiter::link> waiters_;
};

inline void wake_all(WakeList& wakes) {
  while (Waiter* waiter = wakes.pop_front()) waiter->wake(*waiter);
}

}  // namespace forebay
