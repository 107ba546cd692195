// TimeHistogram: how long things took, in buckets from 100 ns to 10 s, three to a decade: small
// enough to be kept by every pool, and in the form in which metrics are served.
//
// Plain numbers, guarded by the lock of what they describe. LatencyHistogram is the finer one,
// which any thread may record into.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "forebay/env/time.hpp"

namespace forebay {

class TimeHistogram {
 public:
  static constexpr std::size_t kBounds = 25;
  // 100 ns, 200 ns, 500 ns, 1 us, ... 10 s. What took longer is in a last bucket of its own.
  static constexpr std::array<Duration, kBounds> kLongest = [] {
    std::array<Duration, kBounds> bounds{};
    std::int64_t decade = 100;
    for (std::size_t i = 0; i < kBounds; ++i) {
      constexpr std::array<std::int64_t, 3> steps = {1, 2, 5};
      bounds[i] = Duration(decade * steps[i % 3]);
      if (i % 3 == 2) decade *= 10;
    }
    return bounds;
  }();

  // times: how many took this long. A negative time, of clocks that were read out of order, counts
  // as nothing: a sum never falls.
  void record(Duration time, std::uint64_t times = 1) {
    add_repeats();
    last_time_ = time > Duration::zero() ? time : Duration::zero();
    last_ = bucket_of(last_time_);
    counts_[last_] += times;
    sum_ += last_time_ * static_cast<std::int64_t>(times);
  }
  // One more that took as long as the last: one step, for hot paths.
  void record_again() { ++repeats_; }

  std::uint64_t count(std::size_t bucket) const {  // up to kBounds
    return counts_[bucket] + (bucket == last_ ? repeats_ : 0);
  }
  std::uint64_t count() const {
    std::uint64_t total = repeats_;
    for (const std::uint64_t each : counts_) total += each;
    return total;
  }
  Duration sum() const { return sum_ + last_time_ * static_cast<std::int64_t>(repeats_); }

  TimeHistogram& operator+=(const TimeHistogram& more) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += more.count(i);
    sum_ += more.sum();
    return *this;
  }

 private:
  void add_repeats() {
    counts_[last_] += repeats_;
    sum_ += last_time_ * static_cast<std::int64_t>(repeats_);
    repeats_ = 0;
  }
  // A binary search by hand: <algorithm> would be a large part of what every caller compiles.
  static std::size_t bucket_of(Duration time) {
    std::size_t first = 0;
    for (std::size_t left = kBounds; left > 0;) {
      const std::size_t half = left / 2;
      if (kLongest[first + half] < time) {
        first += half + 1;
        left -= half + 1;
      } else {
        left = half;
      }
    }
    return first;
  }

  std::array<std::uint64_t, kBounds + 1> counts_{};
  Duration sum_{};
  std::size_t last_ = 0;  // the bucket of the last one
  Duration last_time_{};
  std::uint64_t repeats_ = 0;  // of the last one, not yet in the counts and the sum
};

}  // namespace forebay
