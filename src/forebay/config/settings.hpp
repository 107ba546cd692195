// Settings: what the keys and variables of a configuration say, before it is made into options.
//
// The options of pool, cluster, tenants and retry keep their own defaults; what stands here besides
// is what the environment knows in other words than they do.
#pragma once

#include <chrono>
#include <optional>

#include "forebay/base/log.hpp"
#include "forebay/config/database_target.hpp"
#include "forebay/coordination/cluster_options.hpp"
#include "forebay/pool/options.hpp"
#include "forebay/retry/retry_policy.hpp"
#include "forebay/tenants/tenant_options.hpp"

namespace forebay::config {

struct Settings {
  Settings() {
    pool.connect_rate = 10;
    pool.connect_burst = 100;
    pool.idle_timeout = tenants.pool.idle_timeout;
  }

  DatabaseTarget database;
  PoolOptions pool;             // its lifetime is that of a reservoir's connections
  std::optional<int> pool_max;  // none: as tenants.max_connections
  bool is_reservoir = false;
  Duration max_lifetime = TenantOptions().pool.lifetime;  // of connections of no reservoir
  ClusterOptions cluster;
  bool is_lease_shared = false;
  bool is_rate_shared = false;
  bool is_staggered = true;
  TenantOptions tenants;
  RetryPolicy retry;
  std::optional<log::Level> log_level;
  std::optional<log::Format> log_format;
};

}  // namespace forebay::config
