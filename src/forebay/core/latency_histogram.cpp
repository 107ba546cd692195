#include "forebay/core/latency_histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

namespace forebay {
namespace latency {

// Times below 16 ns have a bucket each. From there on the top five bits of the time say which
// bucket.
std::size_t bucket_of(Duration time) {
  static constexpr std::uint64_t kSteps = 1 << kStepBits;
  const auto nanoseconds = static_cast<std::uint64_t>(std::max(time, Duration::zero()).count());
  if (nanoseconds < kSteps) return nanoseconds;
  const auto octave = static_cast<std::size_t>(std::bit_width(nanoseconds)) - kStepBits;
  if (octave > kOctaves) return kBuckets - 1;
  const std::uint64_t step = (nanoseconds >> (octave - 1)) - kSteps;
  return (octave << kStepBits) + step;
}

Duration longest_in(std::size_t bucket) {
  static constexpr std::size_t kSteps = 1 << kStepBits;
  const std::size_t octave = bucket >> kStepBits;
  if (octave == 0) return Duration(bucket);
  const std::size_t step = bucket & (kSteps - 1);
  const std::uint64_t next = static_cast<std::uint64_t>(kSteps + step + 1) << (octave - 1);
  return Duration(next - 1);
}

}  // namespace latency

std::uint64_t LatencySnapshot::count() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

Duration LatencySnapshot::percentile(double percent) const {
  const std::uint64_t total = count();
  if (total == 0) return Duration::zero();
  const auto share =
      static_cast<std::uint64_t>(std::ceil(static_cast<double>(total) * percent / 100));
  const std::uint64_t rank = std::clamp<std::uint64_t>(share, 1, total);
  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  while ((seen += counts_[bucket]) < rank) ++bucket;
  return latency::longest_in(bucket);
}

LatencySnapshot LatencySnapshot::since(const LatencySnapshot& earlier) const {
  LatencySnapshot difference;
  std::ranges::transform(counts_, earlier.counts_, difference.counts_.begin(), std::minus<>());
  return difference;
}

TimeHistogram LatencySnapshot::summary() const {
  TimeHistogram summary;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] > 0) summary.record(latency::longest_in(i), counts_[i]);
  }
  return summary;
}

void LatencyHistogram::record(Duration time) {
  counts_[latency::bucket_of(time)].fetch_add(1, std::memory_order_relaxed);
}

LatencySnapshot LatencyHistogram::snapshot() const {
  LatencySnapshot result;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    result.counts_[i] = counts_[i].load(std::memory_order_relaxed);
  }
  return result;
}

}  // namespace forebay
