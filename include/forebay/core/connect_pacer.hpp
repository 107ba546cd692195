// ConnectPacer: limits how often connections are opened. Not thread-safe; the caller
// passes the time.
//
// A token bucket that starts full and gives out places ahead of time: take() says when the attempt
// may start. Always: attempts that start in any window of length w number at most rate * w +
// burst. A place that was not used goes back with give_back() and, if it was the last one, counts
// as never taken.
#pragma once

#include <cstdint>

#include "forebay/env/time.hpp"

namespace forebay {

// The time between connects at that rate, rounded up so that rounding never adds one. REQUIRES:
// 0 < rate <= 1e9.
Duration interval_of(double rate);

class ConnectPacer {
 public:
  // rate is in attempts per second, > 0 and at most a billion; burst >= 1.
  ConnectPacer(double rate, int burst);

  // Takes the next place; the attempt may start at the returned time, which is never before now.
  Instant take(Instant now);
  // When take() would let an attempt start.
  Instant next_start(Instant now) const;
  // The place that starts then is not used. If a later one has been given out, it is lost: the
  // attempts behind it know their time, and the next to come would start together with the
  // last of them.
  void give_back(Instant start);

  Duration interval() const { return interval_; }

 private:
  // The state is one point in time, as in GCRA: the bucket is full when that time lies burst
  // intervals back, and each place moves it one interval on.
  const Duration interval_;
  const Duration depth_;  // burst, as time
  Instant next_free_;
  Instant last_start_ = Instant::min();
};

}  // namespace forebay
