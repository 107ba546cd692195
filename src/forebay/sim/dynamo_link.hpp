// DynamoLink: what a process has to reach a simulated DynamoDB: the shipping stores, the shipping
// client with its signatures and retries, and its part of the network.
#pragma once

#include "forebay/aws/dynamodb.hpp"
#include "forebay/coordination/dynamo_lease_store.hpp"
#include "forebay/coordination/dynamo_rate_store.hpp"
#include "forebay/sim/dynamo_store.hpp"

namespace forebay::sim {

inline constexpr const char* kDynamoRegion = "eu-west-1";
inline constexpr const char* kLeaseTable = "leases";
inline constexpr const char* kRateTable = "connects";

aws::Credentials simulated_credentials();

// What they need to know of each other.
struct DynamoParts {
  DynamoStore& dynamo;
  SimStore& store;
  dynamodb::Network& network;
};

class DynamoLink final : public StoreLink {
 public:
  DynamoLink(DynamoParts parts, int process, Env env, const std::string& endpoint,
             RateLimits limits);

  void set_cut(bool is_cut) override { http_.set_cut(is_cut); }
  void die() override { http_.die(); }

  Task<Result<AcquireReply>> acquire(AcquireRequest request, Instant deadline) override;
  Task<Result<ReleaseReply>> release(ReleaseRequest request, Instant deadline) override;
  Task<Result<RenewReply>> renew(RenewRequest request, Instant deadline) override;
  Task<Result<LeaseListing>> list(Instant deadline) override;
  Task<Result<ReapReply>> reap(ReapRequest request, Instant deadline) override;
  Task<Result<RecountReply>> recount(RecountRequest request, Instant deadline) override;
  Task<Result<TakeReply>> take(TakeRequest request, Instant deadline) override;

 private:
  template <class Reply>
  Task<Result<Reply>> noted(SimStore::Topic topic, Task<Result<Reply>> answer);

  DynamoStore& dynamo_;
  SimStore& store_;
  const int process_;
  dynamodb::SimHttp http_;
  aws::StaticCredentials credentials_;
  aws::DynamoDb client_;
  DynamoLeaseStore leases_;
  DynamoRateStore rates_;
};

}  // namespace forebay::sim
