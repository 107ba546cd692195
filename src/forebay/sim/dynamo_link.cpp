#include "forebay/sim/dynamo_link.hpp"

#include <utility>

#include "forebay/base/check.hpp"

namespace forebay::sim {

aws::Credentials simulated_credentials() {
  return aws::Credentials("SIMULATED", "the key of a simulated process");
}

DynamoLink::DynamoLink(DynamoParts parts, int process, Env env, const std::string& endpoint,
                       RateLimits limits)
    : dynamo_(parts.dynamo),
      store_(parts.store),
      process_(process),
      http_(parts.network, env.scheduler, process),
      credentials_(simulated_credentials()),
      client_(env, http_, credentials_, aws::DynamoDbOptions{kDynamoRegion, ""}),
      leases_(client_, kLeaseTable, endpoint),
      rates_(env, client_, kRateTable, endpoint, limits) {}

// An answer, and whether there was one.
template <class Reply>
Task<Result<Reply>> DynamoLink::noted(SimStore::Topic topic, Task<Result<Reply>> answer) {
  Result<Reply> reply = co_await std::move(answer);
  // Nothing that we send is malformed, whatever happens to it.
  FOREBAY_CHECK(reply || reply.error().code() != Errc::invalid,
                "the simulated DynamoDB refused a request of ours: " + reply.error().text());
  store_.note_contact(process_, topic, reply.has_value());
  co_return reply;
}

Task<Result<AcquireReply>> DynamoLink::acquire(AcquireRequest request, Instant deadline) {
  store_.note_lease(request.change.lease_id, process_);
  return noted(SimStore::Topic::leases, leases_.acquire(std::move(request), deadline));
}

Task<Result<ReleaseReply>> DynamoLink::release(ReleaseRequest request, Instant deadline) {
  const std::string lease_id = request.change.lease_id;
  dynamo_.begin_release(lease_id);
  Task<Result<ReleaseReply>> answer = leases_.release(std::move(request), deadline);
  Result<ReleaseReply> reply = co_await noted(SimStore::Topic::leases, std::move(answer));
  dynamo_.end_release(lease_id);
  co_return reply;
}

Task<Result<RenewReply>> DynamoLink::renew(RenewRequest request, Instant deadline) {
  return noted(SimStore::Topic::leases, leases_.renew(std::move(request), deadline));
}

Task<Result<LeaseListing>> DynamoLink::list(Instant deadline) {
  return noted(SimStore::Topic::leases, leases_.list(deadline));
}

Task<Result<ReapReply>> DynamoLink::reap(ReapRequest request, Instant deadline) {
  return noted(SimStore::Topic::leases, leases_.reap(std::move(request), deadline));
}

Task<Result<RecountReply>> DynamoLink::recount(RecountRequest request, Instant deadline) {
  return noted(SimStore::Topic::leases, leases_.recount(std::move(request), deadline));
}

Task<Result<TakeReply>> DynamoLink::take(TakeRequest request, Instant deadline) {
  return noted(SimStore::Topic::rate, rates_.take(request, deadline));
}

}  // namespace forebay::sim
