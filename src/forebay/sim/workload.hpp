// Workload: the callers of one simulated process. Each acquires, holds, commits, gives back.
#pragma once

#include "forebay/core/latency_histogram.hpp"
#include "forebay/env/env.hpp"
#include "forebay/env/task_group.hpp"
#include "forebay/sim/caller_watch.hpp"

namespace forebay::sim {

// A way to a pool other than acquire(), for tests that plant a bug there.
class Door {
 public:
  virtual ~Door() = default;
  virtual Task<Result<PooledConnection>> acquire(Pool& pool, Instant deadline) = 0;
};

struct WorkCounts {
  std::uint64_t started = 0;
  std::uint64_t completed = 0;
  std::uint64_t unserved = 0;
  std::uint64_t lost = 0;  // the connection broke under its user
};

// One pool and what watches its callers.
struct WatchedPool {
  Pool& pool;
  CallerWatch& watch;
};

class Workload {
 public:
  Workload(Env env, const WorkloadSpec& spec, std::vector<WatchedPool> pools, Link& link,
           WorkCounts& counts, std::vector<LatencyHistogram*> waits, Trace& trace, Door* door);

  void start();
  // Nobody new comes; those who are here finish.
  void stop() { is_stopped_ = true; }
  Task<void> wait_gone();
  void set_factor(double factor) { factor_ = factor; }  // times the usual arrivals
  int active() const { return active_; }

 private:
  Task<void> keep_concurrency();
  Task<void> keep_arriving();
  void spawn_caller();
  Task<void> call(WatchedPool place, std::uint64_t number);
  Task<void> use(PooledConnection& handle);
  void note_wait(Duration waited);

  const Env env_;
  const WorkloadSpec spec_;
  const std::vector<WatchedPool> pools_;
  Link& link_;
  WorkCounts& counts_;
  const std::vector<LatencyHistogram*> waits_;
  Trace& trace_;
  Door* const door_;
  TaskGroup tasks_;
  Condition stopping_;
  bool is_stopped_ = false;
  double factor_ = 1;
  int active_ = 0;
};

}  // namespace forebay::sim
