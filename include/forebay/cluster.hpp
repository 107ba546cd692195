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
// closed and destroyed on one of them, never on the runtime's own. It outlives its pools.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "forebay/base/log.hpp"
#include "forebay/base/mutex.hpp"
#include "forebay/coordination/dynamo_cluster.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"

namespace forebay {

class Cluster {
 public:
  // Errc::invalid says everything that is wrong with the options. It does not wait for DynamoDB,
  // which is asked in the background; with an id_table for a node number, at once.
  static Result<std::unique_ptr<Cluster>> open(Runtime& runtime, ClusterOptions options) {
    const aws::AwsEnv env{runtime.env(), runtime.http(), runtime.machine()};
    const Instant deadline = deadline_after(runtime.scheduler().now(), kPatience);
    Result<std::unique_ptr<DynamoCluster>> opened =
        run_blocking(runtime.scheduler(), DynamoCluster::open(env, std::move(options), deadline));
    if (!opened) return failure(std::move(opened.error()));
    return std::unique_ptr<Cluster>(new Cluster(runtime, std::move(*opened)));
  }
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  // REQUIRES: its pools are gone. Closes, if that has not been done.
  ~Cluster() { close(kPatience); }

  // What its pools are made with.
  PoolSharing sharing() { return cluster_->sharing(); }

  // Ids that no other process of ClusterOptions::id_scope makes: (*cluster)->ids().next(). Any
  // thread may use it, until the cluster is closed. REQUIRES: there is an id_table.
  SnowflakeGenerator& ids() { return cluster_->ids(); }
  // Until this process has a node number, and ids can be made. Errc::timed_out says why it has
  // none. REQUIRES: there is an id_table.
  Result<int> wait_for_node(Duration limit) {
    const Instant deadline = deadline_after(runtime_.scheduler().now(), limit);
    return run_blocking(runtime_.scheduler(), cluster_->wait_for_node(deadline));
  }

  // Gives everything back. True: the table holds nothing for this process any more. False: DynamoDB
  // did not answer in time, and other processes will free what is left, when a ttl and the
  // session_linger have passed. Once.
  bool close(Duration limit) {
    if (is_closed_) return is_released_;
    const Instant deadline = deadline_after(runtime_.scheduler().now(), limit);
    is_released_ = run_blocking(runtime_.scheduler(), cluster_->close(deadline));
    is_closed_ = true;
    if (!is_released_) log::warning("Leases not given back in time");
    return is_released_;
  }

  ClusterStatistics statistics() {
    return run_blocking(runtime_.scheduler(), statistics_of(*cluster_));
  }
  // None: the runtime's thread did not get to it in time.
  std::optional<ClusterStatistics> statistics_within(Duration limit) {
    const auto answer = std::make_shared<Answer>();
    start_detached(runtime_.scheduler(), answer_later(*cluster_, answer));
    return answer->wait(deadline_after(runtime_.scheduler().now(), limit));
  }

 private:
  static constexpr Duration kPatience = std::chrono::seconds(10);

  Cluster(Runtime& runtime, std::unique_ptr<DynamoCluster> cluster)
      : runtime_(runtime), cluster_(std::move(cluster)) {}
  class Answer {
   public:
    std::optional<ClusterStatistics> wait(Instant deadline) {
      parker_.park_until(deadline);
      MutexLock lock(mutex_);
      return statistics_;
    }
    void give(ClusterStatistics statistics) {
      {
        MutexLock lock(mutex_);
        statistics_ = std::move(statistics);
      }
      parker_.unpark();
    }

   private:
    ThreadParker parker_;
    Mutex mutex_;
    std::optional<ClusterStatistics> statistics_ FOREBAY_GUARDED_BY(mutex_);
  };
  // Who has given up waiting has left the answer to us. The cluster is there: it is closed by a
  // task that comes after this one.
  static Task<void> answer_later(const DynamoCluster& cluster, std::shared_ptr<Answer> answer) {
    answer->give(cluster.statistics());
    co_return;
  }
  static Task<ClusterStatistics> statistics_of(const DynamoCluster& cluster) {
    co_return cluster.statistics();
  }

  Runtime& runtime_;
  const std::unique_ptr<DynamoCluster> cluster_;
  bool is_closed_ = false;
  bool is_released_ = false;
};

}  // namespace forebay
