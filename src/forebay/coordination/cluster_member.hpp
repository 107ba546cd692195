// ClusterMember: this process as one of many that share one limit of connections and one rate of
// connects.
//
//   ClusterMember member(env, stores, options);
//   member.start();
//   Pool pool(env, connector, pool_options, member.sharing());
//   ...                            // the pools are closed before the member
//   co_await member.close(deadline);
//
// It owns the agents that keep this process's part, and is the one place where they are made, for
// real processes and simulated ones; the stores may be in memory, simulated or on DynamoDB. Under
// the policy `fence` the pools that have its sharing() let go of everything in time when the lease
// may end, by themselves. Confined to its scheduler, but for sharing(). It outlives its pools.
#pragma once

#include <optional>

#include "forebay/coordination/cluster_statistics.hpp"
#include "forebay/coordination/leases/lease_agent.hpp"
#include "forebay/coordination/rate/rate_agent.hpp"
#include "forebay/pool/pool.hpp"
#include "forebay/pool/retire_signal.hpp"

namespace forebay {

// Either may be null: nothing is shared then. They outlive the member.
struct MemberStores {
  LeaseStore* leases = nullptr;
  RateStore* rate = nullptr;
};

class ClusterMember {
 public:
  // What is shared is what there are stores for, whatever the options' tables. The tokens, if there
  // are any, are handed on to the pools. REQUIRES: problems(options) has nothing but tables to say.
  ClusterMember(Env env, MemberStores stores, const ClusterOptions& options,
                TokenSource* tokens = nullptr);
  ClusterMember(const ClusterMember&) = delete;
  ClusterMember& operator=(const ClusterMember&) = delete;
  // REQUIRES: never started, or closed; its pools are gone.
  ~ClusterMember();

  void start();
  // What its pools are made with. May be called from any thread.
  PoolSharing sharing();
  // Gives everything back. True: the stores hold nothing for this process. False: connections were
  // still in use, or the store did not answer; what is left will be reaped. REQUIRES: started. It
  // ends at most one request_timeout after the deadline.
  Task<bool> close(Instant deadline);

  MemberStatistics statistics() const;
  // Of those, what may be asked after every step.
  int overhang() const { return leases_ ? leases_->overhang() : 0; }
  std::uint64_t permit_waits() const { return rate_ ? rate_->waits() : 0; }

 private:
  LeaseOptions lease_options(const ClusterOptions& options);
  RateOptions rate_options(const ClusterOptions& options) const;

  RetireSignal retire_;
  TokenSource* const tokens_;
  const std::string service_;
  std::optional<LeaseAgent> leases_;
  std::optional<RateAgent> rate_;
  bool is_started_ = false;
  bool is_closed_ = false;
};

}  // namespace forebay
