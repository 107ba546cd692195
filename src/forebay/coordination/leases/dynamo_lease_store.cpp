#include "forebay/coordination/leases/dynamo_lease_store.hpp"

#include <utility>

#include <fmt/format.h>

#include "forebay/detail/base/check.hpp"

namespace forebay {
namespace {

// What stood in the way of one try decides the next, and it changes only when others change the
// counter in between, at its lower end. More rounds than these are not bad luck.
constexpr int kMostRounds = 5;

std::unexpected<Error> restless(const std::string& lease_id) {
  return failure(
      Errc::limit_reached,
      fmt::format("the counter of leases changed {} times while lease {} was given back; "
                  "it is tried again",
                  kMostRounds, lease_id));
}

}  // namespace

DynamoLeaseStore::DynamoLeaseStore(aws::DynamoDb& client, std::string table, std::string endpoint)
    : client_(client), items_(std::move(table), endpoint) {}

Task<Result<AcquireReply>> DynamoLeaseStore::acquire(AcquireRequest request, Instant deadline) {
  const LeaseChange& change = request.change;
  FOREBAY_CHECK(change.connections > 0);
  aws::Write lease = items_.raise(request);
  aws::Write counter = items_.count_up(request);
  const Result<aws::TransactionReply> done =
      co_await transact(std::move(lease), std::move(counter), deadline);
  if (!done) co_return failure(done.error());
  // Only the limit is in the way. If the lease is as well, it decides: the change may be made.
  if (!done->is_done && done->writes[0].is_done)
    co_return AcquireReply{AcquireOutcome::limit_reached, LeaseItems::active(done->writes[1].item),
                           0};

  const Result<Snapshot> snapshot = co_await look(change.lease_id, deadline);
  if (!snapshot) co_return failure(snapshot.error());
  if (!snapshot->lease || snapshot->lease->sequence != change.sequence)
    co_return AcquireReply{AcquireOutcome::lost, snapshot->active, 0};
  remember(change.lease_id, snapshot->lease->held);
  co_return AcquireReply{AcquireOutcome::granted, snapshot->active, snapshot->lease->held};
}

Task<Result<ReleaseReply>> DynamoLeaseStore::release(ReleaseRequest request, Instant deadline) {
  FOREBAY_CHECK(request.change.connections > 0);
  const Result<Giving> giving = co_await give(request, deadline);
  if (!giving) co_return failure(giving.error());
  const Result<Snapshot> snapshot = co_await look(request.change.lease_id, deadline);
  if (!snapshot) co_return failure(snapshot.error());

  if (*giving == Giving::ended) co_return ReleaseReply{HolderOutcome::done, snapshot->active, 0};
  if (*giving == Giving::lost || !snapshot->lease)
    co_return ReleaseReply{HolderOutcome::lost, snapshot->active, 0};
  remember(request.change.lease_id, snapshot->lease->held);
  co_return ReleaseReply{HolderOutcome::done, snapshot->active, snapshot->lease->held};
}

Task<Result<DynamoLeaseStore::Giving>> DynamoLeaseStore::give(ReleaseRequest request,
                                                              Instant deadline) {
  const LeaseChange& change = request.change;
  bool is_last = known_lease_ == change.lease_id && known_held_ == change.connections;
  bool is_short = false;  // the counter says less than this lease holds: somebody has reset it
  for (int round = 0; round < kMostRounds; ++round) {
    aws::Write lease = is_last ? items_.end(request) : items_.lower(request);
    aws::Write counter = is_short ? items_.count_none(change.connections, request.now)
                                  : items_.count_down(change.connections, request.now);
    const Result<aws::TransactionReply> done =
        co_await transact(std::move(lease), std::move(counter), deadline);
    if (!done) co_return failure(done.error());
    if (done->is_done) co_return is_last ? Giving::ended : Giving::done;

    if (const aws::WriteReply& seen = done->writes[0]; !seen.is_done) {
      if (!seen.item) co_return Giving::lost;
      const LeaseItems::Lease found = LeaseItems::read(*seen.item);
      if (found.sequence == change.sequence) co_return Giving::done;
      const bool is_next = found.is_renewed && found.sequence + 1 == change.sequence;
      if (!is_next || found.held < change.connections) co_return Giving::lost;
      is_last = found.held == change.connections;
    }
    if (const aws::WriteReply& seen = done->writes[1]; !seen.is_done)
      is_short = LeaseItems::active(seen.item) < change.connections;
  }
  co_return restless(change.lease_id);
}

Task<Result<RenewReply>> DynamoLeaseStore::renew(RenewRequest request, Instant deadline) {
  aws::Write write = items_.renew(request);
  const Result<aws::WriteReply> done = co_await client_.write(std::move(write), deadline);
  if (!done) co_return failure(done.error());
  if (!done->is_done || !done->item) co_return RenewReply{HolderOutcome::lost, 0};
  const LeaseItems::Lease lease = LeaseItems::read(*done->item);
  co_return RenewReply{HolderOutcome::done, lease.held};
}

// The counter first: what changes while the leases are read changes its mark as well.
Task<Result<LeaseListing>> DynamoLeaseStore::list(Instant deadline) {
  const Result<std::optional<aws::Item>> counter =
      co_await client_.get(items_.table(), items_.counter_key(), deadline);
  if (!counter) co_return failure(counter.error());
  const Result<std::vector<aws::Item>> leases =
      co_await client_.scan(items_.table(), items_.prefix(), deadline);
  if (!leases) co_return failure(leases.error());
  const Result<std::optional<aws::Item>> after =
      co_await client_.get(items_.table(), items_.counter_key(), deadline);
  if (!after) co_return failure(after.error());

  LeaseListing listing(LeaseItems::active(*counter), LeaseItems::mark(*counter));
  for (const aws::Item& item : *leases) listing.leases.push_back(items_.record(item));
  listing.is_still = listing.mark == LeaseItems::mark(*after);
  co_return listing;
}

Task<Result<ReapReply>> DynamoLeaseStore::reap(ReapRequest request, Instant deadline) {
  const Result<std::optional<aws::Item>> item =
      co_await client_.get(items_.table(), items_.key(request.lease_id), deadline);
  if (!item) co_return failure(item.error());
  if (!*item) co_return ReapReply{false, 0};
  const LeaseItems::Lease found = LeaseItems::read(**item);
  if (found.version != request.version) co_return ReapReply{false, 0};

  bool is_short = false;
  for (int round = 0; round < kMostRounds; ++round) {
    aws::Write lease = items_.reap(request);
    aws::Write counter = is_short ? items_.count_none(found.held, request.now)
                                  : items_.count_down(found.held, request.now);
    const Result<aws::TransactionReply> done =
        co_await transact(std::move(lease), std::move(counter), deadline);
    if (!done) co_return failure(done.error());
    if (done->is_done) co_return ReapReply{true, found.held};
    if (!done->writes[0].is_done) co_return ReapReply{false, 0};
    is_short = LeaseItems::active(done->writes[1].item) < found.held;
  }
  co_return restless(request.lease_id);
}

Task<Result<RecountReply>> DynamoLeaseStore::recount(RecountRequest request, Instant deadline) {
  FOREBAY_CHECK(request.active >= 0);
  aws::Write write = items_.recount(request);
  const Result<aws::WriteReply> done = co_await client_.write(std::move(write), deadline);
  if (!done) co_return failure(done.error());
  co_return RecountReply{done->is_done};
}

Task<Result<DynamoLeaseStore::Snapshot>> DynamoLeaseStore::look(std::string lease_id,
                                                                Instant deadline) {
  const std::string lease_key = items_.key(lease_id);
  std::vector<std::string> keys;
  keys.push_back(items_.counter_key());
  keys.push_back(lease_key);
  const Result<std::vector<aws::Item>> found =
      co_await client_.get_all(items_.table(), std::move(keys), deadline);
  if (!found) co_return failure(found.error());
  Snapshot snapshot;
  for (const aws::Item& item : *found) {
    if (aws::text_at(item, "pk") == lease_key) {
      snapshot.lease = LeaseItems::read(item);
    } else {
      snapshot.active = LeaseItems::active(item);
    }
  }
  co_return snapshot;
}

// The lease comes first: its reply is writes[0].
Task<Result<aws::TransactionReply>> DynamoLeaseStore::transact(aws::Write lease, aws::Write counter,
                                                               Instant deadline) {
  std::vector<aws::Write> writes;
  writes.push_back(std::move(lease));
  writes.push_back(std::move(counter));
  return client_.transact(std::move(writes), deadline);
}

void DynamoLeaseStore::remember(const std::string& lease_id, int held) {
  known_lease_ = lease_id;
  known_held_ = held;
}

}  // namespace forebay
