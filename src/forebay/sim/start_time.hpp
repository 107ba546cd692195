// Virtual time zero on the wall, the same in every run.
#pragma once

#include "forebay/env/time.hpp"

namespace forebay::sim {

inline constexpr WallTime kStart{std::chrono::seconds(1'767'225'600)};  // 2026-01-01T00:00:00Z

}  // namespace forebay::sim
