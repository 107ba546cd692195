// Trace: a fingerprint of everything that happened, in order. Two runs of one seed must agree on
// it.
#pragma once

#include <bit>
#include <cstdint>

#include "forebay/env/time.hpp"

namespace forebay::sim {

enum class TraceEvent : std::uint8_t {
  connect,
  opened,
  ended,
  cut,
  taken,
  unserved,
  given_back,
  started,
  stopped,
  crashed,
  fault,
  store
};

class Trace {
 public:
  void add(TraceEvent event, int process, Instant now, std::uint64_t detail = 0) {
    mix(static_cast<std::uint64_t>(event) << 32 | static_cast<std::uint32_t>(process));
    mix(static_cast<std::uint64_t>(now.time_since_epoch().count()));
    mix(detail);
  }
  std::uint64_t hash() const { return hash_; }

 private:
  void mix(std::uint64_t value) { hash_ = std::rotl((hash_ ^ value) * 0x9e3779b97f4a7c15u, 29); }

  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

}  // namespace forebay::sim
