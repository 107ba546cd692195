#include "forebay/tenants/tenant_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/env/duration_text.hpp"
#include "forebay/tenants/tenant_name.hpp"

namespace forebay {
namespace {

constexpr int kFewestConnections = 20;
constexpr int kMostConnections = 1'000'000;
constexpr Duration kLongestStint = std::chrono::minutes(1);

}  // namespace

TenantShares shares_of(int max_connections) {
  TenantShares shares;
  shares.system = std::clamp(max_connections / 10, 5, 20);
  shares.kept_free = max_connections / 10;
  shares.tenants = max_connections - shares.system - shares.kept_free;
  return shares;
}

std::vector<std::string> problems(const TenantOptions& options) {
  std::vector<std::string> texts;
  const int max = options.max_connections;
  const bool has_room = max >= kFewestConnections && max <= kMostConnections;
  if (!has_room) {
    texts.push_back(fmt::format(
        "max_connections is {}: it must be between {} and {} (5 to 20 are for the system, a tenth "
        "is kept free, the rest is for tenants)",
        max, kFewestConnections, kMostConnections));
  }
  const int most = has_room ? shares_of(max).tenants : kMostConnections;
  const bool is_cap_possible = options.max_per_tenant >= 1 && options.max_per_tenant <= most;
  if (!is_cap_possible) {
    texts.push_back(
        fmt::format("max_per_tenant is {}: it must be between 1 and {} (what all tenants share)",
                    options.max_per_tenant, most));
  }
  if (const Result<void> checked = check_prefix(options.prefix); !checked)
    texts.push_back(checked.error().text());
  if (options.stint <= Duration::zero() || options.stint > kLongestStint)
    texts.push_back(fmt::format("stint is {}: it must be more than zero and at most a minute",
                                describe(options.stint)));
  if (options.max_known_tenants < 1) {
    texts.push_back(
        fmt::format("max_known_tenants is {}: it must be at least 1", options.max_known_tenants));
  }
  if (is_cap_possible) {
    for (const std::string& text : problems(tenant_pool_options(options, "tenant")))
      texts.push_back("pool." + text);
  }
  return texts;
}

PoolOptions tenant_pool_options(const TenantOptions& options, std::string name) {
  PoolOptions pool = options.pool;
  pool.name = std::move(name);
  pool.size.max = options.max_per_tenant;
  return pool;
}

// On demand: a system that does little needs few.
PoolOptions system_pool_options(const TenantOptions& options) {
  PoolOptions pool = options.pool;
  pool.name = "system";
  pool.supply = Supply::standard;
  pool.size = PoolSize();
  pool.size.max = shares_of(options.max_connections).system;
  return pool;
}

}  // namespace forebay
