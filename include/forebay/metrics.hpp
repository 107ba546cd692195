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
#include <string>

#include "forebay/base/error.hpp"
#include "forebay/env/http_page.hpp"
#include "forebay/metrics/metrics.hpp"

namespace forebay {

class Cluster;
class HttpListener;
class Pool;
class TransactionMetrics;
namespace postgres {
class PostgresPool;
class PostgresTenants;
}  // namespace postgres

[[nodiscard]] Metrics::Watch watch(Metrics& metrics, const Pool& pool);
[[nodiscard]] Metrics::Watch watch(Metrics& metrics, postgres::PostgresPool& pool);
[[nodiscard]] Metrics::Watch watch(Metrics& metrics, const postgres::PostgresTenants& tenants);
// The runtime's own thread must not ask for these metrics. They are left out while it is stuck.
[[nodiscard]] Metrics::Watch watch(Metrics& metrics, Cluster& cluster);
[[nodiscard]] Metrics::Watch watch(Metrics& metrics, const TransactionMetrics& transactions);

// Serves the metrics until it is destroyed. The metrics outlive it.
class MetricsServer {
 public:
  // Port 0: any that is free. Errc::invalid: the address makes no sense; Errc::refused: it is taken
  // or may not be used, or the system gives no thread.
  static Result<std::unique_ptr<MetricsServer>> open(const Metrics& metrics,
                                                     const std::string& address,
                                                     std::uint16_t port);

  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;
  ~MetricsServer();  // waits for the answer under way, and hangs up

  std::uint16_t port() const;
  std::string url() const;  // "http://127.0.0.1:9464"

  // For services with an HTTP server of their own.
  static PageResponse reply(const Metrics& metrics, const PageRequest& request);

 private:
  explicit MetricsServer(std::unique_ptr<HttpListener> listener);
  const std::unique_ptr<HttpListener> listener_;
};

}  // namespace forebay
