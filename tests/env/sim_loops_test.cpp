// The loops of a simulated process: schedulers on one timeline that know each other.
#include "forebay/env/sim/sim_loops.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "forebay/detail/env/detached.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay::sim {
namespace {

using namespace std::chrono_literals;

Task<void> visit_all(const SimLoops& loops, std::vector<const Scheduler*>& seen) {
  for (int i = loops.size() - 1; i >= 0; --i) {
    co_await resume_on(loops.at(i));
    co_await sleep_for(loops.at(i), 1s);
    seen.push_back(Scheduler::current());
  }
}

TEST(SimLoopsTest, ATaskGoesFromLoopToLoopAndTimeIsTheSameOnAll) {
  Timeline timeline;
  SimLoops loops(3);
  loops.join(timeline);
  std::vector<const Scheduler*> seen;

  start_detached(loops.first(), visit_all(loops, seen));
  while (timeline.step_until(timeline.now() + 1h) != nullptr) {
  }
  loops.leave(timeline);

  EXPECT_EQ(seen, (std::vector<const Scheduler*>{&loops.at(2), &loops.at(1), &loops.at(0)}));
  EXPECT_EQ(Scheduler::current(), nullptr);
}

TEST(SimLoopsTest, OffTheTimelineTheyRunOutTogether) {
  Timeline timeline;
  SimLoops loops(2);
  loops.join(timeline);
  timeline.step_until(Instant(10s));
  loops.leave(timeline);
  std::vector<const Scheduler*> seen;

  start_detached(loops.first(), visit_all(loops, seen));
  loops.run();

  EXPECT_EQ(seen.size(), 2u);
  EXPECT_EQ(loops.first().now(), Instant(12s));
}

TEST(SimLoopsTest, OneLoopIsInNoGroup) {
  const SimLoops loops(1);

  EXPECT_EQ(loops.first().group(), nullptr);
  EXPECT_EQ(&here(loops.first()), &loops.first());
}

}  // namespace
}  // namespace forebay::sim
