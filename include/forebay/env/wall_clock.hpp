// WallClock: the time of day, apart from Scheduler because it may jump and must
// not measure intervals.
#pragma once

#include "forebay/env/time.hpp"

namespace forebay {

class WallClock {
 public:
  virtual ~WallClock() = default;
  virtual WallTime now() const = 0;  // thread-safe
};

}  // namespace forebay
