#include "forebay/core/backoff.hpp"

#include <algorithm>

#include "forebay/detail/base/check.hpp"

namespace forebay {

Duration backoff_delay(const BackoffRule& rule, int failures, Random& random) {
  FOREBAY_CHECK(failures >= 1);
  Duration delay = std::min(rule.first, rule.longest);
  for (int i = 1; i < failures && delay < rule.longest; ++i) {
    delay = delay > rule.longest / 2 ? rule.longest : delay * 2;
  }
  const Duration jitter = delay * rule.jitter_percent / 100;
  return delay - random.between(Duration::zero(), jitter);
}

}  // namespace forebay
