// DynamoLeaseStore: the lease store on DynamoDB, for one database endpoint. LeaseItems says what is
// in the table.
//
// A change is one transaction over the lease and the counter, without reading first. If a condition
// failed, the items that stood in the way say why: a lease that has this sequence already means
// that the change was made before. The counter and what is held are read afterwards; if that fails
// the change has no answer, and its repetition finds it made.
//
// Confined to its client's scheduler.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "forebay/aws/dynamodb/dynamodb.hpp"
#include "forebay/coordination/leases/lease_items.hpp"
#include "forebay/coordination/leases/lease_store.hpp"

namespace forebay {

class DynamoLeaseStore final : public LeaseStore {
 public:
  DynamoLeaseStore(aws::DynamoDb& client, std::string table, std::string endpoint);

  Task<Result<AcquireReply>> acquire(AcquireRequest request, Instant deadline) override;
  Task<Result<ReleaseReply>> release(ReleaseRequest request, Instant deadline) override;
  Task<Result<RenewReply>> renew(RenewRequest request, Instant deadline) override;
  Task<Result<LeaseListing>> list(Instant deadline) override;
  Task<Result<ReapReply>> reap(ReapRequest request, Instant deadline) override;
  Task<Result<RecountReply>> recount(RecountRequest request, Instant deadline) override;

 private:
  // The counter, and a lease if it is there.
  struct Snapshot {
    int active = 0;
    std::optional<LeaseItems::Lease> lease;
  };
  // What came of a release's transactions.
  enum class Giving : std::uint8_t { done, ended, lost };

  Task<Result<Snapshot>> look(std::string lease_id, Instant deadline);
  Task<Result<Giving>> give(ReleaseRequest request, Instant deadline);
  Task<Result<aws::TransactionReply>> transact(aws::Write lease, aws::Write counter,
                                               Instant deadline);
  void remember(const std::string& lease_id, int held);

  aws::DynamoDb& client_;
  const LeaseItems items_;
  // What was last heard of the lease of this process: it tells which kind of release is needed.
  std::string known_lease_;
  int known_held_ = 0;
};

}  // namespace forebay
