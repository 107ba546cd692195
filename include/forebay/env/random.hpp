// Random: the one source of chance, and distributions of our own, because the standard ones differ
// between libraries and a seed must mean the same everywhere.
//
// Draw at most once per full expression: the order of evaluation differs between compilers.
#pragma once

#include <cstdint>

#include "forebay/env/time.hpp"

namespace forebay {

class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t next() = 0;  // uniform over all 64-bit values

  // Uniform in [0, bound). REQUIRES: bound > 0. The bias is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
  }
  // Uniform in [low, high]. REQUIRES: low <= high.
  Duration between(Duration low, Duration high) {
    const auto width = static_cast<std::uint64_t>((high - low).count()) + 1;
    return low + Duration(static_cast<std::int64_t>(below(width)));
  }
  // True with the given chance in parts per million.
  bool chance_per_million(std::uint32_t parts) { return below(1'000'000) < parts; }
};

// SplitMix64: small, fast, and the same sequence on every platform.
class SeededRandom final : public Random {
 public:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;  // from one state to the next

  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() override {
    std::uint64_t z = (state_ += kStep);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

}  // namespace forebay
