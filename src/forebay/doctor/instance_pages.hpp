// InstancePages: two pages of metrics of one process, taken some time apart: what is now, what has
// been since the start, and what happened in between. Pure.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "forebay/env/time.hpp"
#include "forebay/metrics/metric_page_reader.hpp"

namespace forebay::doctor {

using Labels = LabelMap;

// One value, as it was first and is now.
struct Reading {
  double total = 0;      // now
  double increase = 0;   // in between
  bool is_told = false;  // by the second page
};

class InstancePages {
 public:
  InstancePages(MetricPage earlier, MetricPage later, Duration between);

  Reading read(Metric metric, const Labels& labels) const;
  // The label sets of a metric, in the order of the later page.
  std::vector<Labels> all(Metric metric) const;
  // Of a metric with the label "reason" besides these: the reasons that happened at all.
  using Reasons = std::vector<std::pair<std::string, Reading>>;
  const Reasons& reasons(Metric metric, const Labels& labels) const;
  double per_second(double increase) const;
  Duration between() const { return between_; }
  // A counter that has become less: the process was started again in between.
  bool is_restarted() const;
  bool is_ours() const;  // it has at least one metric that we know

 private:
  MetricPage earlier_;
  MetricPage later_;
  Duration between_;
  std::map<std::pair<Metric, Labels>, Reasons> reasons_;
};

// "orders/main": the service and the pool, or the endpoint.
std::string shown(const Labels& labels);

}  // namespace forebay::doctor
