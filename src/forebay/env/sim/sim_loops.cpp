#include "forebay/env/sim/sim_loops.hpp"

namespace forebay::sim {

SimLoops::SimLoops(int count) {
  for (int i = 0; i < count; ++i) {
    loops_.push_back(std::make_unique<SimScheduler>());
    if (count > 1) group_.add(*loops_.back());
  }
}

void SimLoops::set_label(int label) {
  for (const auto& loop : loops_) loop->set_label(label);
}

void SimLoops::set_tie_seeds(Random& random) {
  for (const auto& loop : loops_) loop->set_tie_seed(random.next());
}

void SimLoops::join(Timeline& timeline) {
  for (const auto& loop : loops_) timeline.join(*loop);
}

void SimLoops::leave(Timeline& timeline) {
  for (const auto& loop : loops_) timeline.leave(*loop);
}

void SimLoops::set_frozen(Timeline& timeline, bool is_frozen) {
  for (const auto& loop : loops_) timeline.set_frozen(*loop, is_frozen);
}

void SimLoops::run() {
  if (size() == 1) {
    first().run();
    return;
  }
  Timeline own(first().now());
  join(own);
  while (own.next_step() != kNever) own.step_until(kNever);
  leave(own);
}

std::uint64_t SimLoops::steps() const {
  std::uint64_t steps = 0;
  for (const auto& loop : loops_) steps += loop->steps();
  return steps;
}

}  // namespace forebay::sim
