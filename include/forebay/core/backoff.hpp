// Backoff: how long to wait after the n-th failure in a row, as a pure function of chance.
#pragma once

#include "forebay/env/random.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

struct BackoffRule {
  Duration first = std::chrono::milliseconds(250);
  Duration longest = std::chrono::seconds(5);
  int jitter_percent = 25;  // taken off, so that the longest wait is a promise
};

// failures counts from 1. The wait doubles with each, up to the longest, less up to jitter_percent.
Duration backoff_delay(const BackoffRule& rule, int failures, Random& random);

}  // namespace forebay
