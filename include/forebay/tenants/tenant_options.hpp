// TenantOptions: how many connections thousands of databases share, and how.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "forebay/pool/options.hpp"

namespace forebay {

// A tenant's pool that was closed to make room for others.
struct TenantEviction {
  std::string_view tenant;
  Instant last_used{};  // the last acquire
  int connections = 0;  // the room that it makes
};

struct TenantOptions {
  // The name of a tenant's database, or why it has none.
  using DatabaseOf = std::function<Result<std::string>(std::string_view tenant)>;

  TenantOptions() = default;

  int max_connections = 100;  // of all databases together, the system's included
  int max_per_tenant = 3;
  // Of max_connections, for the system's pool; default: a tenth, at least 5 and at most 20.
  std::optional<int> system_connections;
  // Of max_connections, for nobody here: for people and other programs; default: a tenth.
  std::optional<int> kept_free;

  // The name of a tenant's database: letters, digits, '_', '-' and '.', {prefix}, and once the
  // tenant's id. {id} takes ids of letters, digits and '-', which becomes '_'; {exact_id} takes
  // them as they are, with '_' and '.' too. No two ids have the same name.
  std::string database = "{prefix}_ws_{id}";
  std::string prefix = "forebay";
  // The application's own names, instead of the pattern. That two tenants never get the same one is
  // its duty; between those that are known it is checked, and the second is refused. Called on
  // whatever thread acquires for a tenant without connections, on several at once and at times in
  // vain; it must not wait for anything.
  DatabaseOf database_of;
  bool creates_missing_databases = false;

  // Where more tenants want connections than there are, each may keep one for this long.
  Duration stint = std::chrono::milliseconds(100);
  // What is remembered of tenants without connections; the longest unused are forgotten.
  int max_known_tenants = 200'000;
  // How many tenants, the busiest, have metrics of their own.
  int busiest_in_metrics = 10;
  PoolOptions pool;  // of each tenant; its name and its size.max come from here and the tenant
  // Called on the scheduler, which it must not block, for each pool that is closed to make room.
  std::function<void(const TenantEviction&)> on_evicted;
};

// What max_connections is divided into.
struct TenantShares {
  int system = 0;
  int kept_free = 0;
  int tenants = 0;  // the rest, for all of them together
};
TenantShares shares_of(const TenantOptions& options);
TenantShares shares_of(int max_connections);  // where nothing else was said

// Everything that is wrong with the options.
OptionProblems problems(const TenantOptions& options);

// Of one tenant's pool, and of the system's.
PoolOptions tenant_pool_options(const TenantOptions& options, std::string name);
PoolOptions system_pool_options(const TenantOptions& options);

}  // namespace forebay
