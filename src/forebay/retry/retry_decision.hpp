// What to do after a failed attempt, as a pure function of policy, class, time and chance.
#pragma once

#include <cstdint>
#include <optional>

#include "forebay/base/error_class.hpp"
#include "forebay/env/random.hpp"
#include "forebay/env/time.hpp"
#include "forebay/retry/retry_policy.hpp"

namespace forebay {

enum class Verdict : std::uint8_t {
  retry,
  not_worth_it,  // it would end the same, or may have been applied
  exhausted,     // all retries of the policy are used up
  too_late,      // the next attempt could not begin before the deadline
};

struct RetryRules {
  RetryPolicy policy;
  bool is_idempotent = false;  // a second application changes nothing
  Instant deadline = kNever;   // no attempt begins at or after it
};

struct FailedAttempt {
  int number = 1;  // from 1
  ErrorClass error_class = ErrorClass::permanent;
  Instant at{};
};

struct RetryDecision {
  Verdict verdict = Verdict::not_worth_it;
  Duration pause{};  // before the next attempt; zero unless the verdict is retry
};

// An unknown outcome is worth it only if a second application changes nothing.
bool is_worth_retrying(ErrorClass error_class, bool is_idempotent);

// Draws from chance at most once, and only if a retry is in question.
RetryDecision decide_retry(const RetryRules& rules, const FailedAttempt& failed, Random& random);

}  // namespace forebay
