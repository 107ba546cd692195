// DynamoCluster: a ClusterMember over DynamoDB, complete: credentials, client, stores and tokens in
// one object.
//
// All but sharing() is for tasks of the scheduler. It outlives its pools; what it was made with
// outlives it. Applications with threads use <forebay/cluster.hpp>.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "forebay/aws/aws_env.hpp"
#include "forebay/aws/dsql_tokens.hpp"
#include "forebay/aws/dynamodb/dynamodb.hpp"
#include "forebay/coordination/cluster_member.hpp"
#include "forebay/coordination/cluster_options.hpp"
#include "forebay/coordination/leases/dynamo_lease_store.hpp"
#include "forebay/coordination/nodes/dynamo_node_store.hpp"
#include "forebay/coordination/nodes/node_lease.hpp"
#include "forebay/coordination/rate/dynamo_rate_store.hpp"
#include "forebay/ids/snowflake.hpp"

namespace forebay {

class DynamoCluster {
 public:
  // Finds region and endpoint, and starts. Errc::invalid says everything that is wrong with the
  // options. It does not wait for DynamoDB: while that is away, connects and ids fail and say so.
  static Task<Result<std::unique_ptr<DynamoCluster>>> open(aws::AwsEnv env, ClusterOptions options,
                                                           Instant deadline);
  DynamoCluster(const DynamoCluster&) = delete;
  DynamoCluster& operator=(const DynamoCluster&) = delete;
  ~DynamoCluster();  // REQUIRES: closed

  // What its pools are made with. May be called from any thread.
  PoolSharing sharing() { return member_->sharing(); }
  // Ids that no other process of the scope makes. Any thread may use it, until the cluster is
  // closed. REQUIRES: there is an id_table.
  SnowflakeGenerator& ids();
  // Until ids can be made. Errors: as NodeLease. REQUIRES: there is an id_table.
  Task<Result<int>> wait_for_node(Instant deadline);
  // As ClusterMember::close(), and gives the node number back meanwhile.
  Task<bool> close(Instant deadline);

  ClusterStatistics statistics() const;
  const std::string& region() const { return region_; }

 private:
  DynamoCluster(const aws::AwsEnv& env, const ClusterOptions& options, std::string region,
                std::string dynamodb_url);

  Scheduler& scheduler_;
  const std::string endpoint_;
  const std::string region_;
  const std::unique_ptr<aws::CredentialsProvider> credentials_;
  std::optional<aws::DynamoDb> client_;
  std::optional<DynamoLeaseStore> leases_;
  std::optional<DynamoRateStore> rate_;
  std::optional<DynamoNodeStore> nodes_;
  std::optional<NodeLease> node_;
  std::optional<SnowflakeGenerator> ids_;
  std::optional<aws::DsqlTokens> tokens_;
  std::optional<ClusterMember> member_;
};

}  // namespace forebay
