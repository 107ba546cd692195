#include "forebay/retry/transaction_metrics.hpp"

#include <functional>
#include <map>

#include "forebay/detail/base/mutex.hpp"
#include "forebay/retry/operation_metrics.hpp"

namespace forebay {
namespace {

void count(std::atomic<std::uint64_t>& counter) { counter.fetch_add(1, std::memory_order_relaxed); }

std::uint64_t read(const std::atomic<std::uint64_t>& counter) {
  return counter.load(std::memory_order_relaxed);
}

OperationSnapshot named(const std::string& name, const OperationMetrics& metrics) {
  OperationSnapshot snapshot = metrics.snapshot();
  snapshot.operation = name;
  return snapshot;
}

}  // namespace

void OperationMetrics::succeed(Duration latency) {
  count(succeeded_);
  latency_.record(latency);
}

void OperationMetrics::fail(ErrorClass error_class, const RetryDecision& decision,
                            Duration latency) {
  count(errors_[static_cast<std::size_t>(error_class)]);
  if (decision.verdict == Verdict::retry) {
    count(retries_);
    backoff_.record(decision.pause);
    return;
  }
  count(failed_);
  if (decision.verdict == Verdict::exhausted) count(exhausted_);
  if (decision.verdict == Verdict::too_late) count(too_late_);
  latency_.record(latency);
}

OperationSnapshot OperationMetrics::snapshot() const {
  OperationSnapshot result;
  result.attempts = read(attempts_);
  result.retries = read(retries_);
  result.succeeded = read(succeeded_);
  result.failed = read(failed_);
  result.exhausted = read(exhausted_);
  result.too_late = read(too_late_);
  for (std::size_t i = 0; i < errors_.size(); ++i) result.errors[i] = read(errors_[i]);
  result.conflicts = result.errors_of(ErrorClass::retryable);
  result.backoff = backoff_.snapshot();
  result.latency = latency_.snapshot();
  return result;
}

struct TransactionMetrics::Parts {
  OperationMetrics& add(std::string_view name) FOREBAY_REQUIRES(mutex);

  mutable Mutex mutex;
  std::map<std::string, std::unique_ptr<OperationMetrics>, std::less<>> operations
      FOREBAY_GUARDED_BY(mutex);
};

TransactionMetrics::TransactionMetrics() : parts_(std::make_unique<Parts>()) {}

TransactionMetrics::~TransactionMetrics() = default;

OperationMetrics& TransactionMetrics::operation(std::string_view name) {
  Parts& parts = *parts_;
  const MutexLock lock(parts.mutex);
  const auto place = parts.operations.find(name);
  return place != parts.operations.end() ? *place->second : parts.add(name);
}

OperationMetrics& TransactionMetrics::Parts::add(std::string_view name) {
  if (operations.size() >= kMostOperations) name = kOther;
  const auto [place, is_new] = operations.try_emplace(std::string(name));
  if (is_new) place->second = std::make_unique<OperationMetrics>();
  return *place->second;
}

std::vector<OperationSnapshot> TransactionMetrics::snapshot() const {
  std::vector<OperationSnapshot> all;
  const MutexLock lock(parts_->mutex);
  all.reserve(parts_->operations.size());
  for (const auto& [name, metrics] : parts_->operations) all.push_back(named(name, *metrics));
  return all;
}

std::optional<OperationSnapshot> TransactionMetrics::snapshot(std::string_view name) const {
  const MutexLock lock(parts_->mutex);
  const auto place = parts_->operations.find(name);
  if (place == parts_->operations.end()) return std::nullopt;
  return named(place->first, *place->second);
}

}  // namespace forebay
