// TimeHistogram: how long things took, in buckets from 100 ns to 10 s, three to a decade: small
// enough to be kept by every pool, and in the form in which metrics are served.
//
// Plain numbers, guarded by whoever guards what they describe. LatencyHistogram is the finer one,
// which any thread may record into.
#pragma once

#include <algorithm>
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

  // times: how many of them took so long. Less than nothing, of clocks that were read out of order,
  // counts as nothing: a sum never falls.
  void record(Duration time, std::uint64_t times = 1) {
    last_time_ = std::max(time, Duration::zero());
    last_ =
        static_cast<std::size_t>(std::ranges::lower_bound(kLongest, last_time_) - kLongest.begin());
    counts_[last_] += times;
    sum_ += last_time_ * static_cast<std::int64_t>(times);
  }
  // One more that took as long as the last: cheaper.
  void record_again() {
    ++counts_[last_];
    sum_ += last_time_;
  }

  std::uint64_t count(std::size_t bucket) const { return counts_[bucket]; }  // up to kBounds
  std::uint64_t count() const {
    std::uint64_t total = 0;
    for (const std::uint64_t each : counts_) total += each;
    return total;
  }
  Duration sum() const { return sum_; }

  TimeHistogram& operator+=(const TimeHistogram& more) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += more.counts_[i];
    sum_ += more.sum_;
    return *this;
  }

 private:
  std::array<std::uint64_t, kBounds + 1> counts_{};
  Duration sum_{};
  std::size_t last_ = 0;  // the bucket of the last one
  Duration last_time_{};
};

}  // namespace forebay
