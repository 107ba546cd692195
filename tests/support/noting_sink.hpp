// NotingSink: what sources of metrics tell, for tests of what they tell.
#pragma once

#include <map>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "forebay/metrics/metric_sink.hpp"

namespace forebay::test {

// What was told, with the names of its labels as the table writes them.
class NotingSink final : public MetricSink {
 public:
  void number(Metric metric, MetricLabels labels, double value) override {
    note(metric, labels);
    EXPECT_NE(definition(metric).type, MetricType::histogram);
    numbers[metric] += value;
  }
  void times(Metric metric, MetricLabels labels, const TimeHistogram& times) override {
    note(metric, labels);
    EXPECT_EQ(definition(metric).type, MetricType::histogram);
    numbers[metric] += static_cast<double>(times.count());
  }

  std::map<Metric, double> numbers;

 private:
  void note(Metric metric, MetricLabels labels) {
    std::string names;
    std::string key = std::string(definition(metric).name);
    for (const MetricLabel& label : labels) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", label.name);
      key += fmt::format(",{}", label.value);
    }
    EXPECT_EQ(names, definition(metric).labels) << definition(metric).name;
    EXPECT_TRUE(told_.insert(key).second) << key << " was told twice";
  }
  std::set<std::string> told_;
};

}  // namespace forebay::test
