// What a proxy says of itself, as metrics.
#pragma once

#include <string_view>

#include "forebay/metrics/metric_sink.hpp"
#include "forebay/proxy/proxy_counters.hpp"

namespace forebay::proxy {

// The route of those for whom there is none, or not yet.
inline constexpr std::string_view kNoRoute = "(none)";

void write_proxy_metrics(MetricSink& sink, std::string_view service,
                         const ProxyStatistics& statistics);

}  // namespace forebay::proxy
