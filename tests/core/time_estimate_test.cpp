// TimeEstimate: the first sample counts whole, later ones by an eighth.
#include "forebay/core/time_estimate.hpp"

#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;

TEST(TimeEstimateTest, BeforeTheFirstConnectATimeIsAssumed) {
  const TimeEstimate time(50ms);

  EXPECT_EQ(time.estimate(), 50ms);
  EXPECT_FALSE(time.is_observed());
}

TEST(TimeEstimateTest, TheFirstSampleReplacesTheAssumption) {
  TimeEstimate time(50ms);

  time.add(8ms);

  EXPECT_EQ(time.estimate(), Duration(8ms));
}

TEST(TimeEstimateTest, ASingleSlowConnectMovesTheEstimateByAnEighth) {
  TimeEstimate time(50ms);
  time.add(80ms);

  time.add(880ms);

  EXPECT_EQ(time.estimate(), Duration(180ms));
}

TEST(TimeEstimateTest, AServerThatSlowsDownIsFollowedWithinADozenConnects) {
  TimeEstimate time(50ms);
  time.add(10ms);

  for (int i = 0; i < 12; ++i) time.add(100ms);

  EXPECT_GT(time.estimate(), 75ms);
}

RC_GTEST_PROP(TimeEstimateProperty, TheEstimateStaysBetweenTheSamplesAndAboveZero,
              (const std::vector<std::uint32_t>& samples)) {
  TimeEstimate time(50ms);
  Duration shortest = Duration::max();
  Duration longest{};

  for (const std::uint32_t sample : samples) {
    const Duration taken(sample);
    time.add(taken);
    shortest = std::min(shortest, taken);
    longest = std::max(longest, taken);
    RC_ASSERT(time.estimate() >= Duration(1));
    RC_ASSERT(time.estimate() >= shortest);
    RC_ASSERT(time.estimate() <= std::max(Duration(1), longest));
  }
}

}  // namespace
}  // namespace forebay
