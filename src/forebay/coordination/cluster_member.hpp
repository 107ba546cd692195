// ClusterMember: this process as one of many that share one limit of connections and one rate of
// connects.
//
//   ClusterMember member(env, stores, options);
//   member.start();
//   Pool pool(env, connector, pool_options, member.sharing());
//   ...                            // the pools are closed before the member
//   co_await member.close(deadline);
//
// It owns the agents that keep this process's part; the stores may be in memory, simulated or on
// DynamoDB. Under the policy `fence` the pools that have its sharing() let go of everything in time
// when the lease may end, by themselves. Confined to its scheduler, but for sharing(). It outlives
// its pools.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "forebay/coordination/lease_agent.hpp"
#include "forebay/coordination/rate_agent.hpp"
#include "forebay/pool/pool.hpp"
#include "forebay/pool/retire_signal.hpp"

namespace forebay {

// Either may be null: nothing is shared then. They outlive the member.
struct MemberStores {
  LeaseStore* leases = nullptr;
  RateStore* rate = nullptr;
};

struct MemberOptions {
  LeaseOptions leases;  // on_lost, if given, is called beside what the member does
  RateOptions rate;     // known_processes is the member's business
};

struct MemberStatistics {
  bool has_leases = false;  // it shares a limit
  bool has_rate = false;    // it shares a rate
  std::string lease_id;     // of the lease it has, or would have
  int limit = 0;            // connections of the whole cluster
  int active = 0;           // of them, leased by all processes, as last heard
  int held = 0;             // connections, in the store
  int in_use = 0;           // of them, or beyond them
  int overhang = 0;         // in use with no lease behind them
  bool is_lost = false;     // the lease has ended, or may have
  int known_processes = 0;  // with a lease; 0: not known yet
  std::uint64_t losses = 0;
  std::uint64_t reaped = 0;  // connections of processes that died
  std::uint64_t lease_requests = 0;
  int lease_failures = 0;          // of those, in a row until now
  std::uint64_t permit_waits = 0;  // connects that the cluster's rate put off
  std::uint64_t lost_places = 0;   // permits that came too late to be used
  std::uint64_t rate_requests = 0;
  int rate_failures = 0;  // of those, in a row until now
};

class ClusterMember {
 public:
  // The tokens, if there are any, are handed on to the pools.
  ClusterMember(Env env, MemberStores stores, MemberOptions options, TokenSource* tokens = nullptr);
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

 private:
  LeaseOptions with_fence(LeaseOptions options);
  RateOptions with_processes(RateOptions options) const;

  RetireSignal retire_;
  const bool is_fencing_;
  TokenSource* const tokens_;
  std::optional<LeaseAgent> leases_;
  std::optional<RateAgent> rate_;
  bool is_started_ = false;
  bool is_closed_ = false;
};

}  // namespace forebay
