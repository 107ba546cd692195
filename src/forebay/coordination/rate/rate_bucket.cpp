#include "forebay/coordination/rate/rate_bucket.hpp"

#include "forebay/core/connect_pacer.hpp"
#include "forebay/detail/base/check.hpp"

namespace forebay {
namespace {

constexpr std::int64_t kPartOfHorizon = 4;

}  // namespace

// Of the places that are left before the horizon a request gets a quarter at most; what a rested
// bucket has saved up is there for the taking. A process that asks again when its last place has
// come so finds room, takes less the more others there are, and all that want more than there is
// get the same: a fixed share would be gone before the last of them asks, and they would fall into
// a step in which the same ones are always first.
RateBucket::RateBucket(const RateLimits& limits)
    : interval_(interval_of(limits.connects_per_second)),
      depth_(interval_ * limits.burst),
      horizon_(limits.horizon) {
  FOREBAY_CHECK(limits.burst >= 1 && horizon_ >= Duration::zero());
}

// Each place moves next_free on by one interval at least, and starts between that time and burst
// intervals after it. So the places that start within any window of length w lie within w + burst
// intervals of next_free, whatever notice their owners asked for.
RateBucket::Step RateBucket::take(const State& state, const TakeRequest& request) const {
  FOREBAY_CHECK(request.wanted > 0 && request.notice >= Duration::zero());
  Step step{state, {}};
  step.state.latest = std::max(state.latest, request.now);

  TakeReply& reply = step.reply;
  reply.now = step.state.latest;
  reply.earliest = reply.now + std::min(request.notice, horizon_);
  reply.spacing = interval_;
  // The bucket never holds more than burst: time further back is worth nothing.
  const WallTime floor = reply.earliest - depth_;
  const WallTime base = std::max(state.next_free, floor);
  reply.first = base + interval_;

  const std::int64_t saved = base > reply.earliest ? 0 : (reply.earliest - base) / interval_;
  const WallTime furthest = reply.earliest + horizon_;
  const std::int64_t within = base > furthest ? 0 : (furthest - base) / interval_;
  const std::int64_t share = std::max<std::int64_t>(1, (within - saved) / kPartOfHorizon);
  const std::int64_t most = std::min(within, saved + share);
  reply.granted = static_cast<int>(std::min<std::int64_t>(request.wanted, most));
  if (reply.granted > 0) step.state.next_free = base + reply.granted * interval_;
  if (reply.granted == 0) reply.retry_at = reply.first - (furthest - reply.now);
  return step;
}

}  // namespace forebay
