#include "forebay/core/server_door.hpp"

#include <algorithm>

#include "forebay/detail/base/check.hpp"

namespace forebay {

Error refusal_at_door(Admission admission) {
  FOREBAY_CHECK(admission != Admission::accepted);
  const bool is_full = admission == Admission::over_cap;
  return Error(is_full ? Errc::limit_reached : Errc::rate_reached, ErrorClass::connection_limit,
               is_full ? "Unable to accept connection, too many open connections."
                       : "Unable to accept connection, rate exceeded.",
               is_full ? "53300" : "53400");
}

ServerDoor::ServerDoor(double connects_per_second, int burst, std::optional<int> max_sessions,
                       Duration jitter)
    : interval_(static_cast<std::int64_t>(1e9 / connects_per_second)),
      depth_(interval_ * burst),
      jitter_(jitter),
      max_sessions_(max_sessions) {}

Admission ServerDoor::admit(int sessions, Instant now) {
  const Instant next = std::max(next_free_, now) + interval_;
  if (next - now > depth_ + jitter_) return Admission::over_rate;
  next_free_ = next;
  return !max_sessions_ || sessions < *max_sessions_ ? Admission::accepted : Admission::over_cap;
}

int ServerDoor::allowed_now(Instant now) const {
  const Duration used = std::clamp(next_free_ - now, Duration::zero(), depth_);
  return static_cast<int>((depth_ - used) / interval_);
}

}  // namespace forebay
