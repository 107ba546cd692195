// SystemWallClock: the operating system's time of day. Thread-safe; it may jump at any moment.
#pragma once

#include "forebay/env/wall_clock.hpp"

namespace forebay::real {

class SystemWallClock final : public WallClock {
 public:
  WallTime now() const override;
};

}  // namespace forebay::real
