#include "forebay/retry/transaction_metrics.hpp"

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

OperationMetrics& TransactionMetrics::operation(std::string_view name) {
  const MutexLock lock(mutex_);
  const auto place = operations_.find(name);
  return place != operations_.end() ? *place->second : add(name);
}

OperationMetrics& TransactionMetrics::add(std::string_view name) {
  if (operations_.size() >= kMostOperations) name = kOther;
  const auto [place, is_new] = operations_.try_emplace(std::string(name));
  if (is_new) place->second = std::make_unique<OperationMetrics>();
  return *place->second;
}

std::vector<OperationSnapshot> TransactionMetrics::snapshot() const {
  std::vector<OperationSnapshot> all;
  const MutexLock lock(mutex_);
  all.reserve(operations_.size());
  for (const auto& [name, metrics] : operations_) all.push_back(named(name, *metrics));
  return all;
}

std::optional<OperationSnapshot> TransactionMetrics::snapshot(std::string_view name) const {
  const MutexLock lock(mutex_);
  const auto place = operations_.find(name);
  if (place == operations_.end()) return std::nullopt;
  return named(place->first, *place->second);
}

}  // namespace forebay
