// MetricText: metrics in the text format of Prometheus, version 0.0.4, or in OpenMetrics 1.0.
//
// Each family is one stretch of text: its values are put together as they come, from all sources.
// Families without a value are left out.
#pragma once

#include <array>
#include <string>

#include "forebay/metrics/metric_format.hpp"
#include "forebay/metrics/metric_sink.hpp"

namespace forebay {

class MetricText final : public MetricSink {
 public:
  explicit MetricText(MetricFormat format = MetricFormat::prometheus) : format_(format) {}

  void number(Metric metric, MetricLabels labels, double value) override;
  void times(Metric metric, MetricLabels labels, const TimeHistogram& times) override;

  std::string text() const;

 private:
  std::string& lines_of(Metric metric) { return lines_[static_cast<std::size_t>(metric)]; }

  const MetricFormat format_;
  std::array<std::string, kMetrics> lines_;
};

}  // namespace forebay
