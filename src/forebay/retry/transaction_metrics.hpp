// TransactionMetrics: what became of transactions, counted by the name of the operation.
//
// Any thread may record and look. The first use of a name allocates; after that recording costs
// one short lock to find the name and atomic additions. Whoever exports metrics reads snapshots.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/mutex.hpp"
#include "forebay/core/latency_histogram.hpp"
#include "forebay/retry/error_class.hpp"
#include "forebay/retry/retry_decision.hpp"

namespace forebay {

// One operation as it was at one time. At rest: attempts are succeeded + the sum of errors, but
// for bodies that threw; errors are retries + failed.
struct OperationSnapshot {
  std::string operation;
  std::uint64_t attempts = 0;
  std::uint64_t conflicts = 0;  // attempts that ended retryable
  std::uint64_t retries = 0;
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;     // ended with an error, for whatever reason
  std::uint64_t exhausted = 0;  // of those, because no retry was left
  std::uint64_t too_late = 0;   // of those, because no time was left for a retry
  std::array<std::uint64_t, kErrorClasses> errors{};  // attempts that failed, by class
  LatencySnapshot backoff;                            // the pauses before retries
  LatencySnapshot latency;                            // from the first attempt to the end of all

  std::uint64_t errors_of(ErrorClass error_class) const {
    return errors[static_cast<std::size_t>(error_class)];
  }
};

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

class TransactionMetrics {
 public:
  // Names with a number in them would fill the memory: what comes after so many names is counted
  // together, under kOther.
  static constexpr std::size_t kMostOperations = 1000;
  static constexpr std::string_view kOther = "(other)";

  TransactionMetrics() = default;
  TransactionMetrics(const TransactionMetrics&) = delete;
  TransactionMetrics& operator=(const TransactionMetrics&) = delete;

  // Lives as long as this.
  OperationMetrics& operation(std::string_view name);

  std::vector<OperationSnapshot> snapshot() const;                         // by name
  std::optional<OperationSnapshot> snapshot(std::string_view name) const;  // nothing: never used

 private:
  using Operations = std::map<std::string, std::unique_ptr<OperationMetrics>, std::less<>>;
  OperationMetrics& add(std::string_view name) FOREBAY_REQUIRES(mutex_);

  mutable Mutex mutex_;
  Operations operations_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay
