#include "forebay/tenants/tenant_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/env/duration_text.hpp"
#include "forebay/env/option_rules.hpp"
#include "forebay/tenants/tenant_name.hpp"

namespace forebay {
namespace {

constexpr int kFewestConnections = 20;
constexpr int kMostConnections = 1'000'000;
constexpr int kMostInMetrics = 1'000;
constexpr Duration kLongestStint = std::chrono::minutes(1);

}  // namespace

TenantShares shares_of(const TenantOptions& options) {
  const int max = options.max_connections;
  TenantShares shares;
  shares.system = options.system_connections.value_or(std::clamp(max / 10, 5, 20));
  shares.kept_free = options.kept_free.value_or(max / 10);
  shares.tenants = max - shares.system - shares.kept_free;
  return shares;
}

TenantShares shares_of(int max_connections) {
  TenantOptions options;
  options.max_connections = max_connections;
  return shares_of(options);
}

namespace {

// What tenants share, if that can be said.
std::optional<int> check_shares(const TenantOptions& options, OptionRules& rules) {
  const int max = options.max_connections;
  const bool has_room =
      rules.whole("max_connections", max, kFewestConnections, kMostConnections,
                  "some are for the system, some are kept free, the rest is for tenants");
  if (!has_room) return std::nullopt;
  const TenantShares shares = shares_of(options);
  const int free_anyway = options.kept_free ? 0 : shares.kept_free;
  if (options.system_connections &&
      !rules.whole("system_connections", shares.system, 1, max - free_anyway - 1,
                   fmt::format("of {}, {} are kept free, and at least one is for tenants", max,
                               free_anyway)))
    return std::nullopt;
  if (options.kept_free &&
      !rules.whole("kept_free", shares.kept_free, 0, max - shares.system - 1,
                   fmt::format("of {}, {} are for the system, and at least one is for tenants", max,
                               shares.system)))
    return std::nullopt;
  return shares.tenants;
}

void check_names(const TenantOptions& options, OptionRules& rules) {
  const bool is_prefix_right =
      rules.require(is_prefix(options.prefix), "prefix", shown_name(options.prefix),
                    fmt::format("it must be 1 to {} letters, digits and '_'", kLongestPrefix));
  if (options.database_of || !is_prefix_right) return;
  const Result<NamePattern> pattern = NamePattern::parse(options.database, options.prefix);
  rules.require(pattern.has_value(), "database", shown_name(options.database),
                pattern ? "" : pattern.error().text());
}

}  // namespace

OptionProblems problems(const TenantOptions& options) {
  OptionRules rules;
  const std::optional<int> shared = check_shares(options, rules);
  const bool is_cap_possible =
      rules.whole("max_per_tenant", options.max_per_tenant, 1, shared.value_or(kMostConnections),
                  "what all tenants share");
  check_names(options, rules);
  rules.require(options.stint > Duration::zero() && options.stint <= kLongestStint, "stint",
                duration_text(options.stint), "it must be more than zero and at most a minute");
  rules.require(options.max_known_tenants >= 1, "max_known_tenants",
                fmt::format("{}", options.max_known_tenants), "it must be at least 1");
  rules.whole("busiest_in_metrics", options.busiest_in_metrics, 0, kMostInMetrics,
              "each has metrics of its own, and all are stored");
  OptionProblems wrong = rules.take();
  if (is_cap_possible)
    append(wrong, within("pool", problems(tenant_pool_options(options, "tenant"))));
  return wrong;
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
  pool.size.max = shares_of(options).system;
  return pool;
}

}  // namespace forebay
