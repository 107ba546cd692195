#include "forebay/coordination/memory_store.hpp"

#include <algorithm>

#include "forebay/detail/base/check.hpp"

namespace forebay {

MemoryCoordination::MemoryCoordination(RateLimits limits) : bucket_(limits) {
  if (limits.mode == RateMode::window) window_.emplace(limits);
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
    return {AcquireOutcome::limit_reached, active_, 0};

  Entry& entry = leases_[change.lease_id];
  if (done == 0) {
    entry.service = request.service;
    entry.created_at = request.now;
    entry.reap_after = request.reap_after;
  }
  entry.sequence = change.sequence;
  entry.renewed_at = request.now;
  ++entry.version;
  entry.held += change.connections;
  active_ += change.connections;
  ++changes_;
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
    return {HolderOutcome::lost, active_, 0};

  entry.sequence = change.sequence;
  entry.renewed_at = request.now;
  ++entry.version;
  entry.held -= change.connections;
  lower(change.connections);
  const int left = entry.held;
  if (left == 0) leases_.erase(found);
  return {HolderOutcome::done, active_, left};
}

RenewReply MemoryCoordination::renew(const RenewRequest& request) {
  auto found = leases_.find(request.lease_id);
  if (found == leases_.end()) {
    if (!request.makes) return {HolderOutcome::lost, 0};
    found = leases_.emplace(request.lease_id, Entry()).first;
    found->second.created_at = request.now;
  }
  Entry& entry = found->second;
  ++entry.version;
  entry.renewed_at = request.now;
  entry.claim = request.claim;
  if (request.makes) {
    entry.service = request.service;
    entry.reap_after = request.reap_after;
  }
  return {HolderOutcome::done, entry.held};
}

LeaseListing MemoryCoordination::list() const {
  LeaseListing listing(active_, std::to_string(changes_));
  for (const auto& [id, entry] : leases_) {
    LeaseRecord& record = listing.leases.emplace_back(id, entry.service);
    record.held = entry.held;
    record.version = entry.version;
    record.claim = entry.claim;
    record.reap_after = entry.reap_after;
    record.created_at = entry.created_at;
    record.renewed_at = entry.renewed_at;
  }
  return listing;
}

ReapReply MemoryCoordination::reap(const ReapRequest& request) {
  const auto found = leases_.find(request.lease_id);
  if (found == leases_.end() || found->second.version != request.version) return {false, 0};
  const int connections = found->second.held;
  lower(connections);
  leases_.erase(found);
  return {true, connections};
}

RecountReply MemoryCoordination::recount(const RecountRequest& request) {
  FOREBAY_CHECK(request.active >= 0);
  if (request.mark != std::to_string(changes_)) return {false};
  active_ = request.active;
  ++changes_;
  return {true};
}

// Never below zero: somebody may have set the counter to less than what is held.
void MemoryCoordination::lower(int connections) {
  active_ = std::max(0, active_ - connections);
  ++changes_;
}

TakeReply MemoryCoordination::take(const TakeRequest& request) {
  latest_ = std::max(latest_, request.now);
  forget_tokens();
  if (const auto known = replies_.find(request.token); known != replies_.end())
    return known->second;
  const TakeReply reply = give_places(request);
  places_ += static_cast<std::uint64_t>(reply.granted);
  replies_.emplace(request.token, reply);
  tokens_.emplace_back(latest_, request.token);
  return reply;
}

TakeReply MemoryCoordination::give_places(const TakeRequest& request) {
  if (!window_) {
    const RateBucket::Step step = bucket_.take(bucket_state_, request);
    bucket_state_ = step.state;
    return step.reply;
  }
  const std::optional<RateWindow::Ask> ask = window_->ask(request);
  if (!ask) return window_->refuse(request);
  window_->note(ask->second, window_->count(ask->second) + ask->places);
  return window_->grant(request, *ask);
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
Task<Result<LeaseListing>> MemoryStore::list(Instant) { co_return model_.list(); }
Task<Result<ReapReply>> MemoryStore::reap(ReapRequest request, Instant) {
  co_return model_.reap(request);
}
Task<Result<RecountReply>> MemoryStore::recount(RecountRequest request, Instant) {
  co_return model_.recount(request);
}
Task<Result<TakeReply>> MemoryStore::take(TakeRequest request, Instant) {
  co_return model_.take(request);
}

}  // namespace forebay
