#include "forebay/core/retirement_spacer.hpp"

#include <algorithm>

#include "forebay/detail/base/check.hpp"

namespace forebay {

Instant RetirementSpacer::choose(Instant opened_at, Instant stale_at, int pool_size,
                                 Random& random) {
  FOREBAY_CHECK(pool_size > 0);
  const Duration half_life = std::max(Duration(1), (stale_at - opened_at) / 2);
  const Duration gap = std::max(Duration(1), half_life / pool_size);
  const Instant earliest = stale_at - half_life;

  Instant candidate = stale_at;
  // Nothing from here on is within a gap of it.
  auto later = std::ranges::lower_bound(taken_, candidate + gap);
  int looks = 0;
  while (later != taken_.begin() && looks < kLooks) {
    const Instant neighbour = *std::prev(later);
    if (neighbour <= candidate - gap) break;  // free on both sides
    candidate = neighbour - gap;
    --later;
    ++looks;
  }
  if (candidate < earliest || looks == kLooks) {
    candidate = earliest + random.between(Duration::zero(), half_life);
  }
  taken_.insert(std::ranges::upper_bound(taken_, candidate), candidate);
  return candidate;
}

void RetirementSpacer::release(Instant retire_at) {
  const auto place = std::ranges::lower_bound(taken_, retire_at);
  FOREBAY_CHECK(place != taken_.end() && *place == retire_at, "a retirement was released twice");
  taken_.erase(place);
}

}  // namespace forebay
