#include "forebay/doctor/rate_check.hpp"

#include "doctor/findings.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;

constexpr WallTime kLookedAt{1'700'000'000s};

Findings rate_checked(RateMode mode, int seconds, std::optional<Duration> bucket_used_ago) {
  doctor::RateFacts facts;
  facts.mode = mode;
  facts.seconds = seconds;
  facts.now = kLookedAt;
  if (bucket_used_ago) facts.bucket_used_at = kLookedAt - *bucket_used_ago;
  return doctor::check_rate(facts);
}

TEST(RateCheckTest, BothKindsAliveAreAnErrorInAnyMode) {
  for (const RateMode mode : {RateMode::window, RateMode::bucket, RateMode::automatic}) {
    EXPECT_THAT(
        rate_checked(mode, 7, 3s),
        Contains(tells(Severity::error, "7 counts by the second in the last 100s", "rate.mode")));
  }
}

TEST(RateCheckTest, OneKindThatIsNotOursIsAWarning) {
  EXPECT_THAT(rate_checked(RateMode::bucket, 7, std::nullopt),
              Contains(tells(Severity::warning, "by the second", "window")));
  EXPECT_THAT(rate_checked(RateMode::window, 0, 3s),
              Contains(tells(Severity::warning, "by the bucket", "window")));
}

TEST(RateCheckTest, OneKindIsFineAndSoIsABucketOfThePast) {
  EXPECT_THAT(rate_checked(RateMode::window, 7, std::nullopt), all_well());
  EXPECT_THAT(rate_checked(RateMode::window, 7, 1h), all_well());
  EXPECT_THAT(rate_checked(RateMode::bucket, 0, 3s), all_well());
  EXPECT_THAT(rate_checked(RateMode::automatic, 7, std::nullopt), all_well());
  EXPECT_THAT(rate_checked(RateMode::automatic, 0, 3s), all_well());
  EXPECT_THAT(rate_checked(RateMode::window, 0, std::nullopt), all_well());
}

}  // namespace
}  // namespace forebay::test
