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

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "forebay/base/fork_mark.hpp"
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
  // Closes, if that has not been done, or leaves it to the last of its pools.
  ~Cluster() = default;

  // What its pools are made with.
  PoolSharing sharing() {
    PoolSharing sharing = membership_->cluster->sharing();
    sharing.owner = membership_;
    return sharing;
  }

  // Ids that no other process of ClusterOptions::id_scope makes: (*cluster)->ids().next(). Any
  // thread may use it, until the cluster is closed. REQUIRES: there is an id_table.
  SnowflakeGenerator& ids() { return membership_->cluster->ids(); }
  // Until this process has a node number, and ids can be made. Errc::timed_out says why it has
  // none. REQUIRES: there is an id_table.
  Result<int> wait_for_node(Duration limit) {
    Scheduler& scheduler = membership_->runtime.scheduler();
    const Instant deadline = deadline_after(scheduler.now(), limit);
    return run_blocking(scheduler, membership_->cluster->wait_for_node(deadline));
  }

  // Gives everything back. True: the table holds nothing for this process any more. False: DynamoDB
  // did not answer in time, and other processes will free what is left, when a ttl and the
  // session_linger have passed. Once. REQUIRES: its pools are gone.
  bool close(Duration limit) { return membership_->close(limit); }

  ClusterStatistics statistics() {
    return run_blocking(membership_->runtime.scheduler(), statistics_of(*membership_->cluster));
  }
  // None: the runtime's thread did not get to it in time.
  std::optional<ClusterStatistics> statistics_within(Duration limit) {
    const auto answer = std::make_shared<Answer>();
    Scheduler& scheduler = membership_->runtime.scheduler();
    start_detached(scheduler, answer_later(*membership_->cluster, answer));
    return answer->wait(deadline_after(scheduler.now(), limit));
  }

 private:
  static constexpr Duration kPatience = std::chrono::seconds(10);

  // Shared with the pools: the last of all gives everything back.
  struct Membership {
    Membership(Runtime& shared, std::unique_ptr<DynamoCluster> joined)
        : runtime(shared.share()), cluster(std::move(joined)) {}
    Membership(const Membership&) = delete;
    Membership& operator=(const Membership&) = delete;
    ~Membership() {
      if (runtime.is_in_child()) {
        leave_to_parent(std::move(cluster));
      } else {
        close(kPatience);
      }
    }
    bool close(Duration limit) {
      if (is_closed) return is_released;
      const Instant deadline = deadline_after(runtime.scheduler().now(), limit);
      is_released = run_blocking(runtime.scheduler(), cluster->close(deadline));
      is_closed = true;
      if (!is_released) log::warning("Leases not given back in time");
      return is_released;
    }

    Runtime runtime;
    std::unique_ptr<DynamoCluster> cluster;
    bool is_closed = false;
    bool is_released = false;
  };

  Cluster(Runtime& runtime, std::unique_ptr<DynamoCluster> cluster)
      : membership_(std::make_shared<Membership>(runtime, std::move(cluster))) {}
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

  const std::shared_ptr<Membership> membership_;
};

}  // namespace forebay
