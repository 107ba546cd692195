// Time as the code sees it: integer nanoseconds, and two kinds of points that cannot be mixed up.
#pragma once

#include <chrono>

namespace forebay {

using Duration = std::chrono::nanoseconds;

struct Monotonic {};  // a tag, not a std clock: only a Scheduler can tell the time
struct Wall {};

using Instant = std::chrono::time_point<Monotonic, Duration>;  // for intervals and deadlines
using WallTime = std::chrono::time_point<Wall, Duration>;      // since 1970, UTC; it may jump

inline constexpr Instant kNever = Instant::max();

// now + wait, or kNever when that lies beyond the end of time.
constexpr Instant deadline_after(Instant now, Duration wait) {
  return wait >= kNever - now ? kNever : now + wait;
}

}  // namespace forebay
