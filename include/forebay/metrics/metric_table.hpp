// Every metric that there is: its name, type and labels, and what it says. One table, so that what
// is served, docs/metrics.md and the tests of dashboards and alerts cannot differ.
//
// The names that begin with dsql_ are those that operators of Aurora DSQL know from other clients,
// or stand beside them; the others are ours. Times are in seconds, but for the one whose name says
// milliseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace forebay {

enum class MetricType : std::uint8_t { counter, gauge, histogram };

std::string_view name(MetricType type);

// In the order of the table.
enum class Metric : std::uint8_t {
  // pools
  reservoir_size,
  reservoir_target,
  reservoir_checkouts,
  reservoir_empty,
  reservoir_discards,
  reservoir_refills,
  reservoir_refill_failures,
  reservoir_checkout_latency,
  pool_max_open,
  pool_open,
  pool_in_use,
  pool_idle,
  pool_wait,
  pool_wait_duration,
  keeper_deficit,
  keeper_opening,
  keeper_replacements,
  keeper_topups,
  closed_lifetime,
  closed_idle_time,
  closed_idle,
  pool_filled,
  pool_wanted_ready,
  pool_cleaning,
  pool_closing,
  pool_held,
  pool_waiters,
  pool_timeouts,
  pool_refused,
  pool_cancels,
  pool_guard_evictions,
  pool_leaks,
  pool_connect_time,
  // transactions
  transaction_attempts,
  transaction_successes,
  transaction_failures,
  transaction_conflicts,
  transaction_retries,
  transaction_exhausted,
  transaction_errors,
  transaction_backoff,
  transaction_latency,
  // cluster
  lease_active,
  lease_limit,
  lease_held,
  lease_in_use,
  lease_overhang,
  lease_lost,
  lease_losses,
  leases_reaped,
  cluster_processes,
  store_failures,
  permit_waits,
  permits_lost,
  rate_foreign_seconds,
  store_requests,
  store_write_units,
  store_read_units,
  store_throttles,
  tokens_signed,
  token_failures,
  // tenants
  tenants_known,
  tenants_warm,
  tenant_connections,
  tenant_connections_max,
  tenants_in_line,
  tenant_evictions,
  busy_tenant_open,
  busy_tenant_in_use,
  busy_tenant_waiters,
  busy_tenant_served,
  busy_tenant_waits,
  busy_tenant_wait_time,
  busy_tenant_timeouts,
  // the proxy
  proxy_clients,
  proxy_waiting,
  proxy_pinned,
  proxy_logins,
  proxy_refused,
  proxy_clients_lost,
  proxy_stays,
  proxy_waits,
  proxy_unserved,
  proxy_pins,
  proxy_state_refusals,
  proxy_parses_added,
  proxy_parses_answered,
  proxy_statements_closed,
  proxy_fits,
  proxy_cancels,
  proxy_servers_lost,
  // the process
  build_info,
};

inline constexpr std::size_t kMetrics = static_cast<std::size_t>(Metric::build_info) + 1;

struct MetricDefinition {
  Metric metric;
  std::string_view name;
  MetricType type;
  std::string_view labels;  // "service, pool, reason"
  std::string_view help;    // one sentence
  std::string_view advice;  // what is healthy, and where to look when it is not; may be empty
};

std::span<const MetricDefinition, kMetrics> metric_table();
const MetricDefinition& definition(Metric metric);

// docs/metrics.md
std::string metrics_reference();

}  // namespace forebay
