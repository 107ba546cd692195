// Pages of metrics for tests of what the doctor makes of them.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "forebay/doctor/instance_check.hpp"
#include "forebay/metrics/metric_text.hpp"

namespace forebay::test {

using MetricLine = std::pair<std::string, double>;  // a name with its labels, and the value

// A pool that is full and busy, as a page; the lines override or add.
inline std::string page_text(const std::vector<MetricLine>& lines) {
  std::vector<MetricLine> all{
      {R"(dsql_reservoir_size{service="orders",pool="main"})", 50},
      {R"(dsql_reservoir_target{service="orders",pool="main"})", 50},
      {R"(forebay_pool_filled{service="orders",pool="main"})", 1},
      {R"(dsql_pool_max_open{service="orders",pool="main"})", 60},
      {R"(dsql_pool_in_use{service="orders",pool="main"})", 5},
      {R"(dsql_reservoir_refills_total{service="orders",pool="main"})", 100},
  };
  for (const MetricLine& line : lines) {
    const auto known = std::ranges::find(all, line.first, &MetricLine::first);
    if (known == all.end()) {
      all.push_back(line);
    } else {
      known->second = line.second;
    }
  }
  std::string text;
  for (const auto& [name, value] : all) text += name + " " + std::to_string(value) + "\n";
  return text;
}

// The name with the labels of that pool, and one more.
inline std::string of_pool(const std::string& name, const std::string& reason = "") {
  return name + R"({service="orders",pool="main")" +
         (reason.empty() ? "" : ",reason=\"" + reason + "\"") + "}";
}
inline std::string of_cluster(const std::string& name, const std::string& kind = "") {
  return name + R"({service="orders",endpoint="abc")" +
         (kind.empty() ? "" : ",kind=\"" + kind + "\"") + "}";
}

// Two looks, two seconds apart.
inline doctor::InstancePages pages_of(const std::vector<MetricLine>& earlier,
                                      const std::vector<MetricLine>& later) {
  return {MetricPage::read(page_text(earlier)).value(), MetricPage::read(page_text(later)).value(),
          std::chrono::seconds(2)};
}

inline doctor::Findings told(const std::vector<MetricLine>& earlier,
                             const std::vector<MetricLine>& later) {
  return doctor::check_instance(pages_of(earlier, later));
}
// The same all the time.
inline doctor::Findings told(const std::vector<MetricLine>& lines) { return told(lines, lines); }

}  // namespace forebay::test
