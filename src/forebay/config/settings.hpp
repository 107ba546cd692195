// Settings: what the keys and variables of a configuration say, before it is made into options.
//
// The options of pool, cluster, tenants and retry keep their own defaults, and what is not said of
// a pool stays unsaid, until the server is known; what stands here besides is what the environment
// knows in other words than they do.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "forebay/base/log.hpp"
#include "forebay/config/database_target.hpp"
#include "forebay/coordination/cluster_options.hpp"
#include "forebay/env/stream_address.hpp"
#include "forebay/pool/options.hpp"
#include "forebay/proxy/proxy_options.hpp"
#include "forebay/proxy/session/session_rules.hpp"
#include "forebay/retry/retry_policy.hpp"
#include "forebay/tenants/tenant_options.hpp"

namespace forebay::config {

// Of forebay serve. Rules and limits are those of a route, but for the time to log in.
struct ProxySettings {
  ProxySettings() = default;

  std::vector<StreamAddress> listen{StreamAddress::tcp("127.0.0.1", 6432)};
  proxy::SessionRules rules;
  proxy::ClientLimits limits;
};

struct Settings {
  Settings() = default;

  DatabaseTarget database;
  PoolOptions pool;  // its lifetime is that of a reservoir's connections
  bool is_reservoir = false;
  std::optional<Duration> max_lifetime;  // of connections of no reservoir
  ClusterOptions cluster;
  bool is_lease_shared = false;
  bool is_rate_shared = false;
  bool is_staggered = true;
  std::optional<int> max_connections;  // of all tenants, and of the pool if it says nothing itself
  TenantOptions tenants;
  RetryPolicy retry;
  std::optional<log::Level> log_level;
  std::optional<log::Format> log_format;
  ProxySettings proxy;
};

}  // namespace forebay::config
