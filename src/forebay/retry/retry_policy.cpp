#include "forebay/retry/retry_policy.hpp"

#include <fmt/format.h>

#include "forebay/env/duration_text.hpp"

namespace forebay {

std::vector<std::string> problems(const RetryPolicy& policy) {
  std::vector<std::string> wrong;
  const BackoffRule& backoff = policy.backoff;
  if (policy.max_retries < 0) {
    wrong.push_back(fmt::format("max_retries is {}; it must be 0 or more", policy.max_retries));
  }
  if (backoff.first < Duration::zero() || backoff.longest < backoff.first) {
    wrong.push_back(fmt::format(
        "the backoff goes from {} to {}; it must begin at 0 or more and not end below that",
        duration_text(backoff.first), duration_text(backoff.longest)));
  }
  if (backoff.jitter_percent < 0 || backoff.jitter_percent > 100) {
    wrong.push_back(fmt::format("the jitter of the backoff is {} %; it must be from 0 to 100",
                                backoff.jitter_percent));
  }
  return wrong;
}

}  // namespace forebay
