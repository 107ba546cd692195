#include "forebay/cluster.hpp"

#include <chrono>
#include <utility>

#include "forebay/base/fork_mark.hpp"
#include "forebay/base/log.hpp"
#include "forebay/coordination/dynamo_cluster.hpp"
#include "forebay/detail/base/mutex.hpp"
#include "forebay/env/run_blocking.hpp"

namespace forebay {
namespace {

constexpr Duration kPatience = std::chrono::seconds(10);

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

// A caller who has given up waiting has left the answer to us. The cluster is there: it is closed
// by a task that comes after this one.
Task<void> answer_later(const DynamoCluster& cluster, std::shared_ptr<Answer> answer) {
  answer->give(cluster.statistics());
  co_return;
}

Task<ClusterStatistics> statistics_of(const DynamoCluster& cluster) {
  co_return cluster.statistics();
}

}  // namespace

struct Cluster::Membership {
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

Cluster::Cluster(std::shared_ptr<Membership> membership) : membership_(std::move(membership)) {}
Cluster::~Cluster() = default;

Result<std::unique_ptr<Cluster>> Cluster::open(Runtime& runtime, ClusterOptions options) {
  const aws::AwsEnv env{runtime.env(), runtime.http(), runtime.machine()};
  const Instant deadline = deadline_after(runtime.scheduler().now(), kPatience);
  Result<std::unique_ptr<DynamoCluster>> opened =
      run_blocking(runtime.scheduler(), DynamoCluster::open(env, std::move(options), deadline));
  if (!opened) return failure(std::move(opened.error()));
  auto membership = std::make_shared<Membership>(runtime, std::move(*opened));
  return std::unique_ptr<Cluster>(new Cluster(std::move(membership)));
}

PoolSharing Cluster::sharing() {
  PoolSharing sharing = membership_->cluster->sharing();
  sharing.owner = membership_;
  return sharing;
}

SnowflakeGenerator& Cluster::ids() { return membership_->cluster->ids(); }

Result<int> Cluster::wait_for_node(Duration limit) {
  Scheduler& scheduler = membership_->runtime.scheduler();
  const Instant deadline = deadline_after(scheduler.now(), limit);
  return run_blocking(scheduler, membership_->cluster->wait_for_node(deadline));
}

bool Cluster::close(Duration limit) { return membership_->close(limit); }

ClusterStatistics Cluster::statistics() {
  return run_blocking(membership_->runtime.scheduler(), statistics_of(*membership_->cluster));
}

std::optional<ClusterStatistics> Cluster::statistics_within(Duration limit) {
  const auto answer = std::make_shared<Answer>();
  Scheduler& scheduler = membership_->runtime.scheduler();
  start_detached(scheduler, answer_later(*membership_->cluster, answer));
  return answer->wait(deadline_after(scheduler.now(), limit));
}

}  // namespace forebay
