#include "forebay/retry/retry_decision.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;

FailedAttempt conflict(int number, Instant at = Instant()) {
  return FailedAttempt{number, ErrorClass::retryable, at};
}

TEST(RetryDecisionTest, TheDefaultsPauseFrom100MillisecondsTo5Seconds) {
  SeededRandom random(1);
  RetryRules rules;
  Duration full = 100ms;
  for (int number = 1; number <= 5; ++number, full *= 2) {
    const RetryDecision decision = decide_retry(rules, conflict(number), random);
    EXPECT_EQ(decision.verdict, Verdict::retry);
    EXPECT_LE(decision.pause, full);
    EXPECT_GE(decision.pause, full * 3 / 4);
  }
  EXPECT_EQ(decide_retry(rules, conflict(6), random).verdict, Verdict::exhausted);

  rules.policy.max_retries = 100;
  EXPECT_LE(decide_retry(rules, conflict(99), random).pause, 5s);
}

TEST(RetryDecisionTest, WithoutRetriesTheFirstFailureIsTheLast) {
  SeededRandom random(1);
  RetryRules rules;
  rules.policy.max_retries = 0;

  EXPECT_EQ(decide_retry(rules, conflict(1), random).verdict, Verdict::exhausted);
}

TEST(RetryDecisionTest, NoRetryThatCouldNotBeginBeforeTheDeadline) {
  SeededRandom random(1);
  RetryRules rules;
  rules.policy.backoff.jitter_percent = 0;
  rules.deadline = Instant(10s);

  EXPECT_EQ(decide_retry(rules, conflict(1, Instant(10s - 101ms)), random).verdict, Verdict::retry);
  EXPECT_EQ(decide_retry(rules, conflict(1, Instant(10s - 100ms)), random).verdict,
            Verdict::too_late);
  EXPECT_EQ(decide_retry(rules, conflict(1, Instant(11s)), random).verdict, Verdict::too_late);
}

TEST(RetryDecisionTest, HoldsForAllPolicies) {
  EXPECT_TRUE(rc::check([] {
    RetryRules rules;
    rules.policy.max_retries = *rc::gen::inRange(0, 20);
    rules.policy.backoff.first = Duration(*rc::gen::inRange<std::int64_t>(0, 10'000'000'000));
    rules.policy.backoff.longest =
        rules.policy.backoff.first + Duration(*rc::gen::inRange<std::int64_t>(0, 10'000'000'000));
    rules.policy.backoff.jitter_percent = *rc::gen::inRange(0, 101);
    rules.is_idempotent = *rc::gen::arbitrary<bool>();
    rules.deadline = Instant(Duration(*rc::gen::inRange<std::int64_t>(0, 20'000'000'000)));
    FailedAttempt failed;
    failed.number = *rc::gen::inRange(1, 25);
    failed.error_class = *rc::gen::elementOf(kAllErrorClasses);
    failed.at = Instant(Duration(*rc::gen::inRange<std::int64_t>(0, 20'000'000'000)));
    SeededRandom random(*rc::gen::arbitrary<std::uint64_t>());
    RC_ASSERT(problems(rules.policy).empty());

    const RetryDecision decision = decide_retry(rules, failed, random);

    const bool is_worth_it = is_worth_retrying(failed.error_class, rules.is_idempotent);
    RC_ASSERT((decision.verdict == Verdict::not_worth_it) == !is_worth_it);
    if (decision.verdict == Verdict::retry) {
      RC_ASSERT(failed.number <= rules.policy.max_retries);
      RC_ASSERT(failed.at + decision.pause < rules.deadline);
      RC_ASSERT(decision.pause >= Duration::zero());
      RC_ASSERT(decision.pause <= rules.policy.backoff.longest);
    } else {
      RC_ASSERT(decision.pause == Duration::zero());
    }
    if (decision.verdict == Verdict::exhausted) {
      RC_ASSERT(failed.number > rules.policy.max_retries);
    }
  }));
}

TEST(RetryDecisionTest, OnlyWhatWasNotAppliedIsWorthARetry) {
  for (const ErrorClass error_class : kAllErrorClasses) {
    const bool is_safe =
        error_class == ErrorClass::retryable || error_class == ErrorClass::connection_lost;
    const bool is_unknown = error_class == ErrorClass::unknown_outcome;
    EXPECT_EQ(is_worth_retrying(error_class, false), is_safe) << name(error_class);
    EXPECT_EQ(is_worth_retrying(error_class, true), is_safe || is_unknown) << name(error_class);
  }
}

TEST(RetryPolicyTest, SaysEverythingThatIsWrong) {
  RetryPolicy policy;
  EXPECT_TRUE(problems(policy).empty());

  policy.max_retries = -1;
  policy.backoff.first = 2s;
  policy.backoff.longest = 1s;
  policy.backoff.jitter_percent = 101;

  EXPECT_EQ(problems(policy).size(), 3u);
}

}  // namespace
}  // namespace forebay
