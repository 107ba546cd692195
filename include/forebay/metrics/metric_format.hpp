// MetricFormat: the text formats in which a page of metrics can be had.
#pragma once

#include <cstdint>
#include <string_view>

namespace forebay {

enum class MetricFormat : std::uint8_t {
  prometheus,   // the text format of Prometheus, version 0.0.4
  openmetrics,  // OpenMetrics 1.0
};

std::string_view content_type(MetricFormat format);
// What a scraper wants that sends this as its Accept header. Prometheus's own, unless OpenMetrics
// is wanted more.
MetricFormat preferred_format(std::string_view accept);

}  // namespace forebay
