#include "forebay/retry/retry_policy.hpp"

#include <fmt/format.h>

#include "forebay/env/duration_text.hpp"
#include "forebay/env/option_rules.hpp"

namespace forebay {

OptionProblems problems(const RetryPolicy& policy) {
  OptionRules rules;
  const BackoffRule& backoff = policy.backoff;
  rules.require(policy.max_retries >= 0, "max_retries", fmt::format("{}", policy.max_retries),
                "it must be 0 or more");
  if (rules.require(backoff.first >= Duration::zero(), "backoff.first",
                    duration_text(backoff.first), "it must be zero or more")) {
    rules.require(backoff.longest >= backoff.first, "backoff.longest",
                  duration_text(backoff.longest),
                  fmt::format("it must not be shorter than the first wait, {}",
                              duration_text(backoff.first)));
  }
  rules.whole("backoff.jitter_percent", backoff.jitter_percent, 0, 100, "per cent");
  return rules.take();
}

}  // namespace forebay
