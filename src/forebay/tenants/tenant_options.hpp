// TenantOptions: how many connections thousands of databases share, and how.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/pool/options.hpp"

namespace forebay {

// A tenant's pool that was closed to make room for others.
struct TenantEviction {
  std::string_view tenant;
  Instant last_used{};  // the last acquire
  int connections = 0;  // the room that it makes
};

struct TenantOptions {
  TenantOptions() {
    pool.lifetime = std::chrono::minutes(10);
    pool.idle_timeout = std::chrono::minutes(5);
  }

  int max_connections = 100;  // of all databases together, the system's included
  int max_per_tenant = 3;
  std::string prefix = "forebay";  // a tenant's database is called <prefix>_ws_<tenant>
  bool creates_missing_databases = false;
  // Where more tenants want connections than there are, each may keep one for so long.
  Duration stint = std::chrono::milliseconds(100);
  // What is remembered of tenants without connections; the longest unused are forgotten.
  int max_known_tenants = 200'000;
  PoolOptions pool;  // of each tenant; its name and its size.max come from here and the tenant
  // Called on the scheduler, which it must not block, for each pool that is closed to make room.
  std::function<void(const TenantEviction&)> on_evicted;
};

// What max_connections is divided into.
struct TenantShares {
  int system = 0;     // a tenth, at least 5 and at most 20
  int kept_free = 0;  // a tenth
  int tenants = 0;    // the rest, for all of them together
};
TenantShares shares_of(int max_connections);

// Everything that is wrong with the options, one sentence each.
std::vector<std::string> problems(const TenantOptions& options);

// Of one tenant's pool, and of the system's.
PoolOptions tenant_pool_options(const TenantOptions& options, std::string name);
PoolOptions system_pool_options(const TenantOptions& options);

}  // namespace forebay
