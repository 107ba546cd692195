// Timeline: one clock for several schedulers, which take turns on it, as processes do in one world.
//
// The scheduler whose next step is due first makes one step. Those due at the same time go in the
// order in which they joined, or in an order by seed: nobody may rely on either. A scheduler that
// leaves goes on by itself, with a clock of its own that stands where it left.
#pragma once

#include <cstdint>
#include <optional>

#include "forebay/base/intrusive_heap.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"

namespace forebay::sim {

class Timeline {
 public:
  explicit Timeline(Instant start = {}) : now_(start) {}
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;
  ~Timeline();  // REQUIRES: everyone has left

  void join(SimScheduler& scheduler);
  void leave(SimScheduler& scheduler);

  // A frozen scheduler has no turn. What fell due meanwhile comes late, in its order, when it goes
  // on: as in a process that was stopped.
  void set_frozen(SimScheduler& scheduler, bool is_frozen);

  void set_tie_seed(std::uint64_t seed) { ties_.emplace(seed); }  // from now on
  Instant now() const { return now_; }
  Instant next_step() const { return turns_.empty() ? kNever : turns_.front().turn_at_; }

  // Lets the next one make one step, and says who it was. Null: nobody has anything left to do
  // until that time, at which the clock now stands.
  SimScheduler* step_until(Instant time);

 private:
  friend class SimScheduler;
  // Its next step may have become earlier.
  void note(SimScheduler& scheduler);
  void reschedule(SimScheduler& scheduler);

  static bool goes_earlier(const SimScheduler& a, const SimScheduler& b) {
    return a.turn_at_ != b.turn_at_ ? a.turn_at_ < b.turn_at_ : a.turn_order_ < b.turn_order_;
  }

  Instant now_;
  std::uint64_t next_order_ = 0;
  std::optional<SeededRandom> ties_;
  SimScheduler* running_ = nullptr;
  IntrusiveHeap<SimScheduler, &SimScheduler::timeline_place_, &Timeline::goes_earlier> turns_;
};

}  // namespace forebay::sim
