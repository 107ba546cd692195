// Workload: the callers of one simulated process. Each acquires, holds, commits, gives back, and
// after a conflict does so again, as run_transaction() does.
#pragma once

#include "forebay/core/latency_histogram.hpp"
#include "forebay/env/env.hpp"
#include "forebay/env/task_group.hpp"
#include "forebay/retry/attempts.hpp"
#include "forebay/sim/checks/caller_watch.hpp"
#include "forebay/sim/tenant_choice.hpp"

namespace forebay::sim {

struct WorkCounts {
  std::uint64_t started = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;  // went away without it: for lack of time, connection or luck
};

// Where callers acquire, and what watches them.
struct WatchedPlace {
  CallerPlace& place;
  CallerWatch& watch;
};

class Workload {
 public:
  // With more places than one, callers choose by the skew: the first is wanted most.
  // They come on one loop after the other.
  Workload(Env env, const SimLoops& loops, const ServiceSpec& spec,
           std::vector<WatchedPlace> places, Link& link, WorkCounts& counts,
           std::vector<LatencyHistogram*> waits, Trace& trace);

  void start();
  // Nobody new comes; those who are here finish.
  void stop() { stopping_.cancel(); }
  Task<void> wait_gone();
  void set_storms(const std::vector<TenantStorm>& storms) { choice_.set_storms(storms); }
  int active() const { return active_; }

 private:
  Task<void> keep_concurrency();
  Task<void> keep_arriving();
  void spawn_caller();
  Task<void> call(WatchedPlace at, std::uint64_t number);
  Task<Result<void>> attempt(WatchedPlace at, std::uint64_t number);
  Task<Result<void>> use(PooledConnection& handle);
  void note_wait(Duration waited);

  const Env env_;
  const WorkloadSpec spec_;
  const std::vector<WatchedPlace> places_;
  TenantChoice choice_;
  Link& link_;
  WorkCounts& counts_;
  const std::vector<LatencyHistogram*> waits_;
  Trace& trace_;
  const RetryOptions retries_;
  TaskGroup tasks_;
  std::vector<std::unique_ptr<TaskGroup>> callers_;  // those of each loop
  std::size_t next_loop_ = 0;
  Cancellation stopping_;
  int active_ = 0;
};

}  // namespace forebay::sim
