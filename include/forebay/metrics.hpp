// What pools, transactions, tenants and the cluster have to tell, for Prometheus.
//
//   forebay::Metrics metrics("orders");
//   auto a = forebay::watch(metrics, *pool);
//   auto b = forebay::watch(metrics, *cluster);
//   auto server = forebay::MetricsServer::open(metrics, "0.0.0.0", 9464);
//
// /metrics is what Prometheus reads, /healthz says that the process lives, /readyz that something
// is watched and every pool of it has had its initial fill and is not closed. docs/metrics.md has
// all metrics. A service that has a registry of prometheus-cpp, or an Exposer, includes
// <forebay/prometheus.hpp> instead of serving them here.
//
// What is watched outlives its Watch.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "forebay/cluster.hpp"
#include "forebay/configuration.hpp"
#include "forebay/env/real/http_listener.hpp"
#include "forebay/metrics/metric_sources.hpp"
#include "forebay/metrics/metric_text.hpp"
#include "forebay/metrics/metrics.hpp"
#include "forebay/postgres/postgres_pool.hpp"
#include "forebay/postgres/postgres_tenants.hpp"
#include "forebay/retry/transaction_metrics.hpp"

namespace forebay {

inline constexpr Duration kClusterPatience = std::chrono::seconds(1);

[[nodiscard]] inline Metrics::Watch watch(Metrics& metrics, const Pool& pool) {
  return metrics.watch_named(
      pool.name(),
      [&pool, service = metrics.service()](const std::string& name) {
        return [&pool, service, name](MetricSink& sink) {
          tell_pool(sink, service, name, pool.statistics());
        };
      },
      [&pool] { return why_not_ready(pool.name(), pool.statistics()); });
}

[[nodiscard]] inline Metrics::Watch watch(Metrics& metrics, postgres::PostgresPool& pool) {
  return watch(metrics, pool.pool());
}

[[nodiscard]] inline Metrics::Watch watch(Metrics& metrics,
                                          const postgres::PostgresTenants& tenants) {
  return metrics.watch([&tenants, service = metrics.service()](MetricSink& sink) {
    tell_tenants(sink, service, tenants.brief_totals());
  });
}

// The runtime's own thread must not ask for these metrics. They are left out while it is stuck.
[[nodiscard]] inline Metrics::Watch watch(Metrics& metrics, Cluster& cluster) {
  return metrics.watch([&cluster, service = metrics.service()](MetricSink& sink) {
    const std::optional<ClusterStatistics> now = cluster.statistics_within(kClusterPatience);
    if (now) tell_cluster(sink, service, *now);
  });
}

[[nodiscard]] inline Metrics::Watch watch(Metrics& metrics,
                                          const TransactionMetrics& transactions) {
  return metrics.watch(
      [&transactions](MetricSink& sink) { tell_transactions(sink, transactions.snapshot()); });
}

// Serves the metrics until it is destroyed. The metrics outlive it.
class MetricsServer {
 public:
  // Errors: see HttpListener. Port 0: any that is free.
  static Result<std::unique_ptr<MetricsServer>> open(const Metrics& metrics,
                                                     const std::string& address,
                                                     std::uint16_t port) {
    Result<std::unique_ptr<HttpListener>> listener = HttpListener::open(
        address, port,
        [&metrics](const HttpQuestion& question) { return reply(metrics, question); });
    if (!listener) return failure(std::move(listener.error()));
    return std::unique_ptr<MetricsServer>(new MetricsServer(std::move(*listener)));
  }

  std::uint16_t port() const { return listener_->port(); }
  std::string url() const { return listener_->url(); }

  // For services with an HTTP server of their own.
  static HttpReply reply(const Metrics& metrics, const HttpQuestion& question) {
    static constexpr const char* kPlain = "text/plain; charset=utf-8";
    if (question.method != "GET") return {405, kPlain, "only GET\n"};
    if (question.path == "/metrics")
      return {200, std::string(MetricText::kContentType), metrics.text()};
    if (question.path == "/healthz") return {200, kPlain, "ok\n"};
    if (question.path == "/readyz") {
      const std::vector<std::string> reasons = metrics.not_ready();
      if (reasons.empty()) return {200, kPlain, "ready\n"};
      return {503, kPlain, config::lines(reasons) + "\n"};
    }
    return {404, kPlain, "there are /metrics, /healthz and /readyz\n"};
  }

 private:
  explicit MetricsServer(std::unique_ptr<HttpListener> listener) : listener_(std::move(listener)) {}
  const std::unique_ptr<HttpListener> listener_;
};

}  // namespace forebay
