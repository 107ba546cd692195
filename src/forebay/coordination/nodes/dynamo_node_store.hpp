// DynamoNodeStore: node numbers of one scope as items of a DynamoDB table.
//
//   forebay_node#<scope>#<number>  holder ("-": nobody), service_name, version, ids_until_ms,
//                                  ttl_ms, renewed_ms
//
// They have no ttl_epoch: DynamoDB must not delete one, because the next holder begins
// after its ids_until_ms, however wrong anybody's clock is. A scope has 1,024 of them at most.
//
// Each request is one conditional write of one item. Confined to its client's scheduler.
#pragma once

#include <string>
#include <vector>

#include "forebay/aws/dynamodb/dynamodb.hpp"
#include "forebay/coordination/nodes/node_store.hpp"

namespace forebay {

class DynamoNodeStore final : public NodeStore {
 public:
  DynamoNodeStore(aws::DynamoDb& client, std::string table, const std::string& scope);

  Task<Result<std::vector<NodeRecord>>> list(Instant deadline) override;
  Task<Result<NodeReply>> claim(NodeClaim claim, Instant deadline) override;
  Task<Result<NodeReply>> renew(NodeRenewal renewal, Instant deadline) override;
  Task<Result<NodeReply>> release(NodeRelease release, Instant deadline) override;

 private:
  std::string key(int number) const { return prefix_ + std::to_string(number); }
  aws::Write update(int number, WallTime now, std::string changes) const;
  aws::Write claim_write(const NodeClaim& claim) const;

  aws::DynamoDb& client_;
  const std::string table_;
  const std::string prefix_;
};

}  // namespace forebay
