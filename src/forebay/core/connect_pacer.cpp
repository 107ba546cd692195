#include "forebay/core/connect_pacer.hpp"

#include <algorithm>
#include <cmath>

#include "forebay/detail/base/check.hpp"

namespace forebay {

Duration interval_of(double rate) {
  FOREBAY_CHECK(rate > 0 && rate <= 1e9);
  return Duration(static_cast<std::int64_t>(std::ceil(1e9 / rate)));
}

ConnectPacer::ConnectPacer(double rate, int burst)
    : interval_(interval_of(rate)), depth_(interval_ * burst), next_free_(Instant::min()) {
  FOREBAY_CHECK(burst >= 1);
}

Instant ConnectPacer::next_start(Instant now) const {
  // The bucket never holds more than burst: time further back is worth nothing.
  const Instant floor = now - depth_;
  return std::max(now, std::max(next_free_, floor) + interval_);
}

Instant ConnectPacer::take(Instant now) {
  next_free_ = std::max(next_free_, now - depth_) + interval_;
  last_start_ = std::max(now, next_free_);
  return last_start_;
}

void ConnectPacer::give_back(Instant start) {
  if (start == last_start_) next_free_ -= interval_;
}

}  // namespace forebay
