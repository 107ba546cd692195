#include "forebay/aws/dynamodb/server_clock.hpp"

#include <gtest/gtest.h>

#include "forebay/env/random.hpp"

namespace forebay::aws {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kDay{24h};

WallTime date_of(WallTime time) { return std::chrono::floor<std::chrono::seconds>(time); }

TEST(ServerClockTest, OneAnswerTellsASecondAndTheRoundTrip) {
  ServerClock clock;
  EXPECT_FALSE(clock.is_known());
  EXPECT_EQ(clock.agreed(kDay + 7h, Instant(1s)), kDay + 7h);  // nothing is known better
  clock.note(kDay, Instant(10s), Instant(10s) + 40ms);
  EXPECT_TRUE(clock.is_known());
  EXPECT_EQ(clock.earliest(Instant(10s) + 40ms), kDay - 10ms);
  EXPECT_EQ(clock.latest(Instant(10s) + 40ms), kDay + 1s + 40ms + 10ms);
}

TEST(ServerClockTest, AnOwnClockThatMayBeRightIsKeptAndAWrongOneIsNeverAhead) {
  ServerClock clock;
  clock.note(kDay, Instant(10s), Instant(10s));
  EXPECT_EQ(clock.agreed(kDay + 300ms, Instant(10s)), kDay + 300ms);
  EXPECT_EQ(clock.agreed(kDay + 5s, Instant(10s)), kDay - 10ms);
  EXPECT_EQ(clock.agreed(kDay - 5s, Instant(10s)), kDay - 10ms);
}

// The truth is always inside, and after some answers little else.
TEST(ServerClockProperty, AnswersNarrowItDownAroundTheTruth) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededRandom random(seed);
    const Duration ahead = random.between(0s, 1h);
    const Duration slowest = random.between(1ms, 300ms);
    ServerClock clock;
    Instant now(random.between(0s, 1h));
    for (int i = 0; i < 40; ++i) {
      now += random.between(1ms, 3s);
      const Instant sent = now;
      const Duration there = random.between(0ms, slowest);
      const WallTime written(now.time_since_epoch() + there + ahead);
      now += there + random.between(0ms, slowest);
      clock.note(date_of(written), sent, now);
      const WallTime truth(now.time_since_epoch() + ahead);
      ASSERT_LE(clock.earliest(now), truth);
      ASSERT_GE(clock.latest(now), truth);
    }
    EXPECT_LE(clock.latest(now) - clock.earliest(now), 300ms + 2 * slowest);
  }
}

// Somebody has set the server's clock, or its host was replaced by another.
TEST(ServerClockTest, AnAnswerThatContradictsAllOthersCountsAlone) {
  ServerClock clock;
  clock.note(kDay, Instant(10s), Instant(10s));
  clock.note(kDay + 1h, Instant(11s), Instant(11s));
  EXPECT_EQ(clock.earliest(Instant(11s)), kDay + 1h - 10ms);
}

}  // namespace
}  // namespace forebay::aws
