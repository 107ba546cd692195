// Timers ordered by due time, then order. Shared by the real and the simulated scheduler, so
// production and simulation agree on which of two timers fires first.
#pragma once

#include "forebay/base/intrusive_heap.hpp"
#include "forebay/env/scheduler.hpp"

namespace forebay {

inline bool fires_earlier(const Timer& a, const Timer& b) {
  return a.due != b.due ? a.due < b.due : a.order < b.order;
}

using TimerHeap = IntrusiveHeap<Timer, &Timer::place, &fires_earlier>;

}  // namespace forebay
