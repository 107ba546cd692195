// The place of a session that the server has not let go of.
#include <gtest/gtest.h>

#include "forebay/base/log.hpp"
#include "support/captured_log.hpp"
#include "support/sim_pool.hpp"

namespace forebay::test {
namespace {

PoolOptions two_of_them() {
  PoolOptions options;
  options.size.max = 2;
  options.supply = Supply::reservoir;
  return options;
}

// Both connections are closed, and the server does not let go of their sessions.
void hold_all(SimPool& sim) {
  ASSERT_TRUE(sim.start());
  sim.server.holds_sessions = true;
  sim.pool->retire_all(DiscardReason::discarded);
}

TEST(HeldPlaceTest, IsKeptForAsLongAsTheServerHoldsTheSession) {
  const log::Mute quiet;
  SimPool sim(two_of_them());
  hold_all(sim);
  sim.scheduler.run_for(1h);

  EXPECT_EQ(sim.statistics().closing, 2);
  EXPECT_EQ(sim.statistics().held, 2);
  EXPECT_EQ(sim.server.refusals, 0);
  EXPECT_EQ(sim.server.most_sessions, 2);

  sim.server.holds_sessions = false;
  sim.scheduler.run_for(2s);
  EXPECT_EQ(sim.statistics().held, 0);
  EXPECT_EQ(sim.statistics().ready, 2);
  EXPECT_EQ(sim.server.refusals, 0);
}

TEST(HeldPlaceTest, WhoGetsNothingIsToldWhy) {
  const log::Mute quiet;
  SimPool sim(two_of_them());
  hold_all(sim);
  sim.scheduler.run_for(10s);

  std::string text;
  const auto ask = [](Pool& pool, Instant deadline, std::string& answer) -> Task<void> {
    const Result<PooledConnection> got = co_await pool.acquire(deadline);
    answer = got ? "a connection" : got.error().text();
  };
  start_detached(sim.scheduler, ask(*sim.pool, sim.now() + 1s, text));
  sim.scheduler.run_for(2s);
  sim.server.holds_sessions = false;

  EXPECT_TRUE(text.contains("2 places are held by sessions that the server has not let go of"))
      << text;
}

TEST(HeldPlaceTest, IsToldInTheLog) {
  CapturedLog log;
  SimPool sim(two_of_them());
  hold_all(sim);
  sim.scheduler.run_for(4s);
  EXPECT_TRUE(log.lines("Reservoir: the server has not let go of a session").empty());
  sim.scheduler.run_for(10s);
  sim.server.holds_sessions = false;

  EXPECT_EQ(log.lines("Reservoir: the server has not let go of a session").size(), 2u);
}

TEST(HeldPlaceTest, IsGivenUpIfTheOptionsSaySo) {
  const log::Mute quiet;
  PoolOptions options = two_of_them();
  options.on_stuck_close = StuckClose::give_up_after(30s);
  SimPool sim(options);
  hold_all(sim);

  sim.scheduler.run_for(29s);
  EXPECT_EQ(sim.statistics().held, 2);
  sim.server.limit = 4;  // the server really has them
  sim.scheduler.run_for(2s);
  EXPECT_EQ(sim.statistics().held, 0);
  EXPECT_EQ(sim.statistics().ready, 2);
  sim.server.holds_sessions = false;
}

TEST(HeldPlaceTest, AProcessThatEndsDoesNotWaitForIt) {
  const log::Mute quiet;
  SimPool sim(two_of_them());
  hold_all(sim);

  EXPECT_FALSE(sim.close(1min));
  sim.pool->give_up();
  EXPECT_TRUE(sim.close(2s));
}

}  // namespace
}  // namespace forebay::test
