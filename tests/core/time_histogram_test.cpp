#include "forebay/core/time_histogram.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "forebay/core/latency_histogram.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;

TEST(TimeHistogramTest, BucketsGoFromAHundredNanosecondsToTenSeconds) {
  EXPECT_EQ(TimeHistogram::kLongest.front(), Duration(100ns));
  EXPECT_EQ(TimeHistogram::kLongest[1], Duration(200ns));
  EXPECT_EQ(TimeHistogram::kLongest[2], Duration(500ns));
  EXPECT_EQ(TimeHistogram::kLongest[12], Duration(1ms));
  EXPECT_EQ(TimeHistogram::kLongest.back(), Duration(10s));
}

TEST(TimeHistogramProperty, EachTimeIsInTheFirstBucketThatHoldsIt) {
  EXPECT_TRUE(rc::check([] {
    const Duration time(*rc::gen::inRange<std::int64_t>(-5, 20'000'000'000));
    const auto times = static_cast<std::uint64_t>(*rc::gen::inRange(1, 100));
    TimeHistogram histogram;
    histogram.record(time, times);
    for (std::size_t i = 0; i <= TimeHistogram::kBounds; ++i) {
      const bool is_above_last = i == 0 || time > TimeHistogram::kLongest[i - 1];
      const bool is_within = i == TimeHistogram::kBounds || time <= TimeHistogram::kLongest[i];
      RC_ASSERT(histogram.count(i) == (is_above_last && is_within ? times : 0));
    }
    RC_ASSERT(histogram.count() == times);
    const Duration whole = std::max(time, Duration::zero()) * static_cast<std::int64_t>(times);
    RC_ASSERT(histogram.sum() == whole);
    TimeHistogram again = histogram;
    again.record_again();
    RC_ASSERT(again.count() == times + 1);
    RC_ASSERT(again.sum() - whole == std::max(time, Duration::zero()));
  }));
}

TEST(TimeHistogramTest, TheSummaryOfAFinerHistogramIsAlmostTheSame) {
  LatencyHistogram fine;
  TimeHistogram coarse;
  for (std::int64_t i = 1; i < 3000; ++i) {
    fine.record(Duration(i * i * 997));
    coarse.record(Duration(i * i * 997));
  }
  const TimeHistogram summary = fine.snapshot().summary();
  EXPECT_EQ(summary.count(), coarse.count());
  const double ratio =
      static_cast<double>(summary.sum().count()) / static_cast<double>(coarse.sum().count());
  EXPECT_GE(ratio, 1);
  EXPECT_LE(ratio, 1.0625);
}

}  // namespace
}  // namespace forebay::test
