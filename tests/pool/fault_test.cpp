// The same story told again and again, failing at another step each time. Whatever fails: every
// approval comes back, every waiter ends, and the server never sees one session too many.
#include <gtest/gtest.h>

#include "support/sim_pool.hpp"

namespace forebay::test {
namespace {

struct Story {
  int steps_that_could_fail = 0;
};

// A busy quarter of a minute with resets, checks, short lives and more callers than connections.
// Step k of the given kind fails; with k = 0 none does.
Story run_story(const std::string& kind, int k, Supply supply) {
  PoolOptions options;
  options.size.max = 3;
  options.supply = supply;
  options.lifetime = 4s;
  options.lifetime_jitter = 1s;
  options.guard_window = 500ms;
  options.check_after_idle = 700ms;
  options.idle_timeout = 3s;
  options.reset_timeout = 200ms;
  options.on_stuck_close = StuckClose::give_up_after(300ms);
  SimPool sim(options, static_cast<std::uint64_t>(k) + 1);
  sim.server.needs_reset = true;
  sim.server.reset_time = 1ms;
  sim.server.fails = [&](const std::string& step, int number) {
    return step == kind && number == k;
  };
  sim.start();
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 5; ++i) sim.call(400ms, 30ms);
    sim.scheduler.run_for(1s + 50ms);
  }
  sim.scheduler.run_for(5s);

  for (const auto& call : sim.calls) {
    EXPECT_TRUE(call->is_done) << kind << " " << k;
    EXPECT_LE(call->ended - call->asked, 400ms) << kind << " " << k;
  }
  EXPECT_EQ(sim.server.refusals, 0) << kind << " " << k;
  EXPECT_LE(sim.server.most_sessions, 3) << kind << " " << k;
  EXPECT_TRUE(sim.close()) << kind << " "
                           << k;  // the pool's end checks that every approval is back
  EXPECT_EQ(sim.server.sessions, 0) << kind << " " << k;
  Story story;
  story.steps_that_could_fail = sim.server.steps[kind];
  return story;
}

class FaultTest : public testing::TestWithParam<std::tuple<std::string, Supply>> {};

TEST_P(FaultTest, EveryStepMayFailOnce) {
  const auto& [kind, supply] = GetParam();

  const Story healthy = run_story(kind, 0, supply);

  ASSERT_GT(healthy.steps_that_could_fail, 3);
  for (int k = 1; k <= healthy.steps_that_could_fail; ++k) run_story(kind, k, supply);
}

INSTANTIATE_TEST_SUITE_P(Steps, FaultTest,
                         testing::Combine(testing::Values("connect", "reset", "check", "close"),
                                          testing::Values(Supply::standard, Supply::reservoir)),
                         [](const auto& test_case) {
                           return std::get<0>(test_case.param) +
                                  (std::get<1>(test_case.param) == Supply::standard ? "_standard"
                                                                                    : "_reservoir");
                         });

// A give back that fails: its user marks it broken, or the driver says it is useless.
TEST(FaultTest, EveryGiveBackMayFailOnce) {
  for (int k = 0; k < 20; ++k) {
    PoolOptions options;
    options.size.max = 2;
    SimPool sim(options);
    sim.start();
    int given_back = 0;
    auto caller = [](SimPool& world, int& number, int broken) -> Task<void> {
      Result<PooledConnection> got = co_await world.pool->acquire(world.now() + 5s);
      EXPECT_TRUE(got.has_value());
      co_await sleep_for(world.scheduler, 10ms);
      if (++number != broken) co_return;
      static_cast<FakeConnection&>(got->connection()).is_broken = true;
    };
    for (int i = 0; i < 20; ++i) start_detached(sim.scheduler, caller(sim, given_back, k));

    sim.scheduler.run_for(10s);

    EXPECT_EQ(given_back, 20);
    EXPECT_EQ(sim.statistics().counters.discarded(DiscardReason::broken), k == 0 ? 0u : 1u);
    EXPECT_TRUE(sim.close());
    EXPECT_EQ(sim.server.sessions, 0);
  }
}

}  // namespace
}  // namespace forebay::test
