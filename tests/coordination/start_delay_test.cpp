#include "forebay/coordination/start_delay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/detail/env/detached.hpp"
#include "forebay/env/random.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "forebay/env/sim/sim_wall_clock.hpp"
#include "support/captured_log.hpp"

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

TEST(StartDelayTest, ItIsToldWithWhereToSwitchItOff) {
  const test::CapturedLog log;
  delay_of(1, 0s);
  EXPECT_EQ(log.count("Start delayed"), 0u);

  delay_of(1, 5s);

  EXPECT_EQ(log.values("Start delayed", "delay").size(), 1u);
  EXPECT_EQ(log.values("Start delayed", "most"), std::vector<std::string>{"5s"});
  EXPECT_THAT(log.values("Start delayed", "switch_off"),
              testing::ElementsAre(testing::HasSubstr("DSQL_STAGGERED_STARTUP=false")));
}

}  // namespace
}  // namespace forebay
