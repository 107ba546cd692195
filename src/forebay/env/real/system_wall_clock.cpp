#include "forebay/env/real/system_wall_clock.hpp"

#include <chrono>

namespace forebay::real {

WallTime SystemWallClock::now() const {
  return WallTime(std::chrono::system_clock::now().time_since_epoch());
}

}  // namespace forebay::real
