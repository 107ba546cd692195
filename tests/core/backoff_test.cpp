// Backoff: doubling, cap, and jitter that only shortens.
#include "forebay/core/backoff.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;

BackoffRule rule_without_jitter(Duration first, Duration longest) {
  BackoffRule rule;
  rule.first = first;
  rule.longest = longest;
  rule.jitter_percent = 0;
  return rule;
}

TEST(BackoffTest, WaitsDoubleUpToTheLongest) {
  const BackoffRule rule = rule_without_jitter(250ms, 3s);
  SeededRandom random(1);

  std::vector<Duration> waits;
  for (int failures = 1; failures <= 6; ++failures) {
    waits.push_back(backoff_delay(rule, failures, random));
  }

  EXPECT_EQ(waits, (std::vector<Duration>{250ms, 500ms, 1s, 2s, 3s, 3s}));
}

TEST(BackoffTest, AFirstWaitAboveTheLongestIsCut) {
  const BackoffRule rule = rule_without_jitter(10s, 3s);
  SeededRandom random(1);

  const Duration wait = backoff_delay(rule, 1, random);

  EXPECT_EQ(wait, Duration(3s));
}

TEST(BackoffTest, AnEndlessRowOfFailuresDoesNotOverflow) {
  const BackoffRule rule = rule_without_jitter(1s, std::chrono::hours(24 * 365));
  SeededRandom random(1);

  const Duration wait = backoff_delay(rule, 1'000'000, random);

  EXPECT_EQ(wait, rule.longest);
}

TEST(BackoffDeathTest, AWaitAfterNoFailureStopsTheProcess) {
  const BackoffRule rule;
  SeededRandom random(1);

  EXPECT_DEATH(backoff_delay(rule, 0, random), "failures >= 1");
}

// The model: the wait without jitter, doubled one by one in wide arithmetic.
RC_GTEST_PROP(BackoffProperty, JitterOnlyShortensTheDoubledWait, (std::uint64_t seed)) {
  BackoffRule rule;
  rule.first = Duration(*rc::gen::inRange<std::int64_t>(1, 2'000'000'000));
  rule.longest = Duration(*rc::gen::inRange<std::int64_t>(1, 60'000'000'000));
  rule.jitter_percent = *rc::gen::inRange(0, 101);
  const int failures = *rc::gen::inRange(1, 40);
  SeededRandom random(seed);

  const Duration wait = backoff_delay(rule, failures, random);

  auto doubled = static_cast<double>(rule.first.count());
  for (int i = 1; i < failures; ++i) doubled *= 2;
  const auto longest = static_cast<double>(rule.longest.count());
  const Duration full = doubled >= longest ? rule.longest : Duration(std::int64_t(doubled));
  RC_ASSERT(wait <= full);
  RC_ASSERT(wait >= full - full * rule.jitter_percent / 100);
}

}  // namespace
}  // namespace forebay
