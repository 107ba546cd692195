// Director: lets the processes start and the faults happen, each at its time, and notes what
// happened when.
//
// Faults that last add up: the conditions in force are always worked out from all faults that are
// active, so that one ending does not end another.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "forebay/env/task_group.hpp"
#include "forebay/sim/process.hpp"

namespace forebay::sim {

class Director {
 public:
  using Processes = std::vector<std::unique_ptr<Process>>;

  // The first `originals` of the processes start by themselves. The others are twins of originals,
  // in the same order, for deployments: twin_of[i] is the original of processes[originals + i].
  Director(WorldParts parts, Scheduler& scheduler, Processes& processes, std::size_t originals,
           std::vector<std::size_t> twin_of);

  void start();
  // From here on nothing happens to anybody. The tasks end when the scheduler is run.
  void stop() { stopping_.cancel(); }

  // No fault is active, and none has been for that long.
  bool is_quiet_for(Duration time, Instant now) const;
  // The same, whatever tenants do.
  bool is_calm_for(Duration time, Instant now) const;
  // None that ends sessions, or streams, or those who have them.
  bool is_lossless_for(Duration time, Instant now) const;
  Instant last_change() const { return last_change_; }
  Duration skew_range() const { return skew_range_; }  // the widest between any two clocks so far

  Instant last_thaw() const { return last_thaw_; }  // when a process that stood still last went on

  std::vector<FaultMark>& marks() { return marks_; }

 private:
  Task<void> start_later(Process& process);
  Task<void> run_fault(const FaultSpec* fault);
  Task<void> last(const FaultSpec* fault);
  Task<void> roll(const FaultSpec* fault);
  Task<void> crash(const FaultSpec* fault);
  Task<void> deploy(const FaultSpec* fault);
  void drop(const FaultSpec& fault);
  void break_streams(const FaultSpec& fault);
  void set_server_conditions();
  Task<bool> until(Duration at);

  std::vector<Process*> affected(const FaultSpec& fault) const;
  std::vector<Process*> affected_and_up(const FaultSpec& fault) const;
  void set_conditions();
  std::size_t mark(const FaultSpec& fault, std::string text);
  void end_mark(std::size_t mark);
  Instant end_of_run() const { return Instant(parts_.scenario.duration); }

  WorldParts parts_;
  Scheduler& scheduler_;
  Processes& processes_;
  const std::size_t originals_;
  const std::vector<std::size_t> twin_of_;
  TaskGroup tasks_;
  Cancellation stopping_;
  std::vector<const FaultSpec*> active_;
  int happening_ = 0;  // faults that have begun and not ended
  int storms_ = 0;     // of these
  int losses_ = 0;     // of these
  Instant last_change_{};
  Instant last_disturbance_{};  // the same without storms
  Instant last_loss_ = Instant::min();
  Duration skew_range_{};
  Instant last_thaw_ = Instant::min();
  std::vector<FaultMark> marks_;
};

}  // namespace forebay::sim
