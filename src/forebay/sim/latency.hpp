// Drawing from the distributions that a scenario names.
#pragma once

#include <algorithm>

#include "forebay/env/random.hpp"
#include "forebay/sim/scenario/scenario.hpp"

namespace forebay::sim {

inline constexpr std::uint32_t kSlowestPerMillion = 1000;

inline Duration draw(const Latency& latency, Random& random) {
  if (latency.slowest > Duration::zero() && random.chance_per_million(kSlowestPerMillion)) {
    return latency.slowest;
  }
  if (latency.spread <= Duration::zero()) return latency.median;
  const Duration least = std::max(Duration::zero(), latency.median - latency.spread);
  return random.between(least, latency.median + latency.spread);
}

// True with the given chance, 0 to 1.
inline bool draw_chance(double chance, Random& random) {
  return chance > 0 && random.chance_per_million(static_cast<std::uint32_t>(chance * 1e6));
}

}  // namespace forebay::sim
