// ServerRoom: how many connections a server that is full has for this pool.
//
// A pool that is refused one more keeps what it has: what ends is replaced at once, and above that
// number one more is tried now and then. Where that works two are tried, then four: room that has
// come is soon used.
#pragma once

#include <algorithm>
#include <limits>

#include "forebay/core/backoff.hpp"

namespace forebay {

class ServerRoom {
 public:
  static constexpr int kUnlimited = std::numeric_limits<int>::max();

  // It has these sessions, and refused one more. True: the pause before the next try begins now;
  // those that fail together begin one.
  bool note_full(Instant now, int sessions, const BackoffRule& rule, Random& random) {
    // Below what it had: others took places, or it has not yet forgotten one of ours. Each refusal
    // lowers it by one, or a busy pool would lose all that is on its way out.
    most_ = most_ == kUnlimited || sessions >= most_ ? sessions : most_ - 1;
    beyond_ = 1;
    if (now < try_from_) return false;
    ++refusals_;
    try_from_ = now + backoff_delay(rule, refusals_, random);
    return true;
  }
  // One more has opened; sessions: how many there are now.
  void note_opened(int sessions) {
    if (sessions <= most_) return;
    most_ = sessions;
    refusals_ = 0;
    try_from_ = Instant::min();
    if (++beyond_ > kEnough) forget();
  }
  void forget() { *this = ServerRoom(); }

  // How many more it has for a pool with these sessions, and with others on their way. Negative:
  // these are more than it had.
  int left(int sessions, int opening) const {
    return most_ == kUnlimited ? kUnlimited : most_ - sessions - opening;
  }
  // How many may be tried above that, from try_from() on.
  int beyond() const { return beyond_; }
  Instant try_from() const { return try_from_; }
  int refusals() const { return refusals_; }  // in a row

 private:
  // This many at once above what it had: it is no longer full.
  static constexpr int kEnough = 32;

  int most_ = kUnlimited;
  int beyond_ = 0;
  int refusals_ = 0;
  Instant try_from_ = Instant::min();
};

}  // namespace forebay
