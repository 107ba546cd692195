#include "forebay/metrics/metric_sources.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace forebay {
namespace {

double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

// One source with its labels, and room for one more.
template <std::size_t kOwn>
class Telling {
 public:
  Telling(MetricSink& sink, const std::array<MetricLabel, kOwn>& own) : sink_(sink) {
    std::ranges::copy(own, labels_.begin());
  }
  template <class Number>
  void number(Metric metric, Number value) const {
    sink_.number(metric, own(), static_cast<double>(value));
  }
  template <class Number>
  void number_of(Metric metric, std::string_view label, std::string_view value, Number number) {
    labels_[kOwn] = MetricLabel{label, value};
    sink_.number(metric, labels_, static_cast<double>(number));
  }
  void times(Metric metric, const TimeHistogram& times) const { sink_.times(metric, own(), times); }

 private:
  MetricLabels own() const { return MetricLabels(labels_).first(kOwn); }

  MetricSink& sink_;
  std::array<MetricLabel, kOwn + 1> labels_{};
};

template <class Teller>
void tell_counters(Teller& tell, const PoolCounters& counters) {
  tell.number(Metric::reservoir_checkouts, counters.acquired);
  tell.number(Metric::reservoir_empty, counters.empty);
  for (std::size_t i = 0; i < kDiscardReasons; ++i) {
    tell.number_of(Metric::reservoir_discards, "reason", name(static_cast<DiscardReason>(i)),
                   counters.discards[i]);
  }
  tell.number(Metric::reservoir_refills, counters.opened);
  for (std::size_t i = 0; i < kOpenFailures; ++i) {
    tell.number_of(Metric::reservoir_refill_failures, "reason", name(static_cast<OpenFailure>(i)),
                   counters.failures[i]);
  }
  TimeHistogram checkouts = counters.ready_times;
  checkouts += counters.wait_times;
  tell.times(Metric::reservoir_checkout_latency, checkouts);
  tell.number(Metric::pool_wait, counters.waits());
  tell.times(Metric::pool_wait_duration, counters.wait_times);
  tell.number(Metric::keeper_replacements, counters.discarded(DiscardReason::replaced));
  tell.number(Metric::pool_timeouts, counters.timeouts);
  tell.number(Metric::pool_guard_evictions,
              counters.discarded(DiscardReason::insufficient_remaining_lifetime) +
                  counters.discarded(DiscardReason::expiring_soon_on_scan));
  tell.number(Metric::pool_leaks, counters.leaks_reported);
}

}  // namespace

void tell_pool(MetricSink& sink, std::string_view service, std::string_view pool,
               const PoolStatistics& now) {
  Telling<2> tell(sink, {{{"service", service}, {"pool", pool}}});
  tell.number(Metric::reservoir_size, now.ready);
  // What is lent leaves less to be kept ready than was asked for, and what has just come back is
  // about to be.
  const int target = std::max(0, std::min(now.target_ready, now.max - now.lent) - now.cleaning);
  tell.number(Metric::reservoir_target, target);
  tell.number(Metric::pool_max_open, now.max);
  tell.number(Metric::pool_open, now.open());
  tell.number(Metric::pool_in_use, now.lent);
  tell.number(Metric::pool_idle, now.open() - now.lent);
  tell.number(Metric::keeper_deficit, std::max(0, target - now.ready - now.opening));
  tell.number(Metric::keeper_opening, now.opening);
  tell.number(Metric::pool_filled, now.is_filled ? 1 : 0);
  tell.number(Metric::pool_cleaning, now.cleaning);
  tell.number(Metric::pool_closing, now.closing);
  tell.number(Metric::pool_held, now.held);
  tell.number(Metric::pool_waiters, now.waiters);
  tell.number(Metric::pool_connect_time, seconds(now.connect_time));
  tell_counters(tell, now.counters);
}

std::string why_not_ready(std::string_view pool, const PoolStatistics& now) {
  if (now.is_closed) return fmt::format("{}: it is closed", pool);
  if (now.is_filled) return {};
  std::string reason = fmt::format("{}: {} of {} connections are open, {} are being opened", pool,
                                   now.open(), now.target_ready, now.opening);
  // What was said is in the log: whoever may ask whether we are ready need not read it.
  if (now.last_open_failure)
    reason += fmt::format("; the last failed at {}", name(*now.last_open_failure));
  return reason;
}

void tell_transactions(MetricSink& sink, const std::vector<OperationSnapshot>& operations) {
  for (const OperationSnapshot& each : operations) {
    Telling<1> tell(sink, {{{"operation", each.operation}}});
    tell.number(Metric::transaction_attempts, each.attempts);
    tell.number(Metric::transaction_successes, each.succeeded);
    tell.number(Metric::transaction_failures, each.failed);
    tell.number(Metric::transaction_conflicts, each.conflicts);
    tell.number(Metric::transaction_retries, each.retries);
    tell.number(Metric::transaction_exhausted, each.exhausted);
    for (std::size_t i = 0; i < kErrorClasses; ++i) {
      tell.number_of(Metric::transaction_errors, "error_class", name(static_cast<ErrorClass>(i)),
                     each.errors[i]);
    }
    tell.times(Metric::transaction_backoff, each.backoff.summary());
    tell.times(Metric::transaction_latency, each.latency.summary());
  }
}

void tell_cluster(MetricSink& sink, std::string_view service, const ClusterStatistics& now) {
  Telling<2> tell(sink, {{{"service", service}, {"endpoint", now.endpoint}}});
  if (now.has_leases) {
    tell.number(Metric::lease_active, now.active);
    tell.number(Metric::lease_limit, now.limit);
    tell.number(Metric::lease_held, now.held);
    tell.number(Metric::lease_in_use, now.in_use);
    tell.number(Metric::lease_overhang, now.overhang);
    tell.number(Metric::lease_lost, now.is_lost ? 1 : 0);
    tell.number(Metric::lease_losses, now.losses);
    tell.number(Metric::leases_reaped, now.reaped);
    tell.number(Metric::cluster_processes, now.known_processes);
    tell.number_of(Metric::store_failures, "kind", "leases", now.lease_failures);
    tell.number_of(Metric::store_requests, "kind", "leases", now.lease_requests);
  }
  if (now.has_rate) {
    tell.number_of(Metric::store_failures, "kind", "rate", now.rate_failures);
    tell.number_of(Metric::store_requests, "kind", "rate", now.rate_requests);
    tell.number(Metric::permit_waits, now.permit_waits);
    tell.number(Metric::permits_lost, now.lost_places);
  }
  if (now.has_leases || now.has_rate) {
    tell.number(Metric::store_write_units, now.dynamodb.write_units);
    tell.number(Metric::store_read_units, now.dynamodb.read_units);
    tell.number(Metric::store_throttles, now.dynamodb.throttled);
  }
  if (now.has_tokens) {
    tell.number(Metric::tokens_signed, now.tokens.signed_tokens);
    tell.number(Metric::token_failures, now.tokens.failures);
  }
}

void tell_tenants(MetricSink& sink, std::string_view service, const TenantTotals& now) {
  const Telling<1> tell(sink, {{{"service", service}}});
  tell.number(Metric::tenants_known, now.known);
  tell.number(Metric::tenants_warm, now.pools);
  tell.number(Metric::tenant_connections, now.in_use);
  tell.number(Metric::tenant_connections_max, now.max);
  tell.number(Metric::tenants_in_line, now.in_line);
  tell.number(Metric::tenant_evictions, now.evictions);
}

}  // namespace forebay
