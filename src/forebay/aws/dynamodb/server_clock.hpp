// ServerClock: what time it is for a server, by the Date of its answers.
//
// A Date has whole seconds, and was written some time between request and answer. So each answer
// says of the server's clock that it lies in an interval of one second and the round trip; all of
// them together, that it lies where these intervals meet. The more answers, the narrower: in the
// end little more than the shortest round trip.
//
// Pure; times of this process are those of its monotonic clock. That drifts, and the clocks of one
// service differ a little from machine to machine: both widen the interval. If nothing is left of
// it some clock was set, and the last answer counts alone.
#pragma once

#include <algorithm>
#include <chrono>

#include "forebay/env/time.hpp"

namespace forebay::aws {

class ServerClock {
 public:
  // An answer with that Date, to a request that was sent and answered then.
  void note(WallTime date, Instant sent, Instant answered) {
    const Duration seen = date.time_since_epoch();
    const Duration least = seen - kDisagreement - answered.time_since_epoch();
    const Duration most = seen + kResolution + kDisagreement - sent.time_since_epoch();
    if (is_known_) {
      const Duration drift = drift_until(answered);
      least_ = std::max(least_ - drift, least);
      most_ = std::min(most_ + drift, most);
    }
    if (!is_known_ || least_ > most_) {
      least_ = least;
      most_ = most;
    }
    is_known_ = true;
    noted_ = answered;
  }

  bool is_known() const { return is_known_; }
  // The server's time lies between these two. REQUIRES: is_known().
  WallTime earliest(Instant now) const { return at(now, least_ - drift_until(now)); }
  WallTime latest(Instant now) const { return at(now, most_ + drift_until(now)); }
  // The own time, if the server's may be the same. Otherwise that clock is wrong, and the earliest
  // that it can be for the server is taken: nobody who goes by it is ahead of the server.
  WallTime agreed(WallTime own, Instant now) const {
    if (!is_known_ || (own >= earliest(now) && own <= latest(now))) return own;
    return earliest(now);
  }

 private:
  static constexpr Duration kResolution = std::chrono::seconds(1);
  static constexpr Duration kDisagreement = std::chrono::milliseconds(10);
  static constexpr std::int64_t kDriftPart = 10'000;  // monotonic clocks are better than that

  static WallTime at(Instant now, Duration ahead) {
    return WallTime(now.time_since_epoch() + ahead);
  }
  Duration drift_until(Instant now) const {
    return std::max(Duration::zero(), now - noted_) / kDriftPart;
  }

  // Of the server's clock, by how much it is ahead of the monotonic one.
  Duration least_{};
  Duration most_{};
  Instant noted_{};
  bool is_known_ = false;
};

}  // namespace forebay::aws
