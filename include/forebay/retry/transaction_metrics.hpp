// TransactionMetrics: what became of transactions, counted by the name of the operation.
//
// Any thread may record and look. The first use of a name allocates; after that recording costs
// one short lock to find the name and atomic additions. Exporters of metrics read snapshots.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/error_class.hpp"
#include "forebay/core/latency_snapshot.hpp"

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

class OperationMetrics;

class TransactionMetrics {
 public:
  // Names with a number in them would fill the memory: names beyond these are counted together,
  // under kOther.
  static constexpr std::size_t kMostOperations = 1000;
  static constexpr std::string_view kOther = "(other)";

  TransactionMetrics();
  TransactionMetrics(const TransactionMetrics&) = delete;
  TransactionMetrics& operator=(const TransactionMetrics&) = delete;
  ~TransactionMetrics();

  // Lives as long as this.
  OperationMetrics& operation(std::string_view name);

  std::vector<OperationSnapshot> snapshot() const;                         // by name
  std::optional<OperationSnapshot> snapshot(std::string_view name) const;  // nothing: never used

 private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace forebay
