// MetricPage: a page of metrics in the text format of Prometheus, read back. Pure.
//
// A value keeps the name that stands before it: those of a histogram end in _bucket, _sum and
// _count. Comments and times are passed over; families that we do not know are kept.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/error.hpp"
#include "forebay/metrics/metric_table.hpp"

namespace forebay {

using LabelMap = std::map<std::string, std::string, std::less<>>;

struct MetricValue {
  // Absent: empty.
  std::string_view label(std::string_view label_name) const;

  std::string name;
  LabelMap labels;
  double value = 0;
};

class MetricPage {
 public:
  // Errc::invalid: the first line that is no metric, by its number.
  static Result<MetricPage> read(std::string_view text);

  const std::vector<MetricValue>& values() const { return values_; }  // in the order of the page
  // All values of one metric that is no histogram.
  std::vector<const MetricValue*> all(Metric metric) const;
  // The value with exactly these labels, the last if there are several; none if there is none.
  std::optional<double> find(std::string_view name, const LabelMap& labels) const;

 private:
  // Pages of a thousand pools have a hundred thousand values.
  struct Family {
    std::vector<std::size_t> places;  // in values_
    std::map<LabelMap, double> by_labels;
  };

  std::vector<MetricValue> values_;
  std::map<std::string, Family, std::less<>> families_;
};

}  // namespace forebay
