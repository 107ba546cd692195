// The adapters for prometheus-cpp tell what the page tells.
#include "forebay/prometheus.hpp"

#include <algorithm>
#include <atomic>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include "forebay/metrics/metric_sources.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;

// The values of a page, sorted: prometheus-cpp writes other comments, and labels in another order.
std::vector<std::string> values_of(const std::string& page) {
  std::vector<std::string> lines;
  std::istringstream in(page);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t open = line.find('{');
    const std::size_t close = line.rfind('}');
    if (open != std::string::npos) {
      std::vector<std::string> labels;
      std::istringstream inside(line.substr(open + 1, close - open - 1));
      for (std::string label; std::getline(inside, label, ',');) {
        // Numbers of buckets are written with more or fewer digits.
        if (label.starts_with("le=") && label != "le=\"+Inf\"")
          label = "le=" + std::to_string(std::stod(label.substr(4)) * 1e9);
        labels.push_back(label);
      }
      std::ranges::sort(labels);
      std::string rebuilt = line.substr(0, open);
      for (const std::string& label : labels) rebuilt += " " + label;
      line = rebuilt + " " + std::to_string(std::stod(line.substr(close + 1)));
    }
    lines.push_back(line);
  }
  std::ranges::sort(lines);
  return lines;
}

std::string page_of(const prometheus::Collectable& collectable) {
  return prometheus::TextSerializer().Serialize(collectable.Collect());
}

class PrometheusTest : public testing::Test {
 protected:
  PrometheusTest() {
    statistics_.ready = 4;
    statistics_.counters.acquired = 9;
    statistics_.counters.ready_times.record(300ns, 8);
    statistics_.counters.wait_times.record(20ms);
    watch_ = metrics_.watch(
        [this](MetricSink& sink) { write_pool_metrics(sink, "orders", "main", statistics_); });
  }

  Metrics metrics_{"orders"};
  PoolStatistics statistics_;
  Metrics::Watch watch_;
};

TEST_F(PrometheusTest, ACollectableTellsWhatThePageTells) {
  const PrometheusCollectable collectable(metrics_);
  EXPECT_EQ(values_of(page_of(collectable)), values_of(metrics_.text()));
}

TEST_F(PrometheusTest, AMirrorFollows) {
  prometheus::Registry registry;
  PrometheusMirror mirror(metrics_, registry, 1h);
  EXPECT_EQ(values_of(page_of(registry)), values_of(metrics_.text()));

  statistics_.ready = 2;
  statistics_.counters.acquired = 19;
  statistics_.counters.ready_times.record(5us, 10);
  mirror.refresh();
  EXPECT_EQ(values_of(page_of(registry)), values_of(metrics_.text()));

  // A pool was made anew under the same name.
  statistics_ = PoolStatistics();
  statistics_.counters.acquired = 3;
  statistics_.counters.ready_times.record(5us, 3);
  mirror.refresh();
  EXPECT_EQ(values_of(page_of(registry)), values_of(metrics_.text()));

  watch_ = Metrics::Watch();
  mirror.refresh();
  EXPECT_EQ(values_of(page_of(registry)), values_of(metrics_.text()));
}

TEST_F(PrometheusTest, AMirrorKeepsItselfFresh) {
  prometheus::Registry registry;
  std::atomic<int> asked = 0;
  const Metrics::Watch counting = metrics_.watch([&](MetricSink&) { ++asked; });
  const PrometheusMirror mirror(metrics_, registry, 1ms);
  while (asked < 5) std::this_thread::yield();
}

TEST_F(PrometheusTest, AMirrorLeavesNothingBehind) {
  prometheus::Registry registry;
  {
    const PrometheusMirror mirror(metrics_, registry, 1h);
  }
  EXPECT_TRUE(values_of(page_of(registry)).empty());
}

}  // namespace
}  // namespace forebay::test
