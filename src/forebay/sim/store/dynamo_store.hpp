// DynamoStore: the coordination store as a simulated DynamoDB. Each process has the shipping client
// and the shipping stores on it; only the network is made up.
//
// What the leases in its table are is known from every change of an item, not from replies.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "forebay/aws/dynamodb/dynamodb.hpp"
#include "forebay/coordination/leases/dynamo_lease_store.hpp"
#include "forebay/coordination/rate/dynamo_rate_store.hpp"
#include "forebay/sim/dynamodb/sim_http.hpp"
#include "forebay/sim/store/store.hpp"

namespace forebay::sim {

class DynamoStore {
 public:
  DynamoStore(const Scenario& scenario, std::uint64_t seed, SimStore& store, Trace& trace);
  DynamoStore(const DynamoStore&) = delete;
  DynamoStore& operator=(const DynamoStore&) = delete;

  std::unique_ptr<StoreLink> make_link(int process, Env env);
  void set_away(bool is_away) { network_.set_away(is_away); }

  int active() const { return active_; }  // the counter
  int held(const std::string& lease_id) const;
  int held_in_all() const { return held_in_all_; }

  // For links: a process is giving back what this lease holds, or some of it.
  void begin_release(const std::string& lease_id) { releasing_.insert(lease_id); }
  void end_release(const std::string& lease_id) { releasing_.erase(lease_id); }

 private:
  friend class DynamoLink;
  void note_change(const std::string& key, const aws::Item* after);
  void note_held(const std::string& lease_id, int held);
  void note_gone(const std::string& lease_id);
  void sweep(Instant now);

  const std::string endpoint_;
  const std::string lease_prefix_;
  const std::string counter_key_;
  const RateLimits limits_;
  SimStore& store_;
  dynamodb::Tables tables_;
  dynamodb::Service service_;
  dynamodb::Network network_;
  std::map<std::string, int> held_;  // by lease
  std::set<std::string> releasing_;
  int held_in_all_ = 0;
  int active_ = 0;
  Instant swept_at_{};
};

// What a process has to reach it: the shipping stores, the shipping client with its signatures and
// retries, and its part of the network.
class DynamoLink final : public StoreLink {
 public:
  DynamoLink(DynamoStore& dynamo, int process, Env env);

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
