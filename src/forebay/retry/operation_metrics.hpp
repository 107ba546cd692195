// OperationMetrics: what is counted of one operation, by any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "forebay/base/error_class.hpp"
#include "forebay/core/latency_histogram.hpp"
#include "forebay/retry/retry_decision.hpp"
#include "forebay/retry/transaction_metrics.hpp"

namespace forebay {

class OperationMetrics {
 public:
  void begin_attempt() { attempts_.fetch_add(1, std::memory_order_relaxed); }
  void succeed(Duration latency);
  // The attempt failed, and this is what was decided. latency: of all attempts so far.
  void fail(ErrorClass error_class, const RetryDecision& decision, Duration latency);
  OperationSnapshot snapshot() const;

 private:
  // Relaxed: the counts are independent of each other and of everything else.
  std::atomic<std::uint64_t> attempts_ = 0;
  std::atomic<std::uint64_t> retries_ = 0;
  std::atomic<std::uint64_t> succeeded_ = 0;
  std::atomic<std::uint64_t> failed_ = 0;
  std::atomic<std::uint64_t> exhausted_ = 0;
  std::atomic<std::uint64_t> too_late_ = 0;
  std::array<std::atomic<std::uint64_t>, kErrorClasses> errors_{};
  LatencyHistogram backoff_;
  LatencyHistogram latency_;
};

}  // namespace forebay
