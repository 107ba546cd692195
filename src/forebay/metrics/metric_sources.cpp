#include "forebay/metrics/metric_sources.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/metrics/labelled_metrics.hpp"

namespace forebay {
namespace {

double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

template <class Labelled>
void write_counters(Labelled& metrics, const PoolCounters& counters) {
  metrics.number(Metric::reservoir_checkouts, counters.acquired);
  metrics.number(Metric::reservoir_empty, counters.empty);
  for (std::size_t i = 0; i < kDiscardReasons; ++i) {
    metrics.number_of(Metric::reservoir_discards, "reason", name(static_cast<DiscardReason>(i)),
                      counters.discards[i]);
  }
  metrics.number(Metric::reservoir_refills, counters.opened);
  for (std::size_t i = 0; i < kOpenFailures; ++i) {
    metrics.number_of(Metric::reservoir_refill_failures, "reason",
                      name(static_cast<OpenFailure>(i)), counters.failures[i]);
  }
  TimeHistogram checkouts = counters.ready_times;
  checkouts += counters.wait_times;
  metrics.times(Metric::reservoir_checkout_latency, checkouts);
  metrics.number(Metric::pool_wait, counters.waits());
  metrics.times(Metric::pool_wait_duration, counters.wait_times);
  metrics.number(Metric::keeper_replacements, counters.discarded(DiscardReason::replaced));
  metrics.number(Metric::keeper_topups, counters.keeper_topups);
  std::uint64_t ended = 0;
  for (const DiscardReason reason :
       {DiscardReason::insufficient_remaining_lifetime, DiscardReason::expired_on_checkout,
        DiscardReason::expired_on_return, DiscardReason::expired_on_scan,
        DiscardReason::expiring_soon_on_scan, DiscardReason::replaced})
    ended += counters.discarded(reason);
  metrics.number(Metric::closed_lifetime, ended);
  metrics.number(Metric::closed_idle_time, counters.discarded(DiscardReason::idle));
  metrics.number(Metric::closed_idle, counters.discarded(DiscardReason::reservoir_full));
  metrics.number(Metric::pool_timeouts, counters.timeouts);
  metrics.number(Metric::pool_refused, counters.refusals);
  metrics.number(Metric::pool_cancels, counters.cancels);
  metrics.number(Metric::pool_guard_evictions,
                 counters.discarded(DiscardReason::insufficient_remaining_lifetime) +
                     counters.discarded(DiscardReason::expiring_soon_on_scan));
  metrics.number(Metric::pool_leaks, counters.leaks_reported);
}

}  // namespace

void write_pool_metrics(MetricSink& sink, std::string_view service, std::string_view pool,
                        const PoolStatistics& now) {
  LabelledMetrics<2> metrics(sink, {{{"service", service}, {"pool", pool}}});
  metrics.number(Metric::reservoir_size, now.ready);
  metrics.number(Metric::reservoir_target, now.target_ready);
  // What is lent leaves less to be kept ready than was asked for, and what has just come back is
  // about to be.
  const int wanted = std::max(0, std::min(now.target_ready, now.max - now.lent) - now.cleaning);
  metrics.number(Metric::pool_wanted_ready, wanted);
  metrics.number(Metric::pool_max_open, now.max);
  metrics.number(Metric::pool_open, now.open());
  metrics.number(Metric::pool_in_use, now.lent);
  metrics.number(Metric::pool_idle, now.open() - now.lent);
  metrics.number(Metric::keeper_deficit, std::max(0, wanted - now.ready - now.opening));
  metrics.number(Metric::keeper_opening, now.opening);
  metrics.number(Metric::pool_filled, now.is_filled ? 1 : 0);
  metrics.number(Metric::pool_cleaning, now.cleaning);
  metrics.number(Metric::pool_closing, now.closing);
  metrics.number(Metric::pool_held, now.held);
  metrics.number(Metric::pool_waiters, now.waiters);
  metrics.number(Metric::pool_connect_time, seconds(now.connect_time));
  write_counters(metrics, now.counters);
}

std::string why_not_ready(std::string_view pool, const PoolStatistics& now) {
  if (now.is_closed) return fmt::format("{}: it is closed", pool);
  if (now.is_filled) return {};
  std::string reason =
      fmt::format("{}: {} of {} connections are open, {} are being opened", pool, now.open(),
                  std::max(now.target_ready, now.filled_at), now.opening);
  // The server's words are in the log: a probe need not read them.
  if (now.last_open_failure)
    reason += fmt::format("; the last failed at {}", name(*now.last_open_failure));
  return reason;
}

void write_transaction_metrics(MetricSink& sink, std::string_view service,
                               const std::vector<OperationSnapshot>& operations) {
  for (const OperationSnapshot& each : operations) {
    LabelledMetrics<2> metrics(sink, {{{"service", service}, {"operation", each.operation}}});
    metrics.number(Metric::transaction_attempts, each.attempts);
    metrics.number(Metric::transaction_successes, each.succeeded);
    metrics.number(Metric::transaction_failures, each.failed);
    metrics.number(Metric::transaction_conflicts, each.conflicts);
    metrics.number(Metric::transaction_retries, each.retries);
    metrics.number(Metric::transaction_exhausted, each.exhausted);
    for (std::size_t i = 0; i < kErrorClasses; ++i) {
      metrics.number_of(Metric::transaction_errors, "error_class", name(static_cast<ErrorClass>(i)),
                        each.errors[i]);
    }
    metrics.times(Metric::transaction_backoff, each.backoff.summary());
    metrics.times(Metric::transaction_latency, each.latency.summary());
  }
}

void write_cluster_metrics(MetricSink& sink, std::string_view service,
                           const ClusterStatistics& now) {
  LabelledMetrics<2> metrics(sink, {{{"service", service}, {"endpoint", now.endpoint}}});
  if (now.has_leases) {
    metrics.number(Metric::lease_active, now.active);
    metrics.number(Metric::lease_limit, now.limit);
    metrics.number(Metric::lease_held, now.held);
    metrics.number(Metric::lease_in_use, now.in_use);
    metrics.number(Metric::lease_overhang, now.overhang);
    metrics.number(Metric::lease_lost, now.is_lost ? 1 : 0);
    metrics.number(Metric::lease_losses, now.losses);
    metrics.number(Metric::leases_reaped, now.reaped);
    metrics.number(Metric::cluster_processes, now.known_processes);
    metrics.number_of(Metric::store_failures, "kind", "leases", now.lease_failures);
    metrics.number_of(Metric::store_requests, "kind", "leases", now.lease_requests);
  }
  if (now.has_rate) {
    metrics.number_of(Metric::store_failures, "kind", "rate", now.rate_failures);
    metrics.number_of(Metric::store_requests, "kind", "rate", now.rate_requests);
    metrics.number(Metric::permit_waits, now.permit_waits);
    metrics.number(Metric::permits_lost, now.lost_places);
    metrics.number(Metric::rate_foreign_seconds, now.foreign_seconds);
  }
  if (now.has_leases || now.has_rate) {
    metrics.number(Metric::store_write_units, now.dynamodb.write_units);
    metrics.number(Metric::store_read_units, now.dynamodb.read_units);
    metrics.number(Metric::store_throttles, now.dynamodb.throttled);
  }
  if (now.has_tokens) {
    metrics.number(Metric::tokens_signed, now.tokens.signed_tokens);
    metrics.number(Metric::token_failures, now.tokens.failures);
  }
}

void write_tenant_metrics(MetricSink& sink, std::string_view service, const TenantTotals& now) {
  const LabelledMetrics<1> metrics(sink, {{{"service", service}}});
  metrics.number(Metric::tenants_known, now.known);
  metrics.number(Metric::tenants_warm, now.pools);
  metrics.number(Metric::tenant_connections, now.in_use);
  metrics.number(Metric::tenant_connections_max, now.max);
  metrics.number(Metric::tenants_in_line, now.in_line);
  metrics.number(Metric::tenant_evictions, now.evictions);
}

void write_busy_tenant_metrics(MetricSink& sink, std::string_view service,
                               const TenantStatistics& now) {
  const LabelledMetrics<2> metrics(sink, {{{"service", service}, {"tenant", now.tenant}}});
  metrics.number(Metric::busy_tenant_open, now.open);
  metrics.number(Metric::busy_tenant_in_use, now.lent);
  metrics.number(Metric::busy_tenant_waiters, now.waiters);
  metrics.number(Metric::busy_tenant_served, now.served);
  metrics.number(Metric::busy_tenant_waits, now.waits);
  metrics.number(Metric::busy_tenant_wait_time, seconds(now.wait_time));
  metrics.number(Metric::busy_tenant_timeouts, now.timeouts);
}

}  // namespace forebay
