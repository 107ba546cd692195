// MetricText: metrics in the text format of Prometheus, version 0.0.4.
//
// Each family is one stretch of text: its values are put together as they come, whoever they come
// from. Families without a value are left out.
#pragma once

#include <array>
#include <string>

#include "forebay/metrics/metric_sink.hpp"

namespace forebay {

class MetricText final : public MetricSink {
 public:
  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

  void number(Metric metric, MetricLabels labels, double value) override;
  void times(Metric metric, MetricLabels labels, const TimeHistogram& times) override;

  std::string text() const;

 private:
  std::string& lines_of(Metric metric) { return lines_[static_cast<std::size_t>(metric)]; }

  std::array<std::string, kMetrics> lines_;
};

}  // namespace forebay
