#include "forebay/core/notice.hpp"

#include <gtest/gtest.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;

constexpr Instant kBegin = Instant(1h);

TEST(NoticePlanTest, SixSecondsAreTwoOfRestAndFourProbes) {
  const NoticePlan plan = plan_notice(6s);

  EXPECT_EQ(plan.check_interval, 500ms);
  EXPECT_EQ(plan.keepalive_idle, 2s);
  EXPECT_EQ(plan.keepalive_interval, 1s);
  EXPECT_EQ(plan.keepalive_count, 4);
}

TEST(NoticePlanTest, SilenceIsWhatWasAskedForInWholeSeconds) {
  for (int asked = 2; asked <= 600; ++asked) {
    const NoticePlan plan = plan_notice(std::chrono::seconds(asked));
    EXPECT_EQ(plan.silence(), std::chrono::seconds(asked));
    EXPECT_GE(plan.keepalive_idle, 1s);
    EXPECT_GE(plan.keepalive_interval, 1s);
    EXPECT_GE(plan.keepalive_count, 1);
  }
  EXPECT_EQ(plan_notice(100ms).silence(), 2s);
  EXPECT_EQ(plan_notice(2500ms).silence(), 3s);
}

TEST(NoticePlanTest, TheServerLooksNeitherTooOftenNorTooSeldom) {
  EXPECT_EQ(plan_notice(100ms).check_interval, 50ms);
  EXPECT_EQ(plan_notice(3s).check_interval, 250ms);
  EXPECT_EQ(plan_notice(1h).check_interval, 500ms);
}

TEST(EndedByTest, NobodyKnowsOfAServerThatWasToldNothing) {
  EXPECT_EQ(ended_by(ServerNotice(), kBegin, std::nullopt), kNever);
  EXPECT_EQ(ended_by(ServerNotice(), kBegin, kBegin + 6s), kNever);
}

TEST(EndedByTest, WhileOurSocketLivesOnlyItCanTell) {
  EXPECT_EQ(ended_by(ServerNotice::of(plan_notice(6s)), kBegin, std::nullopt), kNever);
}

TEST(EndedByTest, ALostServerHasMissedUsAfterItsOwnSilence) {
  const ServerNotice known = ServerNotice::of(plan_notice(6s));

  EXPECT_EQ(ended_by(known, kBegin, kBegin + 10s), kBegin + 10s + 6s + 500ms + 1s);
}

TEST(EndedByTest, HalfOfItIsNotEnough) {
  ServerNotice idle_only;
  idle_only.silence = 6s;
  ServerNotice busy_only;
  busy_only.check_interval = 500ms;

  EXPECT_EQ(ended_by(idle_only, kBegin, kBegin), kNever);
  EXPECT_EQ(ended_by(busy_only, kBegin, kBegin), kNever);
}

TEST(EndedByTest, WorkThatHasALimitEndsWhateverTheSocketSays) {
  ServerNotice known;
  known.longest_work = 5min;
  EXPECT_EQ(ended_by(known, kBegin, std::nullopt), kBegin + 5min + 1s);

  known.silence = 6s;
  known.check_interval = 500ms;
  EXPECT_EQ(ended_by(known, kBegin, kBegin + 1s), kBegin + 1s + 7500ms);
}

TEST(EndedByTest, TheEndOfTimeIsNotPassed) {
  ServerNotice known;
  known.longest_work = Duration::max() - 2s;
  EXPECT_EQ(ended_by(known, kBegin, std::nullopt), kNever);
}

}  // namespace
}  // namespace forebay
