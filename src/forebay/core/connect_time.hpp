// ConnectTime: how long opening a connection takes, as seen so far. It is the step by which
// trickle ramps up.
#pragma once

#include <algorithm>

#include "forebay/env/time.hpp"

namespace forebay {

class ConnectTime {
 public:
  // Assumed until the first connect is seen: a TLS handshake and an authentication in
  // the same region.
  static constexpr Duration kAssumed = std::chrono::milliseconds(50);

  Duration estimate() const { return estimate_; }

  void add(Duration sample) {
    sample = std::max(sample, Duration(1));
    // An eighth of each new sample: follows a server that slows down within a dozen connects, and
    // does not jump at a single slow one.
    estimate_ = is_observed_ ? std::max(Duration(1), estimate_ + (sample - estimate_) / 8) : sample;
    is_observed_ = true;
  }

 private:
  Duration estimate_ = kAssumed;
  bool is_observed_ = false;
};

}  // namespace forebay
