// The histogram beside a sorted list of the same times.
#include "forebay/core/latency_histogram.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;

TEST(LatencyHistogramTest, NothingRecordedMeansZero) {
  const LatencyHistogram histogram;

  EXPECT_EQ(histogram.snapshot().count(), 0u);
  EXPECT_EQ(histogram.snapshot().percentile(50), 0ns);
}

TEST(LatencyHistogramTest, BucketsFollowEachOtherWithoutGaps) {
  for (std::size_t bucket = 0; bucket + 1 < latency::kBuckets; ++bucket) {
    const Duration longest = latency::longest_in(bucket);
    EXPECT_EQ(latency::bucket_of(longest), bucket);
    EXPECT_EQ(latency::bucket_of(longest + 1ns), bucket + 1);
  }
}

TEST(LatencyHistogramTest, TimesBeyondTheEndsAreCut) {
  EXPECT_EQ(latency::bucket_of(-1s), 0u);
  EXPECT_EQ(latency::bucket_of(Duration::max()), latency::kBuckets - 1);
  EXPECT_GT(latency::longest_in(latency::kBuckets - 1), Duration(1h));
}

TEST(LatencyHistogramTest, ADifferenceHoldsOnlyWhatCameLater) {
  LatencyHistogram histogram;
  histogram.record(1s);
  const LatencySnapshot before = histogram.snapshot();

  histogram.record(1ns);
  const LatencySnapshot later = histogram.snapshot().since(before);

  EXPECT_EQ(later.count(), 1u);
  EXPECT_EQ(later.percentile(100), 1ns);
}

TEST(LatencyHistogramTest, ManyThreadsLoseNothing) {
  LatencyHistogram histogram;
  std::vector<std::thread> threads;

  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 10'000; ++n) histogram.record(Duration(n));
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(histogram.snapshot().count(), 40'000u);
}

RC_GTEST_PROP(LatencyHistogramProperty, APercentileIsNeverUnderTheTrueOneAndLittleAboveIt, ()) {
  const auto spread = *rc::gen::element<std::int64_t>(10, 5'000, 3'000'000, 4'000'000'000'000);
  auto times = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, spread)));
  const double percent = *rc::gen::element(0.1, 1.0, 50.0, 90.0, 99.0, 99.9, 100.0);
  LatencyHistogram histogram;
  for (const std::int64_t time : times) histogram.record(Duration(time));

  const std::int64_t told = histogram.snapshot().percentile(percent).count();

  std::ranges::sort(times);
  const auto rank =
      static_cast<std::size_t>(std::ceil(static_cast<double>(times.size()) * percent / 100));
  const std::int64_t truth = times[std::max<std::size_t>(rank, 1) - 1];
  RC_ASSERT(told >= truth);
  RC_ASSERT(told <= truth + truth / 16);
}

}  // namespace
}  // namespace forebay
