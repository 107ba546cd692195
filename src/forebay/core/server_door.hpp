// ServerDoor: whom a server with the limits of Aurora DSQL lets in. Pure: it is told the time, and
// how many sessions there are.
//
// The simulated database and the stand-in both ask it, so they cannot disagree.
#pragma once

#include <cstdint>
#include <optional>

#include "forebay/base/error.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

enum class Admission : std::uint8_t { accepted, over_rate, over_cap };

// What a client hears, word for word. REQUIRES: not accepted.
Error refusal_at_door(Admission admission);

// A bucket of connects that starts full, one point in time as in GCRA; and a cap on sessions.
class ServerDoor {
 public:
  // What comes too early by no more than the jitter is let in: the network delayed what came
  // before.
  ServerDoor(double connects_per_second, int burst, std::optional<int> max_sessions,
             Duration jitter = {});

  // A connect that the rate allows has taken its place in the bucket, also if the cap then refuses
  // it; one beyond the rate takes none.
  Admission admit(int sessions, Instant now);
  // How many connects the rate would let in at once.
  int allowed_now(Instant now) const;

  Duration interval() const { return interval_; }
  Duration depth() const { return depth_; }  // the whole bucket, as time

 private:
  const Duration interval_;
  const Duration depth_;
  const Duration jitter_;
  const std::optional<int> max_sessions_;
  Instant next_free_{};
};

}  // namespace forebay
