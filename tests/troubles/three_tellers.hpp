// ThreeTellers: metrics, log and doctor, listening to the same pool. What an operator sees of a
// trouble is what they say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "forebay/doctor/instance_check.hpp"
#include "forebay/metrics/metric_page_reader.hpp"
#include "forebay/metrics/metrics.hpp"
#include "support/captured_log.hpp"

namespace forebay::test {

class ThreeTellers {
 public:
  Metrics& metrics() { return metrics_; }

  // The doctor compares what is then with what is now.
  void begin() { before_ = page(); }

  // The sum over all label sets that have these values: value("dsql_reservoir_size"),
  // value("dsql_reservoir_discards_total", "broken").
  double value(std::string_view name, std::string_view label = {}) const {
    return sum(name, label, nullptr);
  }
  // The same since begin().
  double increase(std::string_view name, std::string_view label = {}) const {
    return sum(name, label, &*before_);
  }

  void expect_logged(std::string_view message, const std::string& part = {}) const {
    for (const std::string& line : log_.lines(message)) {
      if (line.find(part) != std::string::npos) return;
    }
    ADD_FAILURE() << "not logged: " << message << " with \"" << part << "\"; but:\n"
                  << fmt::format("{}", fmt::join(log_.lines(), "\n"));
  }
  // A finding of that severity whose words hold the part, with something to do.
  void expect_found(doctor::Severity severity, const std::string& part,
                    Duration between = std::chrono::seconds(1)) const {
    const doctor::InstancePages pages(*before_, page(), between);
    std::string all;
    for (const doctor::Finding& each : doctor::check_instance(pages)) {
      const std::string words = each.what + "; " + each.why + "; " + each.advice;
      if (each.severity == severity && words.find(part) != std::string::npos) {
        if (severity >= doctor::Severity::warning) {
          EXPECT_FALSE(each.why.empty() || each.advice.empty()) << words;
        }
        return;
      }
      all += fmt::format("\n{}: {}", name(each.severity), words);
    }
    ADD_FAILURE() << "not found: " << name(severity) << " with \"" << part << "\"; but:" << all;
  }
  doctor::Severity worst_found(Duration between) const {
    return doctor::worst(doctor::check_instance(doctor::InstancePages(*before_, page(), between)));
  }
  std::size_t logged(std::string_view message) const { return log_.count(message); }

 private:
  double sum(std::string_view name, std::string_view label, const MetricPage* before) const {
    const MetricPage now = page();
    double sum = 0;
    for (const MetricValue& each : now.values()) {
      bool has_label = label.empty();
      for (const auto& [key, text] : each.labels) has_label = has_label || text == label;
      if (each.name != name || !has_label) continue;
      sum += each.value;
      if (before != nullptr) sum -= before->find(each.name, each.labels).value_or(0);
    }
    return sum;
  }
  MetricPage page() const {
    Result<MetricPage> page = MetricPage::read(metrics_.text());
    EXPECT_TRUE(page.has_value()) << page.error().text();
    return std::move(*page);
  }

  CapturedLog log_;
  Metrics metrics_{"orders"};
  std::optional<MetricPage> before_;
};

}  // namespace forebay::test
