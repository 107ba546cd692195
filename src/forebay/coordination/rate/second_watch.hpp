// SecondWatch: when a process that counts by the bucket looks for seconds that others have counted,
// for which of them, and what it has found.
//
// Nobody who counts by the bucket writes seconds, so whatever is found is somebody else's. Looks
// come with requests, and each goes back to where the last one ended: a process that asks for
// nothing passes no rate, one that asks all the time misses no second. Pure; `now` is passed in.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "forebay/coordination/rate/rate_window.hpp"

namespace forebay {

class SecondWatch {
 public:
  static constexpr std::int64_t kSeconds = 10;  // between two looks, and looked for by each

  bool is_due(WallTime now) const {
    if (!looked_) return true;
    const std::int64_t second = second_of(now);
    return second >= *looked_ + kSeconds || second < *looked_;  // or the clock was set back
  }
  // A look begins: the seconds to look for.
  std::vector<std::int64_t> begin(WallTime now) {
    looked_ = second_of(now);
    return seconds_up_to(now, kSeconds);
  }
  // How many of them were found.
  void end(std::size_t seconds) {
    found_ += seconds;
    has_company_ = seconds > 0;
  }

  bool has_company() const { return has_company_; }  // at the last look
  std::uint64_t found() const { return found_; }     // in all

 private:
  std::optional<std::int64_t> looked_;  // the last second that was looked for
  std::uint64_t found_ = 0;
  bool has_company_ = false;
};

}  // namespace forebay
