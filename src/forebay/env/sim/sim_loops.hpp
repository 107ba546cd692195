// SimLoops: the loops of one simulated process, each a scheduler on the timeline.
//
// One loop is in no group, as in a Runtime.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "forebay/env/loop_group.hpp"
#include "forebay/env/sim/timeline.hpp"

namespace forebay::sim {

class SimLoops {
 public:
  explicit SimLoops(int count);
  SimLoops(const SimLoops&) = delete;
  SimLoops& operator=(const SimLoops&) = delete;

  int size() const { return static_cast<int>(loops_.size()); }
  SimScheduler& at(int loop) const { return *loops_[static_cast<std::size_t>(loop)]; }
  SimScheduler& first() const { return *loops_.front(); }

  void set_label(int label);
  void set_tie_seeds(Random& random);
  void join(Timeline& timeline);
  void leave(Timeline& timeline);
  void set_frozen(Timeline& timeline, bool is_frozen);
  // Off the timeline, with a clock of their own, until there is nothing left to do.
  void run();
  std::uint64_t steps() const;  // of all of them

 private:
  LoopGroup group_;
  std::vector<std::unique_ptr<SimScheduler>> loops_;
};

}  // namespace forebay::sim
