#include "forebay/metrics/metric_table.hpp"

#include <array>

#include <fmt/format.h>

#include "forebay/detail/base/check.hpp"

namespace forebay {
namespace {

using Table = std::array<MetricDefinition, kMetrics>;
using enum MetricType;

// NOLINTBEGIN(bugprone-suspicious-missing-comma): adjacent texts are one text
constexpr Table kTable = {{
    {Metric::reservoir_size, "dsql_reservoir_size", gauge, "service, pool",
     "Connections that are ready to be lent.",
     "More than 0.9 of the target. Below 0.5 for five minutes: DSQLReservoirLow."},
    {Metric::reservoir_target, "dsql_reservoir_target", gauge, "service, pool",
     "Connections to be kept ready, as configured; 0: the pool opens on demand.", ""},
    {Metric::reservoir_checkouts, "dsql_reservoir_checkouts_total", counter, "service, pool",
     "Connections lent to callers.", ""},
    {Metric::reservoir_empty, "dsql_reservoir_empty_total", counter, "service, pool",
     "Callers who found no connection ready.", "0. Rising for two minutes: DSQLReservoirEmpty."},
    {Metric::reservoir_discards, "dsql_reservoir_discards_total", counter, "service, pool, reason",
     "Connections closed, by reason.",
     "Less than 1 a second. More than 5 a second for five minutes: DSQLReservoirDiscards."},
    {Metric::reservoir_refills, "dsql_reservoir_refills_total", counter, "service, pool",
     "Connections opened.", ""},
    {Metric::reservoir_refill_failures, "dsql_reservoir_refill_failures_total", counter,
     "service, pool, reason", "Connections that could not be opened, by the step that failed.",
     "0. Rising for five minutes: DSQLReservoirRefillFailures."},
    {Metric::reservoir_checkout_latency, "dsql_reservoir_checkout_latency_milliseconds", histogram,
     "service, pool", "How long callers took to get a connection, those who waited included.",
     "A 99th percentile of less than 1 ms. Of those that found a connection ready within one tick "
     "of "
     "the coarse clock, some milliseconds, the first stands for all."},
    {Metric::pool_max_open, "dsql_pool_max_open", gauge, "service, pool",
     "Connections that the pool may have.", ""},
    {Metric::pool_open, "dsql_pool_open", gauge, "service, pool",
     "Connections that are open: ready, lent or being cleaned.", ""},
    {Metric::pool_in_use, "dsql_pool_in_use", gauge, "service, pool", "Connections that are lent.",
     "Below the maximum."},
    {Metric::pool_idle, "dsql_pool_idle", gauge, "service, pool",
     "Connections that are open and not lent.", ""},
    {Metric::pool_wait, "dsql_pool_wait_total", counter, "service, pool",
     "Callers who waited for a connection and got one.", ""},
    {Metric::pool_wait_duration, "dsql_pool_wait_duration", histogram, "service, pool",
     "How long callers waited who had to wait and got a connection, in seconds.", ""},
    {Metric::keeper_deficit, "dsql_pool_keeper_deficit", gauge, "service, pool",
     "Connections that are missing from the target and not being opened.",
     "0, or falling. Staying above 0: the failures and the cluster's limits say why."},
    {Metric::keeper_opening, "dsql_pool_keeper_opening", gauge, "service, pool",
     "Connections that are being opened, waiting for their turn included.", ""},
    {Metric::keeper_replacements, "dsql_pool_keeper_replacements_total", counter, "service, pool",
     "Connections retired ahead of their end because a replacement was there.", ""},
    {Metric::keeper_topups, "dsql_pool_keeper_topup_total", counter, "service, pool",
     "Connects begun by the keeper of a pool without a reservoir, to hold its size.", ""},
    {Metric::closed_lifetime, "dsql_db_closed_max_lifetime_total", counter, "service, pool",
     "Connections closed because their life was over, or nearly.",
     "One for each connection and lifetime."},
    {Metric::closed_idle_time, "dsql_db_closed_max_idle_time_total", counter, "service, pool",
     "Connections closed because nobody had wanted them for longer than the idle timeout.",
     "0, if the pool is to keep its size."},
    {Metric::closed_idle, "dsql_db_closed_max_idle_total", counter, "service, pool",
     "Connections closed when they were given back, because enough others were ready.",
     "0. Rising: raise the target."},
    {Metric::pool_filled, "forebay_pool_filled", gauge, "service, pool",
     "1 when the initial fill is done, 0 before.", "1 within a minute of the start."},
    {Metric::pool_wanted_ready, "forebay_pool_wanted_ready", gauge, "service, pool",
     "Connections that should be ready now: the target, or as many as those lent and being cleaned "
     "leave room for.",
     "As many as are ready. More: they are on their way, or cannot be opened."},
    {Metric::pool_cleaning, "forebay_pool_cleaning", gauge, "service, pool",
     "Connections that are being reset or checked.", ""},
    {Metric::pool_closing, "forebay_pool_closing", gauge, "service, pool",
     "Connections that are being closed and may still count at the server.", ""},
    {Metric::pool_held, "forebay_pool_held", gauge, "service, pool",
     "Places held by sessions that the server has not let go of for long.",
     "0. As many as the pool may have: nothing can be opened; look at the network and the server."},
    {Metric::pool_waiters, "forebay_pool_waiters", gauge, "service, pool",
     "Callers who wait for a connection now.", "0."},
    {Metric::pool_timeouts, "forebay_pool_timeouts_total", counter, "service, pool",
     "Callers whose deadline passed before they got a connection.",
     "0. Rising: ForebayAcquireTimeouts."},
    {Metric::pool_refused, "forebay_pool_refused_total", counter, "service, pool",
     "Callers who heard at once that the server refuses every connect, and that waiting does not "
     "mend it.",
     "0. Rising: ForebayAcquireTimeouts; the log has the server's words."},
    {Metric::pool_cancels, "forebay_pool_cancels_total", counter, "service, pool",
     "Callers who were cancelled while they waited for a connection.",
     "Those whose clients went away. Rising with the waiters: clients do not wait that long."},
    {Metric::pool_guard_evictions, "forebay_pool_guard_evictions_total", counter, "service, pool",
     "Connections closed because their guard window had begun.",
     "One for each connection and lifetime is how lives end. More: callers hold connections for "
     "long, or the guard window is large for the lifetime."},
    {Metric::pool_leaks, "forebay_pool_leaks_total", counter, "service, pool",
     "Connections that were lent for longer than the leak threshold.",
     "0. Rising: ForebayConnectionLeak; the log names the line of code."},
    {Metric::pool_connect_time, "forebay_pool_connect_time_seconds", gauge, "service, pool",
     "How long opening a connection takes, as observed lately.", ""},

    {Metric::transaction_attempts, "dsql_tx_attempts_total", counter, "service, operation",
     "Attempts at transactions.", ""},
    {Metric::transaction_successes, "dsql_tx_successes_total", counter, "service, operation",
     "Transactions that were committed.", ""},
    {Metric::transaction_failures, "dsql_tx_failures_total", counter, "service, operation",
     "Transactions that ended with an error.", ""},
    {Metric::transaction_conflicts, "dsql_tx_conflict_total", counter, "service, operation",
     "Attempts that ended in a conflict with another transaction.",
     "Few beside the attempts. More than one in five: ForebayTransactionConflicts."},
    {Metric::transaction_retries, "dsql_tx_retry_total", counter, "service, operation",
     "Attempts that were made again.", ""},
    {Metric::transaction_exhausted, "dsql_tx_exhausted_total", counter, "service, operation",
     "Transactions that failed because no retry was left.",
     "0. Rising: ForebayTransactionsExhausted."},
    {Metric::transaction_errors, "dsql_tx_error_class_total", counter,
     "service, operation, error_class", "Attempts that failed, by class of the error.", ""},
    {Metric::transaction_backoff, "dsql_tx_backoff", histogram, "service, operation",
     "The pauses before retries, in seconds.", ""},
    {Metric::transaction_latency, "dsql_tx_latency", histogram, "service, operation",
     "From the first attempt to the end of the last, in seconds.", ""},

    {Metric::lease_active, "dsql_distributed_conn_lease_active", gauge, "service, endpoint",
     "Connections leased by all processes of the cluster, as this one last heard.",
     "Less than 0.9 of the limit. Above it for five minutes: DSQLGlobalLimitNearCapacity."},
    {Metric::lease_limit, "dsql_distributed_conn_lease_limit", gauge, "service, endpoint",
     "Connections that all processes together may have.", ""},
    {Metric::lease_held, "forebay_lease_held", gauge, "service, endpoint",
     "Connections leased by this process.", ""},
    {Metric::lease_in_use, "forebay_lease_in_use", gauge, "service, endpoint",
     "Leases of this process with a connection behind them, and connections without a lease.", ""},
    {Metric::lease_overhang, "forebay_lease_overhang", gauge, "service, endpoint",
     "Connections of this process with no lease behind them.",
     "0. Above it for a minute: ForebayLeaseOverhang."},
    {Metric::lease_lost, "forebay_lease_lost", gauge, "service, endpoint",
     "1 while the lease has ended, or may have.", "0."},
    {Metric::lease_losses, "forebay_lease_losses_total", counter, "service, endpoint",
     "Times that the lease was lost.", "0."},
    {Metric::leases_reaped, "forebay_lease_reaped_total", counter, "service, endpoint",
     "Connections of processes that died, freed by this one.", ""},
    {Metric::cluster_processes, "forebay_cluster_processes", gauge, "service, endpoint",
     "Processes with a lease, as far as this one knows; 0 until it knows.", ""},
    {Metric::store_failures, "forebay_store_failures", gauge, "service, endpoint, kind",
     "Requests to the coordination store that failed in a row.",
     "0. Three or more for a minute: ForebayStoreAway."},
    {Metric::permit_waits, "forebay_permit_waits_total", counter, "service, endpoint",
     "Connects that the cluster's rate put off.", ""},
    {Metric::permits_lost, "forebay_permits_lost_total", counter, "service, endpoint",
     "Places of the cluster's rate that came too late to be used.",
     "Few beside the refills. Many: the store is slow, or the clock."},
    {Metric::rate_foreign_seconds, "forebay_rate_foreign_seconds_total", counter,
     "service, endpoint",
     "Seconds in which others counted connects by the second while this process used the bucket.",
     "0. Rising: two rates run beside each other; set rate.mode to window or auto."},
    {Metric::store_requests, "forebay_store_requests_total", counter, "service, endpoint, kind",
     "Requests to the coordination store.", ""},
    {Metric::store_write_units, "forebay_store_write_units_total", counter, "service, endpoint",
     "Write units that DynamoDB has charged.", ""},
    {Metric::store_read_units, "forebay_store_read_units_total", counter, "service, endpoint",
     "Read units that DynamoDB has charged.", ""},
    {Metric::store_throttles, "forebay_store_throttles_total", counter, "service, endpoint",
     "Answers of DynamoDB that said: too many requests.",
     "0. Rising: ForebayStoreThrottled; on-demand capacity ends it."},
    {Metric::tokens_signed, "forebay_tokens_signed_total", counter, "service, endpoint",
     "IAM tokens that were made.", ""},
    {Metric::token_failures, "forebay_token_failures_total", counter, "service, endpoint",
     "IAM tokens that could not be made.", "0. Rising: ForebayTokenFailures."},

    {Metric::tenants_known, "forebay_tenants_known", gauge, "service",
     "Tenants of which something is remembered.", ""},
    {Metric::tenants_warm, "forebay_tenants_warm", gauge, "service", "Tenants with a pool.", ""},
    {Metric::tenant_connections, "forebay_tenant_connections", gauge, "service",
     "Connections of all tenants together.", ""},
    {Metric::tenant_connections_max, "forebay_tenant_connections_max", gauge, "service",
     "Connections that all tenants together may have.", ""},
    {Metric::tenants_in_line, "forebay_tenants_in_line", gauge, "service",
     "Tenants that wait for room.", "0. Above it for five minutes: ForebayTenantsInLine."},
    {Metric::tenant_evictions, "forebay_tenant_evictions_total", counter, "service",
     "Pools of tenants that were closed to make room for others.", ""},
    {Metric::busy_tenant_open, "forebay_busy_tenant_open", gauge, "service, tenant",
     "Connections of one of the busiest tenants, which are looked for once a minute.",
     "At most busiest_in_metrics tenants are told of at a time."},
    {Metric::busy_tenant_in_use, "forebay_busy_tenant_in_use", gauge, "service, tenant",
     "Of these, those that are lent.", "Below what one tenant may have."},
    {Metric::busy_tenant_waiters, "forebay_busy_tenant_waiters", gauge, "service, tenant",
     "Callers of one of the busiest tenants who wait for a connection now.", "0."},
    {Metric::busy_tenant_served, "forebay_busy_tenant_served_total", counter, "service, tenant",
     "Connections lent to callers of one of the busiest tenants.", ""},
    {Metric::busy_tenant_waits, "forebay_busy_tenant_waits_total", counter, "service, tenant",
     "Of these callers, those who had to wait.", ""},
    {Metric::busy_tenant_wait_time, "forebay_busy_tenant_wait_seconds_total", counter,
     "service, tenant", "How long they waited, together, in seconds.", ""},
    {Metric::busy_tenant_timeouts, "forebay_busy_tenant_timeouts_total", counter, "service, tenant",
     "Callers of one of the busiest tenants whose deadline passed.",
     "0. Rising: the tenant wants more than it may have, or than there is room for."},

    {Metric::proxy_clients, "forebay_proxy_clients", gauge, "service, route",
     "Clients that are connected; those whose route is not known have the route (none).", ""},
    {Metric::proxy_waiting, "forebay_proxy_clients_waiting", gauge, "service, route",
     "Clients that wait for a server now. How long they wait: dsql_pool_wait_duration.",
     "0. Above it for five minutes: ForebayProxyClientsWait."},
    {Metric::proxy_pinned, "forebay_proxy_clients_pinned", gauge, "service, route",
     "Clients that keep their server beyond their transactions, because of session state.",
     "Fewer than the pool has connections: each takes one from all others."},
    {Metric::proxy_logins, "forebay_proxy_logins_total", counter, "service, route",
     "Clients that were let in.", ""},
    {Metric::proxy_refused, "forebay_proxy_refused_total", counter, "service, route",
     "Clients that were not let in; for whom there is no route, with the route (none).",
     "0. Rising: the log has who, and why."},
    {Metric::proxy_clients_lost, "forebay_proxy_clients_lost_total", counter, "service, route",
     "Clients that went without a goodbye.", ""},
    {Metric::proxy_stays, "forebay_proxy_stays_total", counter, "service, route",
     "Times that a server was given to a client: for a transaction, or for its session.", ""},
    {Metric::proxy_waits, "forebay_proxy_waits_total", counter, "service, route",
     "Times that a client had to stand in line for a server.",
     "Few beside the stays. Many: more connections, or shorter transactions."},
    {Metric::proxy_unserved, "forebay_proxy_unserved_total", counter, "service, route",
     "Statements that failed because no server could be had in time.",
     "0. Rising: ForebayProxyClientsWait."},
    {Metric::proxy_pins, "forebay_proxy_pins_total", counter, "service, route, kind",
     "Times that a client began to keep its server, by the kind of its session state.", ""},
    {Metric::proxy_state_refusals, "forebay_proxy_state_refused_total", counter, "service, route",
     "Statements refused because of the session state that they would leave.", ""},
    {Metric::proxy_parses_added, "forebay_proxy_statements_prepared_again_total", counter,
     "service, route", "Statements of clients prepared on a server that did not have them yet.",
     "Few beside the stays. Many: more different texts than a server keeps."},
    {Metric::proxy_parses_answered, "forebay_proxy_statements_found_total", counter,
     "service, route", "Statements that clients prepared and a server had already.", ""},
    {Metric::proxy_statements_closed, "forebay_proxy_statements_closed_total", counter,
     "service, route", "Statements closed on servers because others were used more lately.", ""},
    {Metric::proxy_fits, "forebay_proxy_parameter_changes_total", counter, "service, route",
     "Times that a server was given the parameters of a client before it served it.",
     "Few beside the stays: what most clients set is better in pool.session_settings."},
    {Metric::proxy_cancels, "forebay_proxy_cancels_total", counter, "service, route",
     "Requests to cancel that were passed on, those of query_limit included.", ""},
    {Metric::proxy_servers_lost, "forebay_proxy_servers_lost_total", counter, "service, route",
     "Servers that went away while they served a client.", "0."},
    {Metric::build_info, "forebay_build_info", gauge, "service, version", "Always 1.", ""},
}};
// NOLINTEND(bugprone-suspicious-missing-comma)

constexpr bool is_in_order(const Table& table) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].metric) != i) return false;
  }
  return true;
}
static_assert(is_in_order(kTable), "the table has another order than its names");

}  // namespace

std::string_view name(MetricType type) {
  constexpr std::array<std::string_view, 3> names = {"counter", "gauge", "histogram"};
  return names[static_cast<std::size_t>(type)];
}

std::span<const MetricDefinition, kMetrics> metric_table() { return kTable; }

const MetricDefinition& definition(Metric metric) {
  return kTable[static_cast<std::size_t>(metric)];
}

std::string metrics_reference() {
  std::string text =
      "# Metrics\n\n"
      "Written by `forebay metrics reference`. Served at `/metrics` in the text format of "
      "Prometheus, or in\nOpenMetrics, and compressed, for scrapers that ask for it; or through a "
      "registry of "
      "prometheus-cpp\n(`include/forebay/metrics.hpp`).\n\n"
      "Histograms have buckets from 100 ns to 10 s, three to a decade.\n\n"
      "| metric | type | labels | what it says | healthy |\n|---|---|---|---|---|\n";
  for (const MetricDefinition& each : kTable) {
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", each.name, name(each.type), each.labels,
                        each.help, each.advice);
  }
  return text;
}

}  // namespace forebay
