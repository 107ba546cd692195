// ClusterStatistics: how this process stands in its cluster, as last heard.
#pragma once

#include <cstdint>
#include <string>

#include "forebay/aws/usage.hpp"

namespace forebay {

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
  // Seconds in which others counted by the second while this process used the bucket.
  std::uint64_t foreign_seconds = 0;
};

struct ClusterStatistics : MemberStatistics {
  std::string endpoint;
  bool has_tokens = false;  // it makes IAM tokens
  aws::DsqlTokensUsage tokens;
  aws::DynamoDbUsage dynamodb;
};

}  // namespace forebay
