// LeaseItems: leases and their counter as items of a DynamoDB table, and the writes that change
// them. What the writes mean together is DynamoLeaseStore's business.
//
//   dsqllease_counter#<endpoint>     active, updated_ms, changes
//   dsqllease#<endpoint>#<lease id>  ttl_epoch, service_name, created_ms,
//                                    connections, sequence, version, renewed_ms, wanted, min_share
//
// Keys, and what stands first in each line, are those of clients of the older kind, so that both
// kinds count against one limit. An older client's lease lacks the rest: it stands for one
// connection and is never renewed. Versions of ours begin at 1; it has version 0. One of ours with
// sequence 0 holds nothing yet, and says what its process wants.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "forebay/aws/dynamodb/dynamodb.hpp"
#include "forebay/coordination/leases/lease_store.hpp"

namespace forebay {

class LeaseItems {
 public:
  // What matters of a lease's item.
  struct Lease {
    int held = 1;
    std::uint64_t sequence = 0;
    std::uint64_t version = 0;
    bool is_renewed = false;
  };

  LeaseItems(std::string table, const std::string& endpoint);

  const std::string& table() const { return table_; }
  const std::string& counter_key() const { return counter_key_; }
  const std::string& prefix() const { return prefix_; }  // of all leases
  std::string key(const std::string& lease_id) const { return prefix_ + lease_id; }

  static Lease read(const aws::Item& item);
  LeaseRecord record(const aws::Item& item) const;
  static int active(const std::optional<aws::Item>& counter);
  static std::string mark(const std::optional<aws::Item>& counter);

  // Writes of a lease. Each holds only if the lease is as the change expects it.
  aws::Write raise(const AcquireRequest& request) const;
  aws::Write lower(const ReleaseRequest& request) const;  // something is left of it
  aws::Write end(const ReleaseRequest& request) const;    // nothing is
  aws::Write renew(const RenewRequest& request) const;
  aws::Write reap(const ReapRequest& request) const;

  // Writes of the counter.
  aws::Write count_up(const AcquireRequest& request) const;
  aws::Write count_down(int connections, WallTime now) const;  // holds if it counts that many
  aws::Write count_none(int connections, WallTime now) const;  // holds if it does not
  aws::Write recount(const RecountRequest& request) const;

 private:
  aws::Write update(const std::string& key, std::string expression) const;
  aws::Write change_held(const LeaseChange& change, const std::string& held, std::string condition,
                         WallTime now) const;

  const std::string table_;
  const std::string counter_key_;
  const std::string prefix_;
};

}  // namespace forebay
