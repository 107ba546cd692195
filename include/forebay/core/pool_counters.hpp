// What a pool has done since it started. Plain numbers, guarded by the lock of the pool's state.
#pragma once

#include <array>
#include <cstdint>

#include "forebay/core/discard_reason.hpp"
#include "forebay/core/open_failure.hpp"
#include "forebay/core/time_histogram.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

struct PoolCounters {
  std::uint64_t acquired = 0;  // connections handed to callers
  std::uint64_t empty = 0;     // times that a caller found no fresh connection ready
  TimeHistogram ready_times;   // how long acquiring took where one was ready
  TimeHistogram wait_times;    // how long callers waited that were then served
  std::uint64_t timeouts = 0;  // callers whose deadline passed
  std::uint64_t cancels = 0;   // callers who were cancelled while they waited
  std::uint64_t refusals = 0;  // callers who heard that the server refuses us for good
  std::uint64_t given_back = 0;
  std::uint64_t opened = 0;
  std::uint64_t keeper_topups = 0;  // connects that the keeper began
  std::uint64_t leaks_reported = 0;
  std::array<std::uint64_t, kDiscardReasons> discards{};
  std::array<std::uint64_t, kOpenFailures> failures{};  // connections that could not be opened

  std::uint64_t waits() const { return wait_times.count(); }  // callers who waited and were served
  Duration wait_time() const { return wait_times.sum(); }
  std::uint64_t discarded(DiscardReason reason) const {
    return discards[static_cast<std::size_t>(reason)];
  }
  std::uint64_t failed(OpenFailure reason) const {
    return failures[static_cast<std::size_t>(reason)];
  }
  std::uint64_t open_failures() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : failures) sum += count;
    return sum;
  }
};

inline void add(PoolCounters& sum, const PoolCounters& more) {
  sum.acquired += more.acquired;
  sum.empty += more.empty;
  sum.ready_times += more.ready_times;
  sum.wait_times += more.wait_times;
  sum.timeouts += more.timeouts;
  sum.cancels += more.cancels;
  sum.refusals += more.refusals;
  sum.given_back += more.given_back;
  sum.opened += more.opened;
  sum.keeper_topups += more.keeper_topups;
  sum.leaks_reported += more.leaks_reported;
  for (std::size_t i = 0; i < kDiscardReasons; ++i) sum.discards[i] += more.discards[i];
  for (std::size_t i = 0; i < kOpenFailures; ++i) sum.failures[i] += more.failures[i];
}

}  // namespace forebay
