// What is known about one tenant, and about all of them together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "forebay/pool/statistics.hpp"
#include "forebay/tenants/tenant_options.hpp"

namespace forebay {

struct TenantStatistics {
  std::string tenant;
  bool is_warm = false;  // it has a pool
  int open = 0;          // ready, lent or being cleaned
  int lent = 0;
  int max = 0;
  int waiters = 0;
  std::uint64_t served = 0;  // acquires that got a connection
  std::uint64_t waits = 0;   // of these, those that had to wait
  Duration wait_time{};      // theirs, together
  std::uint64_t timeouts = 0;
  std::uint64_t opened = 0;
  std::uint64_t evictions = 0;  // times that its pool was closed to make room
  Instant last_used{};

  int idle() const { return open - lent; }
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

// How a pool, or several together, use their connections.
struct ConnectionUsage {
  int open = 0;  // ready, lent or being cleaned
  int in_use = 0;
  int max = 0;
  std::uint64_t waits = 0;  // callers who had to wait and were served
  Duration wait_time{};     // theirs, together

  int idle() const { return open - in_use; }
};

inline ConnectionUsage usage_of(const PoolGauges& gauges, const PoolCounters& counters) {
  return {gauges.open(), gauges.lent, gauges.max, counters.waits(), counters.wait_time()};
}

// One look at all of it.
struct TenancyStatistics {
  Instant at{};
  int max_connections = 0;
  int max_per_tenant = 0;
  TenantShares shares;      // what max_connections is divided into
  ConnectionUsage system;   // the system's pool
  ConnectionUsage tenants;  // all tenants together
  ConnectionUsage all;      // both; its max is max_connections
  // Of tenants with a pool, least recently used first.
  std::vector<TenantStatistics> by_tenant;
  TenantTotals totals;
};

}  // namespace forebay
