#include "forebay/retry/retry_decision.hpp"

#include "forebay/detail/base/check.hpp"

namespace forebay {

bool is_worth_retrying(ErrorClass error_class, bool is_idempotent) {
  switch (error_class) {
    case ErrorClass::retryable:
    case ErrorClass::connection_lost: return true;
    case ErrorClass::unknown_outcome: return is_idempotent;
    default: return false;
  }
}

RetryDecision decide_retry(const RetryRules& rules, const FailedAttempt& failed, Random& random) {
  FOREBAY_CHECK(failed.number >= 1);
  RetryDecision decision;
  if (!is_worth_retrying(failed.error_class, rules.is_idempotent)) return decision;
  if (failed.number > rules.policy.max_retries) {
    decision.verdict = Verdict::exhausted;
    return decision;
  }
  const Duration pause = backoff_delay(rules.policy.backoff, failed.number, random);
  if (deadline_after(failed.at, pause) >= rules.deadline) {
    decision.verdict = Verdict::too_late;
    return decision;
  }
  decision.verdict = Verdict::retry;
  decision.pause = pause;
  return decision;
}

}  // namespace forebay
