#include "forebay/metrics.hpp"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "forebay/cluster.hpp"
#include "forebay/env/real/http_listener.hpp"
#include "forebay/metrics/busiest_tenants.hpp"
#include "forebay/metrics/metric_sources.hpp"
#include "forebay/postgres/postgres_pool.hpp"
#include "forebay/postgres/postgres_tenants.hpp"
#include "forebay/retry/transaction_metrics.hpp"

namespace forebay {
namespace {

constexpr Duration kClusterPatience = std::chrono::seconds(1);
constexpr const char* kPlain = "text/plain; charset=utf-8";

}  // namespace

Metrics::Watch watch(Metrics& metrics, const Pool& pool) {
  return metrics.watch_named(
      pool.name(),
      [&pool, service = metrics.service()](const std::string& name) {
        return [&pool, service, name](MetricSink& sink) {
          write_pool_metrics(sink, service, name, pool.statistics());
        };
      },
      [&pool] { return why_not_ready(pool.name(), pool.statistics()); });
}

Metrics::Watch watch(Metrics& metrics, postgres::PostgresPool& pool) {
  return watch(metrics, pool.pool());
}

Metrics::Watch watch(Metrics& metrics, const postgres::PostgresTenants& tenants) {
  const int places = tenants.options().busiest_in_metrics;
  const auto busiest = std::make_shared<BusiestTenants>(places);
  return metrics.watch([&tenants, places, busiest, service = metrics.service()](MetricSink& sink) {
    if (places == 0) return write_tenant_metrics(sink, service, tenants.brief_totals());
    const TenancyStatistics now = tenants.statistics();
    write_tenant_metrics(sink, service, now.totals);
    for (const TenantStatistics* each : busiest->choose(now.by_tenant, now.at))
      write_busy_tenant_metrics(sink, service, *each);
  });
}

Metrics::Watch watch(Metrics& metrics, Cluster& cluster) {
  return metrics.watch([&cluster, service = metrics.service()](MetricSink& sink) {
    const std::optional<ClusterStatistics> now = cluster.statistics_within(kClusterPatience);
    if (now) write_cluster_metrics(sink, service, *now);
  });
}

Metrics::Watch watch(Metrics& metrics, const TransactionMetrics& transactions) {
  return metrics.watch([&transactions, service = metrics.service()](MetricSink& sink) {
    write_transaction_metrics(sink, service, transactions.snapshot());
  });
}

MetricsServer::MetricsServer(std::unique_ptr<HttpListener> listener)
    : listener_(std::move(listener)) {}

Result<std::unique_ptr<MetricsServer>> MetricsServer::open(const Metrics& metrics,
                                                           const std::string& address,
                                                           std::uint16_t port) {
  Result<std::unique_ptr<HttpListener>> listener = HttpListener::open(
      address, port, [&metrics](const PageRequest& request) { return reply(metrics, request); });
  if (!listener) return failure(std::move(listener.error()));
  return std::unique_ptr<MetricsServer>(new MetricsServer(std::move(*listener)));
}

MetricsServer::~MetricsServer() = default;

std::uint16_t MetricsServer::port() const { return listener_->port(); }
std::string MetricsServer::url() const { return listener_->url(); }

PageResponse MetricsServer::reply(const Metrics& metrics, const PageRequest& request) {
  if (request.method != "GET") return {405, kPlain, "only GET\n"};
  if (request.path == "/metrics") {
    const MetricFormat format = preferred_format(request.accept);
    return {200, std::string(content_type(format)), metrics.text(format)};
  }
  if (request.path == "/healthz") return {200, kPlain, "ok\n"};
  if (request.path == "/readyz") {
    const std::vector<std::string> reasons = metrics.not_ready();
    if (reasons.empty()) return {200, kPlain, "ready\n"};
    std::string lines;
    for (const std::string& reason : reasons) lines += reason + "\n";
    return {503, kPlain, lines};
  }
  return {404, kPlain, "there are /metrics, /healthz and /readyz\n"};
}

}  // namespace forebay
