// PoolStatistics: one consistent look at a pool. Cheap enough to take every second.
#pragma once

#include <string>

#include "forebay/core/pool_counters.hpp"

namespace forebay {

struct PoolStatistics {
  int max = 0;
  int target_ready = 0;
  int ready = 0;
  int lent = 0;
  int cleaning = 0;  // given back and being reset, or being checked
  int opening = 0;
  int closing = 0;  // discarded, and perhaps still counted by the server
  int waiters = 0;
  Duration connect_time{};  // as observed lately
  std::string last_connect_error;
  PoolCounters counters;

  int open() const { return ready + lent + cleaning; }
};

// "max 20: lent 20, ready 0, cleaning 0, opening 0, closing 0, waiters 5"
std::string describe(const PoolStatistics& statistics);

}  // namespace forebay
