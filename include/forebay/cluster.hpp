// Cluster: this process as one of many that share one limit of connections and one rate of connects
// through DynamoDB, and the IAM tokens of Aurora DSQL. For applications with threads.
//
//   forebay::ClusterOptions shared;
//   shared.endpoint = "abc.dsql.eu-west-1.on.aws";
//   shared.user = "admin";
//   shared.lease_table = shared.rate_table = "connections";
//   auto cluster = forebay::Cluster::open(runtime, shared);
//   auto pool = PostgresPool::open(runtime, "host=abc.dsql.eu-west-1.on.aws user=admin "
//                                  "dbname=postgres", options, (*cluster)->sharing());
//
// sharing(), ids() and statistics() may be called from any thread of the application; it is made,
// closed and destroyed on one of them, never on the runtime's own. Its PostgresPools keep what they
// share: if it is destroyed before them, everything is given back with the last of them.
#pragma once

#include <memory>
#include <optional>

#include "forebay/coordination/cluster_options.hpp"
#include "forebay/coordination/cluster_statistics.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/ids/snowflake.hpp"
#include "forebay/pool/pool.hpp"

namespace forebay {

class Cluster {
 public:
  // Errc::invalid says everything that is wrong with the options. It does not wait for DynamoDB,
  // which is asked in the background; with an id_table for a node number, at once.
  static Result<std::unique_ptr<Cluster>> open(Runtime& runtime, ClusterOptions options);
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  // Closes, if that has not been done, or leaves it to the last of its pools.
  ~Cluster();

  // What its pools are made with.
  PoolSharing sharing();

  // Ids that no other process of ClusterOptions::id_scope makes: (*cluster)->ids().next(). Any
  // thread may use it, until the cluster is closed. REQUIRES: there is an id_table.
  SnowflakeGenerator& ids();
  // Until this process has a node number, and ids can be made. Errc::timed_out says why it has
  // none. REQUIRES: there is an id_table.
  Result<int> wait_for_node(Duration limit);

  // Gives everything back. True: the table holds nothing for this process any more. False: DynamoDB
  // did not answer in time, and other processes will free what is left, when a ttl and the
  // session_linger have passed. Once. REQUIRES: its pools are gone.
  bool close(Duration limit);

  ClusterStatistics statistics();
  // None: the runtime's thread did not get to it in time.
  std::optional<ClusterStatistics> statistics_within(Duration limit);

 private:
  struct Membership;
  explicit Cluster(std::shared_ptr<Membership> membership);

  const std::shared_ptr<Membership> membership_;  // the last of this and the pools gives it back
};

}  // namespace forebay
