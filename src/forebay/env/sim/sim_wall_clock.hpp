// SimWallClock: wall time that follows the virtual clock with an offset of its own.
#pragma once

#include "forebay/env/scheduler.hpp"
#include "forebay/env/wall_clock.hpp"

namespace forebay::sim {

class SimWallClock final : public WallClock {
 public:
  SimWallClock(const Scheduler& scheduler, WallTime start) : scheduler_(scheduler), start_(start) {}
  WallTime now() const override { return start_ + skew_ + scheduler_.now().time_since_epoch(); }
  void set_skew(Duration skew) { skew_ = skew; }

 private:
  const Scheduler& scheduler_;
  WallTime start_;
  Duration skew_{};
};

}  // namespace forebay::sim
