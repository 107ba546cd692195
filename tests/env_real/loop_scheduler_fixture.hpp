// A scheduler on the test's own thread, which runs until a time that the test names.
#pragma once

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "forebay/detail/env/detached.hpp"
#include "forebay/env/real/loop_scheduler.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay::real {

inline Task<void> stop_at(LoopScheduler& scheduler, Instant time) {
  // Always by a timer, however late it is: what was due before has its turn before.
  const Instant next = scheduler.now() + std::chrono::microseconds(1);
  co_await sleep_until(scheduler, std::max(time, next));
  scheduler.stop();
}

// Looks every millisecond whether enough was noted; ten seconds are for a machine that is busy
// elsewhere.
inline Task<void> stop_when_noted(LoopScheduler& scheduler, const std::vector<int>& notes,
                                  std::size_t wanted) {
  const Instant limit = scheduler.now() + std::chrono::seconds(10);
  while (notes.size() < wanted && scheduler.now() < limit) {
    co_await sleep_until(scheduler, scheduler.now() + std::chrono::milliseconds(1));
  }
  scheduler.stop();
}

class LoopSchedulerFixture : public testing::Test {
 protected:
  void run_until(Instant time) {
    start_detached(scheduler_, stop_at(scheduler_, time));
    scheduler_.run();
  }
  void run_until_noted(std::size_t wanted) {
    start_detached(scheduler_, stop_when_noted(scheduler_, notes_, wanted));
    scheduler_.run();
  }
  void run_briefly() { run_until(Instant()); }

  LoopScheduler scheduler_;
  std::vector<int> notes_;
};

}  // namespace forebay::real
