// TimeEstimate: how long something takes, as seen so far: a connect, a loan.
#pragma once

#include <algorithm>

#include "forebay/env/time.hpp"

namespace forebay {

class TimeEstimate {
 public:
  explicit TimeEstimate(Duration assumed) : estimate_(assumed) {}

  Duration estimate() const { return estimate_; }
  bool is_observed() const { return is_observed_; }

  void add(Duration sample) {
    sample = std::max(sample, Duration(1));
    // An eighth of each new sample: follows a server that slows down within a dozen of them, and
    // does not jump at a single slow one.
    estimate_ = is_observed_ ? std::max(Duration(1), estimate_ + (sample - estimate_) / 8) : sample;
    is_observed_ = true;
  }

 private:
  Duration estimate_;
  bool is_observed_ = false;
};

}  // namespace forebay
