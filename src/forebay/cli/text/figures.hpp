// Figures for people: times as seconds, and counts over a time. Pure.
#pragma once

#include <cstdint>

#include "forebay/env/time.hpp"

namespace forebay::cli {

inline double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

inline double per_second(std::uint64_t count, Duration time) {
  return time > Duration::zero() ? static_cast<double>(count) / seconds(time) : 0;
}

}  // namespace forebay::cli
