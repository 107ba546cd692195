// A demo in the middle of its work, for tests of what is shown of it.
#pragma once

#include "forebay/cli/demo/demo_history.hpp"
#include "forebay/cli/demo/demo_options.hpp"

namespace forebay::cli {

inline DemoOptions demo_options() {
  std::vector<std::string> problems;
  DemoOptions options = read(DemoArguments(), problems);
  options.place = "a throw-away PostgreSQL that allows 20";
  return options;
}

inline DemoSample demo_sample() {
  LatencyHistogram times;
  for (int i = 1; i <= 1000; ++i) times.record(std::chrono::microseconds(i));
  DemoSample sample;
  sample.at = std::chrono::seconds(83);
  sample.acquire_times = times.snapshot();
  sample.load.statements = 1'234'567;
  sample.pool.max = 20;
  sample.pool.target_ready = 20;
  sample.pool.ready = 10;
  sample.pool.lent = 5;
  sample.pool.cleaning = 2;
  sample.pool.opening = 1;
  sample.pool.closing = 1;
  sample.pool.connect_time = std::chrono::milliseconds(4);
  sample.pool.counters.opened = 142;
  sample.pool.counters.discards[static_cast<std::size_t>(DiscardReason::replaced)] = 120;
  sample.pool.counters.discards[static_cast<std::size_t>(DiscardReason::broken)] = 3;
  return sample;
}

inline DemoTrend demo_trend() {
  DemoTrend trend;
  trend.now = demo_sample();
  trend.connects_per_second = 25;
  trend.statements_per_second = 3120;
  trend.recent_acquire_times = trend.now.acquire_times;
  return trend;
}

// Everything that can be there is there, and long.
inline DemoTrend crowded_trend() {
  DemoTrend trend = demo_trend();
  PoolStatistics& pool = trend.now.pool;
  pool.counters.discards.fill(1'234'567);
  pool.counters.empty = 1'234'567;
  pool.counters.failures.fill(1'234'567);
  pool.waiters = 12'345;
  pool.last_connect_error = std::string(300, 'x');
  trend.now.load.last_failure = std::string(300, 'y');
  trend.now.load.failures = 1'234'567;
  return trend;
}

}  // namespace forebay::cli
