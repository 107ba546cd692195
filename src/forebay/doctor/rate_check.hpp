// How connects are counted in the table of the rate: by a bucket, by the second, or by both at
// once, which is one too many. Pure; RateProbe does the looking.
#pragma once

#include <optional>

#include "forebay/coordination/rate/rate_limits.hpp"
#include "forebay/doctor/finding.hpp"
#include "forebay/env/time.hpp"

namespace forebay::doctor {

struct RateFacts {
  RateMode mode = RateMode::window;        // of this configuration
  int seconds = 0;                         // with a count, of those that were looked for
  std::optional<WallTime> bucket_used_at;  // none: never
  WallTime now{};
};

Findings check_rate(const RateFacts& facts);

}  // namespace forebay::doctor
