// Whether this machine's clock agrees with those of others. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "forebay/doctor/finding.hpp"
#include "forebay/env/time.hpp"

namespace forebay::doctor {

// One look at another clock: between our two times it showed `theirs`, give or take.
class ClockReading {
 public:
  ClockReading(std::string clock, WallTime shown) : whose(std::move(clock)), theirs(shown) {}

  std::string whose;  // "the database"
  WallTime theirs;
  WallTime before{};
  WallTime after{};
  Duration resolution{};  // theirs may be this much later than it says
};

// How far our clock is ahead of theirs at least: what the way there and back and their resolution
// explain is left out. Negative: behind.
Duration certain_skew(const ClockReading& reading);

// is_signing: requests are signed, or tokens made, which nobody accepts from a wrong clock.
Findings check_clocks(const std::vector<ClockReading>& readings, bool is_signing);

}  // namespace forebay::doctor
