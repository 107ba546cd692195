// What pools, transactions, tenants and the cluster say of themselves, as metrics.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "forebay/coordination/cluster_statistics.hpp"
#include "forebay/metrics/metric_sink.hpp"
#include "forebay/pool/statistics.hpp"
#include "forebay/retry/transaction_metrics.hpp"
#include "forebay/tenants/tenant_statistics.hpp"

namespace forebay {

void write_pool_metrics(MetricSink& sink, std::string_view service, std::string_view pool,
                        const PoolStatistics& statistics);
// Empty: its initial fill is done, and it is ready to serve.
std::string why_not_ready(std::string_view pool, const PoolStatistics& statistics);
void write_transaction_metrics(MetricSink& sink, std::string_view service,
                               const std::vector<OperationSnapshot>& operations);
void write_cluster_metrics(MetricSink& sink, std::string_view service,
                           const ClusterStatistics& statistics);
void write_tenant_metrics(MetricSink& sink, std::string_view service, const TenantTotals& totals);
void write_busy_tenant_metrics(MetricSink& sink, std::string_view service,
                               const TenantStatistics& statistics);

}  // namespace forebay
