// LatencySnapshot: a LatencyHistogram as it was at one time: how long things took, in buckets whose
// width grows with the time they stand for. A percentile is never under the true one and at most
// 6.25 % above it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "forebay/core/time_histogram.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

class LatencyHistogram;

namespace latency {

inline constexpr std::size_t kStepBits = 4;  // 16 buckets from 2^k to 2^(k+1) ns
inline constexpr std::size_t kOctaves = 38;  // up to 73 minutes; longer is cut
inline constexpr std::size_t kBuckets = (kOctaves + 1) << kStepBits;

std::size_t bucket_of(Duration time);
Duration longest_in(std::size_t bucket);

}  // namespace latency

class LatencySnapshot {
 public:
  std::uint64_t count() const;
  // The time within which that part was done. Zero when nothing was recorded. 0 < percent <= 100.
  Duration percentile(double percent) const;
  // What was recorded since an earlier snapshot of the same histogram.
  LatencySnapshot since(const LatencySnapshot& earlier) const;
  // In fewer buckets. Each time counts as the longest of its bucket here.
  TimeHistogram summary() const;

 private:
  friend class LatencyHistogram;
  std::array<std::uint64_t, latency::kBuckets> counts_{};
};

}  // namespace forebay
