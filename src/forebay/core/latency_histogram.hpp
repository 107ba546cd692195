// LatencyHistogram: how long things took, in buckets whose width grows with the time they stand
// for.
//
// Any thread may record, at the cost of one atomic addition and without allocating. A bucket is at
// most a sixteenth as wide as the times in it, so a percentile is never under the true one and at
// most 6.25 % above it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "forebay/core/latency_snapshot.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

class LatencyHistogram {
 public:
  void record(Duration time);
  LatencySnapshot snapshot() const;

 private:
  // Relaxed: the counts are independent of each other and of everything else.
  std::array<std::atomic<std::uint64_t>, latency::kBuckets> counts_{};
};

}  // namespace forebay
