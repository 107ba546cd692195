// Rates and recent percentiles out of looks at the demo.
#include "forebay/cli/demo/demo_history.hpp"

#include <gtest/gtest.h>

namespace forebay::cli {
namespace {

using namespace std::chrono_literals;

DemoSample at(Duration time, std::uint64_t statements, std::uint64_t opened) {
  DemoSample sample;
  sample.at = time;
  sample.load.statements = statements;
  sample.pool.counters.opened = opened;
  return sample;
}

TEST(DemoHistoryTest, OneLookHasNoRates) {
  DemoHistory history;
  history.add(at(0s, 0, 20));

  EXPECT_EQ(history.trend().statements_per_second, 0);
  EXPECT_EQ(history.trend().connects_per_second, 0);
}

TEST(DemoHistoryTest, RatesAreThoseOfTheLastSecond) {
  DemoHistory history;
  for (int i = 0; i <= 40; ++i) {
    const auto statements = static_cast<std::uint64_t>(i <= 36 ? i * 1000 : 36'000 + (i - 36) * 10);
    history.add(at(i * 250ms, statements, static_cast<std::uint64_t>(i)));
  }

  const DemoTrend trend = history.trend();

  EXPECT_DOUBLE_EQ(trend.statements_per_second, 40);
  EXPECT_DOUBLE_EQ(trend.connects_per_second, 4);
}

TEST(DemoHistoryTest, PercentilesForgetWhatIsOld) {
  LatencyHistogram times;
  DemoHistory history;
  times.record(1s);
  for (int i = 0; i <= 60; ++i) {
    if (i > 8) times.record(1us);
    DemoSample sample = at(i * 250ms, 0, 0);
    sample.acquire_times = times.snapshot();
    history.add(std::move(sample));
  }

  const LatencySnapshot recent = history.trend().recent_acquire_times;

  EXPECT_EQ(recent.count(), 40u);
  EXPECT_LT(recent.percentile(100), 2us);
}

}  // namespace
}  // namespace forebay::cli
