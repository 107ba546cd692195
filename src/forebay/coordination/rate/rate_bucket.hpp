// RateBucket: the rule by which a shared bucket gives out places, as a function of its state.
//
// The state is that of a ConnectPacer, in wall time, and the furthest time that any caller has
// brought. Callers whose clocks are behind learn that time from the reply, so in the end all of
// them follow one clock, and nobody is locked out by a clock that runs ahead.
//
// Always: of the places ever given out, at most rate * w + burst start in any window of length w.
#pragma once

#include "forebay/coordination/rate/rate_store.hpp"

namespace forebay {

class RateBucket {
 public:
  struct State {
    WallTime latest = WallTime::min();     // that any caller has brought
    WallTime next_free = WallTime::min();  // the last place that was given out, or later
    bool operator==(const State&) const = default;
  };
  struct Step {
    State state;  // as the request leaves it
    TakeReply reply;
  };

  // REQUIRES: 0 < connects_per_second <= 1e9, burst >= 1, horizon >= 0.
  explicit RateBucket(const RateLimits& limits);

  Step take(const State& state, const TakeRequest& request) const;

 private:
  const Duration interval_;
  const Duration depth_;  // burst, as time
  const Duration horizon_;
};

}  // namespace forebay
