// What pools, transactions, tenants and the cluster say of themselves, as metrics.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "forebay/coordination/dynamo_cluster.hpp"
#include "forebay/metrics/metric_sink.hpp"
#include "forebay/pool/statistics.hpp"
#include "forebay/retry/transaction_metrics.hpp"
#include "forebay/tenants/tenant_statistics.hpp"

namespace forebay {

void tell_pool(MetricSink& sink, std::string_view service, std::string_view pool,
               const PoolStatistics& statistics);
// Empty: its initial fill is done, and it is ready to serve.
std::string why_not_ready(std::string_view pool, const PoolStatistics& statistics);
void tell_transactions(MetricSink& sink, const std::vector<OperationSnapshot>& operations);
void tell_cluster(MetricSink& sink, std::string_view service, const ClusterStatistics& statistics);
void tell_tenants(MetricSink& sink, std::string_view service, const TenantTotals& totals);

}  // namespace forebay
