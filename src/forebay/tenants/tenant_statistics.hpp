// What is known about one tenant, and about all of them together.
#pragma once

#include <cstdint>
#include <string>

#include "forebay/pool/statistics.hpp"

namespace forebay {

struct TenantStatistics {
  std::string tenant;
  bool is_warm = false;  // it has a pool
  int open = 0;          // ready, lent or being cleaned
  int lent = 0;
  int waiters = 0;
  std::uint64_t served = 0;  // acquires that got a connection
  std::uint64_t timeouts = 0;
  std::uint64_t opened = 0;
  std::uint64_t evictions = 0;  // times that its pool was closed to make room
  Instant last_used{};
};

// The gauges are sums over all pools, those on their way out included; max is what tenants may have
// together.
struct TenantTotals : PoolGauges {
  int known = 0;      // tenants of which something is remembered
  int pools = 0;      // tenants with a pool
  int old_pools = 0;  // pools that are on their way out
  int in_use = 0;     // approvals, and room that has been granted; never more than max
  int in_line = 0;    // tenants that wait for room
  std::uint64_t evictions = 0;
  PoolCounters counters;  // of all pools there ever were
};

}  // namespace forebay
