// LabelledMetrics: one source with its labels, and room for one more.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "forebay/metrics/metric_sink.hpp"

namespace forebay {

template <std::size_t kOwn>
class LabelledMetrics {
 public:
  LabelledMetrics(MetricSink& sink, const std::array<MetricLabel, kOwn>& own) : sink_(sink) {
    std::ranges::copy(own, labels_.begin());
  }
  template <class Number>
  void number(Metric metric, Number value) const {
    sink_.number(metric, own(), static_cast<double>(value));
  }
  template <class Number>
  void number_of(Metric metric, std::string_view label, std::string_view value, Number number) {
    labels_[kOwn] = MetricLabel{label, value};
    sink_.number(metric, labels_, static_cast<double>(number));
  }
  void times(Metric metric, const TimeHistogram& times) const { sink_.times(metric, own(), times); }

 private:
  MetricLabels own() const { return MetricLabels(labels_).first(kOwn); }

  MetricSink& sink_;
  std::array<MetricLabel, kOwn + 1> labels_{};
};

}  // namespace forebay
