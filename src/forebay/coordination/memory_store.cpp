#include "forebay/coordination/memory_store.hpp"

#include <cmath>

#include "forebay/base/check.hpp"

namespace forebay {
namespace {

Duration interval_of(double rate) {
  FOREBAY_CHECK(rate > 0 && rate <= 1e9);
  // Rounded up, so that rounding never adds a place.
  return Duration(static_cast<std::int64_t>(std::ceil(1e9 / rate)));
}

}  // namespace

// A request gets at most a quarter of the places between its earliest start and the horizon, so
// that one process that wants many leaves room for others; what a rested bucket has saved up is
// there for the taking.
MemoryCoordination::MemoryCoordination(RateLimits limits)
    : interval_(interval_of(limits.connects_per_second)),
      depth_(interval_ * limits.burst),
      horizon_(limits.horizon),
      share_(static_cast<int>(std::max<std::int64_t>(1, horizon_ / interval_ / 4))) {
  FOREBAY_CHECK(limits.burst >= 1 && horizon_ >= Duration::zero());
}

AcquireReply MemoryCoordination::acquire(const AcquireRequest& request) {
  const LeaseChange& change = request.change;
  FOREBAY_CHECK(change.connections > 0);
  const auto found = leases_.find(change.lease_id);
  const std::uint64_t done = found == leases_.end() ? 0 : found->second.sequence;
  if (found != leases_.end() && change.sequence == done)
    return {AcquireOutcome::granted, active_, found->second.held};
  if (change.sequence != done + 1) return {AcquireOutcome::lost, active_, 0};
  if (change.connections > request.limit - active_)
    return {AcquireOutcome::limit_reached, active_, held(change.lease_id)};

  Entry& entry = leases_[change.lease_id];
  if (done == 0) {
    entry.service = request.service;
    entry.expires_at = request.expires_at;
  }
  entry.sequence = change.sequence;
  ++entry.version;
  entry.held += change.connections;
  active_ += change.connections;
  return {AcquireOutcome::granted, active_, entry.held};
}

ReleaseReply MemoryCoordination::release(const ReleaseRequest& request) {
  const LeaseChange& change = request.change;
  FOREBAY_CHECK(change.connections > 0);
  const auto found = leases_.find(change.lease_id);
  if (found == leases_.end()) return {HolderOutcome::lost, active_, 0};
  Entry& entry = found->second;
  if (change.sequence == entry.sequence) return {HolderOutcome::done, active_, entry.held};
  if (change.sequence != entry.sequence + 1 || change.connections > entry.held)
    return {HolderOutcome::lost, active_, entry.held};

  entry.sequence = change.sequence;
  ++entry.version;
  entry.held -= change.connections;
  active_ -= change.connections;
  const int left = entry.held;
  if (left == 0) leases_.erase(found);
  return {HolderOutcome::done, active_, left};
}

RenewReply MemoryCoordination::renew(const RenewRequest& request) {
  const auto found = leases_.find(request.lease_id);
  if (found == leases_.end()) return {HolderOutcome::lost, 0};
  ++found->second.version;
  found->second.expires_at = request.expires_at;
  return {HolderOutcome::done, found->second.held};
}

std::vector<LeaseRecord> MemoryCoordination::list() const {
  std::vector<LeaseRecord> records;
  for (const auto& [id, entry] : leases_) {
    LeaseRecord& record = records.emplace_back(id, entry.service);
    record.held = entry.held;
    record.version = entry.version;
    record.expires_at = entry.expires_at;
  }
  return records;
}

ReapReply MemoryCoordination::reap(const ReapRequest& request) {
  const auto found = leases_.find(request.lease_id);
  if (found == leases_.end() || found->second.version != request.version) return {false, 0};
  const int connections = found->second.held;
  active_ -= connections;
  leases_.erase(found);
  return {true, connections};
}

TakeReply MemoryCoordination::take(const TakeRequest& request) {
  FOREBAY_CHECK(request.wanted > 0 && request.notice >= Duration::zero());
  latest_ = std::max(latest_, request.now);
  forget_tokens();
  if (const auto known = replies_.find(request.token); known != replies_.end())
    return known->second;
  const TakeReply reply = give_places(request);
  replies_.emplace(request.token, reply);
  tokens_.emplace_back(latest_, request.token);
  return reply;
}

// Each place moves next_free_ on by one interval at least, and starts between that time and burst
// intervals after it. So the places that start within any window of length w lie within w + burst
// intervals of next_free_, whatever notice their owners asked for.
TakeReply MemoryCoordination::give_places(const TakeRequest& request) {
  TakeReply reply;
  reply.now = latest_;
  reply.earliest = latest_ + std::min(request.notice, horizon_);
  reply.spacing = interval_;
  // The bucket never holds more than burst: time further back is worth nothing.
  const WallTime floor = reply.earliest - depth_;
  const WallTime base = std::max(next_free_, floor);
  reply.first = base + interval_;

  const std::int64_t saved = base > reply.earliest ? 0 : (reply.earliest - base) / interval_;
  const WallTime furthest = reply.earliest + horizon_;
  const std::int64_t within = base > furthest ? 0 : (furthest - base) / interval_;
  const std::int64_t most = std::min(within, saved + share_);
  reply.granted = static_cast<int>(std::min<std::int64_t>(request.wanted, most));
  if (reply.granted > 0) next_free_ = base + reply.granted * interval_;
  places_ += static_cast<std::uint64_t>(reply.granted);
  if (reply.granted == 0) reply.retry_at = reply.first - (furthest - latest_);
  return reply;
}

void MemoryCoordination::forget_tokens() {
  while (!tokens_.empty() && latest_ - tokens_.front().first > kTokenMemory) {
    replies_.erase(tokens_.front().second);
    tokens_.pop_front();
  }
}

int MemoryCoordination::held_in_all() const {
  int sum = 0;
  for (const auto& [id, entry] : leases_) sum += entry.held;
  return sum;
}

int MemoryCoordination::held(const std::string& lease_id) const {
  const auto found = leases_.find(lease_id);
  return found == leases_.end() ? 0 : found->second.held;
}

Task<Result<AcquireReply>> MemoryStore::acquire(AcquireRequest request, Instant) {
  co_return model_.acquire(request);
}
Task<Result<ReleaseReply>> MemoryStore::release(ReleaseRequest request, Instant) {
  co_return model_.release(request);
}
Task<Result<RenewReply>> MemoryStore::renew(RenewRequest request, Instant) {
  co_return model_.renew(request);
}
Task<Result<std::vector<LeaseRecord>>> MemoryStore::list(Instant) { co_return model_.list(); }
Task<Result<ReapReply>> MemoryStore::reap(ReapRequest request, Instant) {
  co_return model_.reap(request);
}
Task<Result<TakeReply>> MemoryStore::take(TakeRequest request, Instant) {
  co_return model_.take(request);
}

}  // namespace forebay
