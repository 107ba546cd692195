#include "forebay/coordination/cluster_member.hpp"

#include "forebay/detail/base/check.hpp"

namespace forebay {

ClusterMember::ClusterMember(Env env, MemberStores stores, const ClusterOptions& options,
                             TokenSource* tokens)
    : retire_(options.on_loss == LeaseLoss::fence ? fence_before(options) : Duration::max()),
      tokens_(tokens),
      service_(options.service) {
  if (stores.leases != nullptr) leases_.emplace(env, *stores.leases, lease_options(options));
  if (stores.rate != nullptr) rate_.emplace(env, *stores.rate, rate_options(options));
}

ClusterMember::~ClusterMember() {
  FOREBAY_CHECK(!is_started_ || is_closed_, "a cluster member died before close() was done");
}

LeaseOptions ClusterMember::lease_options(const ClusterOptions& options) {
  LeaseOptions leases(options);
  leases.on_lost = [this] { retire_.raise(DiscardReason::lease_lost); };
  leases.on_surplus = [this] { return retire_.shed(1) > 0; };
  return leases;
}

RateOptions ClusterMember::rate_options(const ClusterOptions& options) const {
  RateOptions rate(options);
  rate.known_processes = [this] { return leases_ ? leases_->known_processes() : 0; };
  return rate;
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
  sharing.retire = leases_ ? &retire_ : nullptr;
  sharing.service = service_;
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
    result.foreign_seconds = rate_->foreign_seconds();
  }
  return result;
}

}  // namespace forebay
