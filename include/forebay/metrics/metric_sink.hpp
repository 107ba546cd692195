// MetricSink: where the values of metrics go when somebody asks for them.
#pragma once

#include <span>
#include <string_view>

#include "forebay/core/time_histogram.hpp"
#include "forebay/metrics/metric_table.hpp"

namespace forebay {

struct MetricLabel {
  std::string_view name;
  std::string_view value;
};

using MetricLabels = std::span<const MetricLabel>;

class MetricSink {
 public:
  virtual ~MetricSink() = default;
  // Of a counter or a gauge. The labels are those of the table, in its order.
  virtual void number(Metric metric, MetricLabels labels, double value) = 0;
  // Of a histogram.
  virtual void times(Metric metric, MetricLabels labels, const TimeHistogram& times) = 0;
};

// The unit of a histogram's times: that of its name.
double in_unit_of(Metric metric, Duration time);

}  // namespace forebay
