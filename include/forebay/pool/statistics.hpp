// One consistent look at a pool: PoolGauges are cheap enough to take at every step, PoolStatistics
// every second.
#pragma once

#include <optional>
#include <string>

#include "forebay/core/pool_counters.hpp"

namespace forebay {

struct PoolGauges {
  int max = 0;
  int target_ready = 0;
  int ready = 0;
  int lent = 0;
  int cleaning = 0;  // given back and being reset, or being checked
  int opening = 0;
  int closing = 0;   // discarded, and perhaps still counted by the server
  int held = 0;      // of those closing: for long, by a server that has not let go
  int approved = 0;  // all of them, as the capacity counts
  int waiters = 0;
  bool lacks_room = false;  // it would open more, and the budget that it shares has no room

  int open() const { return ready + lent + cleaning; }
};

// All but lacks_room, which means nothing to a sum.
inline void add(PoolGauges& sum, const PoolGauges& more) {
  sum.max += more.max;
  sum.target_ready += more.target_ready;
  sum.ready += more.ready;
  sum.lent += more.lent;
  sum.cleaning += more.cleaning;
  sum.opening += more.opening;
  sum.closing += more.closing;
  sum.held += more.held;
  sum.approved += more.approved;
  sum.waiters += more.waiters;
}

struct PoolStatistics : PoolGauges {
  bool is_filled = false;  // the initial fill is done: as many have been open as filled_at
  int filled_at = 0;
  bool is_closed = false;   // nobody is served any more
  Duration connect_time{};  // as observed lately
  // Of the last attempt that failed to open one, until the pool has all it wants.
  std::string last_connect_error;
  std::optional<OpenFailure> last_open_failure;
  PoolCounters counters;
};

// "max 20: lent 20, ready 0, cleaning 0, opening 0, closing 0, waiters 5"
std::string describe(const PoolGauges& gauges);

}  // namespace forebay
