// Env: what code may ask of the world, handed over in constructors and never global.
#pragma once

#include "forebay/env/random.hpp"
#include "forebay/env/scheduler.hpp"
#include "forebay/env/wall_clock.hpp"

namespace forebay {

struct Env {
  Scheduler& scheduler;
  Random& random;  // for tasks of the scheduler only
  WallClock& wall_clock;
};

}  // namespace forebay
