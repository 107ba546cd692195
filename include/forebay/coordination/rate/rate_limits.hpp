// RateLimits: how fast many processes together may connect.
#pragma once

#include <chrono>
#include <cstdint>

#include "forebay/env/time.hpp"

namespace forebay {

enum class RateMode : std::uint8_t {
  bucket,  // one bucket that fills steadily and can spend what it has saved up
  window,  // a number in each clock second, as clients of the older kind count them
  // The bucket, until somebody is seen who counts by the second; from then on the window.
  automatic,
};

struct RateLimits {
  double connects_per_second = 100;
  int burst = 1000;  // bucket: how much it saves up; 1 is the least
  // bucket: no place is given out that starts further ahead than this, beyond the caller's notice.
  Duration horizon = std::chrono::seconds(1);
  RateMode mode = RateMode::bucket;
};

}  // namespace forebay
