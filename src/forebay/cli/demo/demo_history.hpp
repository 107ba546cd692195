// DemoHistory: looks at the demo over time, and what changed between them. Pure: the caller looks.
#pragma once

#include <deque>

#include "forebay/cli/demo/demo_load.hpp"
#include "forebay/core/latency_histogram.hpp"
#include "forebay/pool/statistics.hpp"

namespace forebay::cli {

// One look.
struct DemoSample {
  Duration at{};  // since the beginning
  PoolStatistics pool;
  LoadCounts load;
  LatencySnapshot acquire_times;

  std::uint64_t connects() const { return pool.counters.opened + pool.counters.open_failures(); }
};

// The latest look, and what happened shortly before it.
struct DemoTrend {
  DemoSample now;
  double connects_per_second = 0;
  double statements_per_second = 0;
  LatencySnapshot recent_acquire_times;
};

class DemoHistory {
 public:
  static constexpr Duration kRateWindow = std::chrono::seconds(1);
  static constexpr Duration kLatencyWindow = std::chrono::seconds(10);

  void add(DemoSample sample);
  DemoTrend trend() const;  // REQUIRES: something was added

 private:
  const DemoSample& sample_before(Duration window) const;

  std::deque<DemoSample> samples_;  // the latest window, and the last one before it
};

}  // namespace forebay::cli
