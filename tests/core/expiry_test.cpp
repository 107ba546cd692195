// How long a connection lives: bounds of the draw, and the server's own limit.
#include "forebay/core/expiry.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;

TEST(ExpiryTest, WithoutJitterALifeIsExact) {
  ExpiryRule rule;
  rule.lifetime = 10min;
  rule.jitter = 0s;
  SeededRandom random(1);

  const Duration lifetime = draw_lifetime(rule, random);

  EXPECT_EQ(lifetime, Duration(10min));
}

TEST(ExpiryTest, JitterGoesHalfToEachSide) {
  ExpiryRule rule;
  rule.lifetime = 10min;
  rule.jitter = 2min;
  SeededRandom random(1);

  Duration shortest = Duration::max();
  Duration longest{};
  for (int i = 0; i < 1'000; ++i) {
    const Duration lifetime = draw_lifetime(rule, random);
    shortest = std::min(shortest, lifetime);
    longest = std::max(longest, lifetime);
  }

  EXPECT_GE(shortest, 9min);
  EXPECT_LT(shortest, 9min + 2s);
  EXPECT_LE(longest, 11min);
  EXPECT_GT(longest, 11min - 2s);
}

// DSQL cuts at 60 minutes, and a transaction may run for 5.
TEST(ExpiryTest, TheServersLimitLeavesRoomForTheLongestTransaction) {
  ExpiryRule rule;
  rule.lifetime = 58min;
  rule.jitter = 4min;
  rule.server_limit = 60min;
  rule.longest_transaction = 5min;
  SeededRandom random(1);

  const Duration lifetime = draw_lifetime(rule, random);

  EXPECT_EQ(lifetime_cap(rule), Duration(55min));
  EXPECT_EQ(lifetime, Duration(55min));
}

TEST(ExpiryTest, AServerWithoutALimitSetsNoCap) {
  ExpiryRule rule;
  rule.longest_transaction = 5min;

  EXPECT_EQ(lifetime_cap(rule), Duration::max());
}

TEST(ExpiryTest, ALifeWithoutAnEndEndsWhenTheServerSays) {
  ExpiryRule rule;
  rule.lifetime = Duration::max();
  SeededRandom random(1);

  EXPECT_GT(draw_lifetime(rule, random), Duration(99 * 365 * 24h));
  EXPECT_EQ(longest_life(rule.lifetime, rule.jitter), Duration::max());
  rule.server_limit = 60min;
  EXPECT_EQ(draw_lifetime(rule, random), Duration(60min));
}

RC_GTEST_PROP(ExpiryProperty, EveryDrawStaysInsideItsBounds, (std::uint64_t seed)) {
  ExpiryRule rule;
  rule.lifetime = std::chrono::milliseconds(*rc::gen::inRange(1'000, 4'000'000));
  rule.jitter = Duration(*rc::gen::inRange<std::int64_t>(0, rule.lifetime.count() + 1));
  rule.longest_transaction = std::chrono::milliseconds(*rc::gen::inRange(0, 300'000));
  const bool has_limit = *rc::gen::arbitrary<bool>();
  if (has_limit) {
    rule.server_limit =
        rule.longest_transaction + std::chrono::milliseconds(*rc::gen::inRange(1, 3'600'000));
  }
  SeededRandom random(seed);

  const Duration lifetime = draw_lifetime(rule, random);

  RC_CLASSIFY(has_limit && lifetime == lifetime_cap(rule), "at the cap");
  RC_ASSERT(lifetime <= rule.lifetime + rule.jitter / 2);
  RC_ASSERT(lifetime >= std::min(rule.lifetime - rule.jitter / 2, lifetime_cap(rule)));
  if (has_limit) RC_ASSERT(lifetime + rule.longest_transaction <= rule.server_limit);
}

}  // namespace
}  // namespace forebay
