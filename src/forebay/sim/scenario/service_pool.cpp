#include "forebay/sim/scenario/service_pool.hpp"

#include <algorithm>
#include <cmath>

namespace forebay::sim {
namespace {

constexpr int kMost = 1'000'000;

// As their callers see it.
Duration longest_statement(const WorkloadSpec& workload) {
  return std::min(workload.slow_time, workload.statement_timeout);
}

// What clients ask for by chance takes less than a second.
Duration longest_statement(const ProxySpec& proxy) {
  return proxy.work == ClientWork::anything ? std::chrono::seconds(1)
                                            : proxy.statement_time + std::chrono::seconds(1);
}

// How many connections the callers hold at once.
int most_in_use(const WorkloadSpec& workload) {
  if (!workload.is_enabled) return 0;
  if (workload.arrivals_per_second == 0) return workload.max_in_use;
  // Little's law: as many as arrive while one is held.
  const std::chrono::duration<double> held = workload.hold_time + workload.hold_jitter / 2;
  const std::chrono::duration<double> slow = longest_statement(workload);
  const double time = held.count() + workload.slow_fraction * (slow.count() - held.count());
  const double average = std::ceil(workload.arrivals_per_second * time);
  return average < kMost ? static_cast<int>(average) : kMost;
}

int default_max(const ServiceSpec& service) {
  if (service.tenants.count > 0) return shares_of(service.tenants.max_connections).tenants;
  const int kept = service.supply == Supply::reservoir
                       ? service.target_ready
                       : std::max(service.min_idle, service.keep_open);
  const int wanted = kept + most_in_use(service.workload);
  return wanted + std::max(1, (wanted + 9) / 10);
}

}  // namespace

// Giving up takes a moment, too: the cancel has to be answered.
Duration longest_hold(const WorkloadSpec& workload) {
  const Duration usual = workload.hold_time + workload.hold_jitter;
  if (workload.slow_fraction == 0) return usual;
  return std::max(usual, longest_statement(workload) + std::chrono::seconds(1));
}

Duration session_linger(const Scenario& scenario) {
  const DatabaseSpec& database = scenario.database;
  if (database.misses_client_after != Duration::max()) return database.misses_client_after;
  Duration longest{};
  for (const ServiceSpec& service : scenario.services)
    if (service.workload.slow_fraction > 0) longest = std::max(longest, service.workload.slow_time);
  for (const ServiceSpec& service : scenario.services)
    if (is_proxy(service)) longest = std::max(longest, longest_statement(service.proxy));
  // What stalls takes so much longer.
  Duration stalls{};
  for (const FaultSpec& fault : scenario.faults)
    if (fault.kind == FaultKind::server_stall) stalls += fault.length;
  longest += stalls;
  for (const FaultSpec& fault : scenario.faults)
    if (fault.kind == FaultKind::partition && fault.cuts_database)
      longest = std::max(longest, std::min<Duration>(database.cut_after, std::chrono::hours(24)));
  return longest;
}

Duration longest_transaction(const DatabaseSpec& database) {
  return std::min<Duration>(std::chrono::minutes(5), database.cut_after / 12);
}

PoolOptions pool_options(const ServiceSpec& service, const DatabaseSpec& database) {
  PoolOptions options;
  options.name = service.name;
  options.supply = service.supply;
  options.take_order = service.take_order;
  options.size.max = service.max.value_or(default_max(service));
  if (service.supply == Supply::reservoir) {
    options.size.target_ready = service.target_ready;
    options.size.low_watermark = service.low_watermark;
  } else {
    options.size.min_idle = service.min_idle;
    options.size.keep_open = service.keep_open;
  }
  options.lifetime = service.base_lifetime;
  options.lifetime_jitter = service.jitter;
  options.guard_window = service.guard_window;
  options.server_limit = database.cut_after;
  options.longest_transaction = longest_transaction(database);
  options.idle_timeout = service.idle_timeout;
  options.check_after_idle = service.check_after_idle;
  options.max_opening = service.max_opening;
  options.connect_rate = 0;
  return options;
}

TenantOptions tenant_options(const ServiceSpec& service, const DatabaseSpec& database) {
  TenantOptions options;
  options.max_connections = service.tenants.max_connections;
  options.max_per_tenant = service.tenants.per_tenant;
  options.stint = service.tenants.stint;
  options.prefix = "sim";
  options.pool = pool_options(service, database);
  return options;
}

ClusterOptions cluster_options(const Scenario& scenario) {
  const DatabaseSpec& database = scenario.database;
  const CoordinationSpec& coordination = scenario.coordination;
  ClusterOptions options;
  options.endpoint = scenario.endpoint;
  options.limit = database.max_connections.value_or(options.limit);
  options.ttl = coordination.lease_ttl;
  options.session_linger = session_linger(scenario);
  options.on_loss = coordination.on_lease_loss;
  options.fence_before = coordination.fence_before;
  options.connects_per_second = database.connects_per_second;
  options.burst = database.connect_burst;
  options.rate_mode = coordination.rate_mode;
  options.stagger = coordination.stagger;
  options.on_absence = coordination.on_absence;
  options.request_timeout = coordination.request_timeout;
  return options;
}

int expected_open(const ServiceSpec& service) {
  if (service.tenants.count > 0) return 0;
  if (service.supply == Supply::reservoir) return service.target_ready;
  return std::max(service.min_idle, service.keep_open);
}

}  // namespace forebay::sim
