// RateWindow: the rule by which places are given out second by second, and what is known of how
// many of each second are taken.
//
// A place lies in the clock second in which it starts. Always: at most `limit` places lie in any
// one second, if the counter grants only what ask() allows. A request gets places of the
// second in which its first could start, or else of the next. Of the next only half is given out:
// the rest is for those who come when it begins, clients of the older kind among them, who cannot
// reserve.
//
// In memory it is the store itself. In front of a shared table it remembers what was seen there:
// counts only grow, so a second that was full need not be asked for again.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

#include "forebay/coordination/rate/rate_store.hpp"

namespace forebay {

// The clock second in which that time lies, since 1970.
inline std::int64_t second_of(WallTime time) {
  return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
}
// That one and those before it, the latest first.
inline std::vector<std::int64_t> seconds_up_to(WallTime time, std::size_t count) {
  std::vector<std::int64_t> seconds(count);
  std::iota(seconds.rbegin(), seconds.rend(),
            second_of(time) + 1 - static_cast<std::int64_t>(count));
  return seconds;
}

class RateWindow {
 public:
  // How many seconds are remembered, those noted last. Clocks may differ: the times of the seconds
  // do not say which of them are over.
  static constexpr std::size_t kSeconds = 1000;

  struct Ask {
    std::int64_t second;  // since 1970
    int places;
    int most;  // granted only if the second's count is then at most this
  };

  // REQUIRES: limits.connects_per_second >= 1; a fraction does not count.
  explicit RateWindow(const RateLimits& limits);

  // What to ask for; none: as far as is known, everything is taken.
  std::optional<Ask> ask(const TakeRequest& request) const;
  // How many were seen to be taken of a second.
  void note(std::int64_t second, int count);
  // The places, spread over what is left of their second; late ones are good until its end.
  TakeReply grant(const TakeRequest& request, const Ask& ask) const;
  TakeReply refuse(const TakeRequest& request) const;

  int count(std::int64_t second) const;

 private:
  const int limit_;
  const int ahead_;  // of the next second, how many are given out
  std::map<std::int64_t, int> counts_;
  std::deque<std::int64_t> noted_;  // the keys of counts_, in the order in which they came
};

}  // namespace forebay
