#include "forebay/coordination/cluster_member.hpp"

#include "forebay/base/check.hpp"

namespace forebay {

ClusterMember::ClusterMember(Env env, MemberStores stores, MemberOptions options,
                             TokenSource* tokens)
    : retire_(options.leases.fence_before),
      is_fencing_(stores.leases != nullptr && options.leases.on_loss == LeaseLoss::fence),
      tokens_(tokens) {
  if (stores.leases != nullptr) {
    leases_.emplace(env, *stores.leases, with_fence(std::move(options.leases)));
  }
  if (stores.rate != nullptr) {
    rate_.emplace(env, *stores.rate, with_processes(std::move(options.rate)));
  }
}

ClusterMember::~ClusterMember() {
  FOREBAY_CHECK(!is_started_ || is_closed_, "a cluster member died before close() was done");
}

LeaseOptions ClusterMember::with_fence(LeaseOptions options) {
  options.on_lost = [this, others = std::move(options.on_lost)] {
    retire_.raise(DiscardReason::lease_lost);
    if (others) others();
  };
  return options;
}

RateOptions ClusterMember::with_processes(RateOptions options) const {
  options.known_processes = [this] { return leases_ ? leases_->known_processes() : 0; };
  return options;
}

void ClusterMember::start() {
  FOREBAY_CHECK(!is_started_, "a cluster member is started once");
  is_started_ = true;
  if (leases_) leases_->start();
}

PoolSharing ClusterMember::sharing() {
  PoolSharing sharing;
  sharing.leases = leases_ ? &*leases_ : nullptr;
  sharing.permits = rate_ ? &*rate_ : nullptr;
  sharing.tokens = tokens_;
  sharing.retire = is_fencing_ ? &retire_ : nullptr;
  return sharing;
}

Task<bool> ClusterMember::close(Instant deadline) {
  FOREBAY_CHECK(is_started_ && !is_closed_, "a cluster member is closed once");
  // First what others wait for.
  bool is_released = true;
  if (leases_) is_released = co_await leases_->close(deadline);
  if (rate_) co_await rate_->close();
  is_closed_ = true;
  co_return is_released;
}

MemberStatistics ClusterMember::statistics() const {
  MemberStatistics result;
  result.has_leases = leases_.has_value();
  result.has_rate = rate_.has_value();
  if (leases_) {
    result.lease_id = leases_->lease_id();
    result.limit = leases_->limit();
    result.active = leases_->active();
    result.lease_failures = leases_->failures();
    result.held = leases_->held();
    result.in_use = leases_->in_use();
    result.overhang = leases_->overhang();
    result.is_lost = leases_->is_lost();
    result.known_processes = leases_->known_processes();
    result.losses = leases_->losses();
    result.reaped = leases_->reaped();
    result.lease_requests = leases_->requests();
  }
  if (rate_) {
    result.permit_waits = rate_->waits();
    result.lost_places = rate_->lost_places();
    result.rate_requests = rate_->requests();
    result.rate_failures = rate_->failures();
  }
  return result;
}

}  // namespace forebay
