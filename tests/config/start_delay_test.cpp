#include "forebay/config/start_delay.hpp"

#include <gtest/gtest.h>

#include "forebay/env/detached.hpp"
#include "forebay/env/random.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "forebay/env/sim/sim_wall_clock.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;

Duration delay_of(std::uint64_t seed, Duration most) {
  sim::SimScheduler scheduler;
  SeededRandom random(seed);
  sim::SimWallClock clock(scheduler, WallTime());
  const Instant start = scheduler.now();
  start_detached(scheduler, delay_start(Env{scheduler, random, clock}, most));
  scheduler.run();
  return scheduler.now() - start;
}

TEST(StartDelayTest, ItIsARandomPart) {
  Duration least = 5s;
  Duration most = 0s;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Duration delay = delay_of(seed, 5s);
    least = std::min(least, delay);
    most = std::max(most, delay);
  }
  EXPECT_LT(least, 1s);
  EXPECT_GT(most, 4s);
  EXPECT_LE(most, 5s);
  EXPECT_EQ(delay_of(1, 0s), 0s);
}

}  // namespace
}  // namespace forebay
