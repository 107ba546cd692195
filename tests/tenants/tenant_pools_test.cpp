// Tenants in virtual time: who gets connections, who has to give some up, and how it ends.
#include "forebay/tenants/tenant_pools.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sim_tenants.hpp"

namespace forebay::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string id_of(int number) { return "t" + std::to_string(number); }

// 20 connections: 5 for the system, 2 kept free, 13 for tenants.
constexpr int kBudget = 13;

// Each tenant is asked for one connection, one after the other.
void use_in_turn(SimTenants& sim, int first, int last) {
  for (int i = first; i <= last; ++i) {
    SimTenants::Call& call = sim.call(id_of(i), 5s, 1ms);
    sim.scheduler.run_for(50ms);
    EXPECT_TRUE(call.is_served()) << (call.error ? call.error->text() : "still waiting");
  }
}

TEST(TenantPoolsTest, AWarmTenantUsesItsConnectionAgain) {
  SimTenants sim(tenant_options(20, 3));
  use_in_turn(sim, 1, 1);

  use_in_turn(sim, 1, 1);

  EXPECT_EQ(sim.server.steps["connect"], 1);
  EXPECT_EQ(sim.databases.connectors.size(), 1u);
  EXPECT_EQ(sim.calls.back().waited(), 0s);
  EXPECT_EQ(sim.statistics("t1").served, 2u);
}

TEST(TenantPoolsTest, TheLeastRecentlyUsedIdlePoolMakesRoom) {
  SimTenants sim(tenant_options(20, 3));
  use_in_turn(sim, 1, kBudget);
  use_in_turn(sim, 1, 1);  // so that t2 is the least recent one

  use_in_turn(sim, kBudget + 1, kBudget + 3);

  EXPECT_THAT(sim.evicted, ElementsAre("t2", "t3", "t4"));
  EXPECT_EQ(sim.server.most_sessions, kBudget);
  EXPECT_EQ(sim.statistics("t2").evictions, 1u);
  EXPECT_FALSE(sim.statistics("t2").is_warm);
  EXPECT_EQ(sim.statistics("t2").served, 1u);
}

TEST(TenantPoolsTest, AHundredTenantsInTurnNeverExceedTheBudget) {
  SimTenants sim(tenant_options(20, 3));

  use_in_turn(sim, 1, 100);

  EXPECT_EQ(sim.evicted.size(), 100u - kBudget);
  for (std::size_t i = 0; i < sim.evicted.size(); ++i)
    EXPECT_EQ(sim.evicted[i], id_of(static_cast<int>(i) + 1));
  EXPECT_EQ(sim.server.most_sessions, kBudget);
  EXPECT_EQ(sim.tenants->totals().known, 100);
}

TEST(TenantPoolsTest, WhoIsInUseIsNotEvicted) {
  SimTenants sim(tenant_options(20, 3));
  sim.call("busy", 1s, 10s);
  sim.scheduler.run_for(50ms);

  use_in_turn(sim, 1, 30);

  EXPECT_EQ(std::ranges::count(sim.evicted, "busy"), 0);
  EXPECT_TRUE(sim.statistics("busy").is_warm);
}

TEST(TenantPoolsTest, ATenantNeverHasMoreThanItsCap) {
  SimTenants sim(tenant_options(20, 3));
  for (int i = 0; i < 10; ++i) sim.call("a", 10s, 100ms);

  int most = 0;
  for (int i = 0; i < 100; ++i) {
    sim.scheduler.run_for(10ms);
    most = std::max(most, sim.statistics("a").open);
  }

  EXPECT_EQ(most, 3);
  EXPECT_EQ(sim.statistics("a").served, 10u);
}

TEST(TenantPoolsTest, WithoutRoomACallerGivesUpWithTheNumbers) {
  SimTenants sim(tenant_options(20, 1));
  for (int i = 1; i <= kBudget; ++i) sim.call(id_of(i), 1s, 60s);
  sim.scheduler.run_for(1s);

  const SimTenants::Call& late = sim.call("late", 2s, 0s);
  sim.scheduler.run_for(3s);

  ASSERT_TRUE(late.error.has_value());
  EXPECT_EQ(late.waited(), 2s);
  EXPECT_EQ(late.error->code(), Errc::limit_reached);
  ASSERT_NE(late.error->connection_limit(), nullptr);
  EXPECT_EQ(late.error->connection_limit()->in_use, kBudget);
  EXPECT_EQ(late.error->connection_limit()->max, kBudget);
  EXPECT_EQ(late.error->connection_limit()->tenant, "late");
  EXPECT_EQ(late.error->connection_limit()->retry_after, 2s);
  EXPECT_THAT(late.error->text(),
              HasSubstr("connection limit reached: 13/13 connections in use, cannot serve tenant "
                        "late within 2s; 14 tenants are in use, 1 wait for room; 20 allowed in "
                        "all, of which 5 are for the system and 2 are kept free"));
}

TEST(TenantPoolsTest, ATenantWhoseOwnConnectionsAreAllLentTimesOut) {
  SimTenants sim(tenant_options(20, 1));
  sim.call("a", 1s, 60s);
  const SimTenants::Call& second = sim.call("a", 1s, 0s);

  sim.scheduler.run_for(2s);

  ASSERT_TRUE(second.error.has_value());
  EXPECT_EQ(second.error->code(), Errc::timed_out);
  EXPECT_THAT(second.error->text(), HasSubstr("tenant a: no connection within 1s; max 1: lent 1"));
}

TEST(TenantPoolsTest, AMissingDatabaseKeepsItsOwnError) {
  SimTenants sim(tenant_options(20, 3));
  sim.databases.missing = {"app_ws_gone"};

  const SimTenants::Call& call = sim.call("gone", 1s, 0s);
  sim.scheduler.run_for(2s);

  ASSERT_TRUE(call.error.has_value());
  EXPECT_EQ(call.error->code(), Errc::refused);
  EXPECT_EQ(call.error->connection_limit(), nullptr);
  EXPECT_THAT(call.error->text(), HasSubstr("database \"app_ws_gone\" does not exist"));
}

TEST(TenantPoolsTest, AHostileIdIsRefusedBeforeAnythingHappens) {
  SimTenants sim(tenant_options(20, 3));

  const SimTenants::Call& call = sim.call("x\"; DROP DATABASE postgres; --", 1s, 0s);
  sim.scheduler.run_for(1ms);

  ASSERT_TRUE(call.error.has_value());
  EXPECT_EQ(call.error->code(), Errc::invalid);
  EXPECT_TRUE(sim.databases.connectors.empty());
  EXPECT_EQ(sim.tenants->totals().known, 0);
}

// Somebody who holds a connection of a pool that is closed keeps it, and the pool, until then.
TEST(TenantPoolsTest, ClosingATenantWaitsForWhatIsLent) {
  SimTenants sim(tenant_options(20, 3));
  sim.call("a", 1s, 5s);
  sim.scheduler.run_for(100ms);

  EXPECT_FALSE(sim.close_tenant("a", 1s));
  EXPECT_EQ(sim.server.sessions, 1);
  EXPECT_TRUE(sim.close_tenant("a", 10s));

  EXPECT_EQ(sim.server.sessions, 0);
  EXPECT_TRUE(sim.call("a", 1s, 0s).error == std::nullopt);
  sim.scheduler.run_for(100ms);
  EXPECT_TRUE(sim.calls.back().is_served());
}

// What was lent before a pool had to go is counted until it comes back, and nothing counted is
// lost.
TEST(TenantPoolsTest, PoolsOnTheirWayOutStayInTheNumbers) {
  SimTenants sim(tenant_options(20, 3));
  use_in_turn(sim, 1, 1);
  for (int round = 0; round < 2; ++round) {
    sim.call("t1", 1s, 60s);
    sim.scheduler.run_for(100ms);
    EXPECT_FALSE(sim.close_tenant("t1", 1s));
  }

  EXPECT_EQ(sim.statistics("t1").lent, 2);
  EXPECT_EQ(sim.statistics("t1").served, 3u);
  EXPECT_FALSE(sim.statistics("t1").is_warm);
  EXPECT_EQ(sim.tenants->all_statistics().size(), 1u);
  sim.scheduler.run_for(60s);
  EXPECT_EQ(sim.statistics("t1").lent, 0);
  EXPECT_EQ(sim.statistics("t1").served, 3u);
}

// While resets are slow, what is on its way out counts as room: no second pool has to go for it.
TEST(TenantPoolsTest, AnEvictionThatTakesItsTimeIsNotRepeated) {
  SimTenants sim(tenant_options(20, 1));
  sim.server.needs_reset = true;
  sim.server.reset_time = 4s;
  use_in_turn(sim, 1, kBudget);

  sim.call("late", 60s, 0s);
  sim.scheduler.run_for(3s);

  EXPECT_EQ(sim.evicted.size(), 1u);
}

TEST(TenantPoolsTest, AnOldConnectFailureDoesNotHideTheLimit) {
  SimTenants sim(tenant_options(20, 1));
  sim.databases.missing = {"app_ws_late"};
  sim.call("late", 1s, 0s);
  sim.scheduler.run_for(2s);
  sim.databases.missing.clear();
  for (int i = 1; i <= kBudget; ++i) sim.call(id_of(i), 1s, 60s);
  sim.scheduler.run_for(1s);

  const SimTenants::Call& late = sim.call("late", 10s, 0s);
  sim.scheduler.run_for(11s);

  ASSERT_TRUE(late.error.has_value());
  EXPECT_NE(late.error->connection_limit(), nullptr) << late.error->text();
  EXPECT_THAT(late.error->text(), HasSubstr("does not exist"));
}

TEST(TenantPoolsTest, ClosingEndsEverybodyWhoWaits) {
  SimTenants sim(tenant_options(20, 1));
  sim.call("a", 1s, 5s);
  sim.scheduler.run_for(100ms);
  const SimTenants::Call& waiting = sim.call("a", 60s, 0s);
  sim.scheduler.run_for(10ms);

  EXPECT_FALSE(sim.close(1s));
  EXPECT_TRUE(waiting.error && waiting.error->code() == Errc::closed);
  const SimTenants::Call& late = sim.call("b", 60s, 0s);
  sim.scheduler.run_for(0s);
  EXPECT_TRUE(late.error && late.error->code() == Errc::closed);
  EXPECT_TRUE(sim.close(10s));
}

TEST(TenantPoolsTest, WhatIsRememberedOfTenantsIsBounded) {
  TenantOptions options = tenant_options(20, 1);
  options.max_known_tenants = 20;
  SimTenants sim(options);

  use_in_turn(sim, 1, 60);

  EXPECT_LE(sim.tenants->totals().known, 20);
  EXPECT_FALSE(sim.tenants->statistics("t1").has_value());
  EXPECT_EQ(sim.tenants->totals().counters.acquired, 60u);
  EXPECT_EQ(sim.tenants->all_statistics().size(), 20u);
}

// Few are forgotten at a time, so that no caller pays for all of them.
TEST(TenantPoolsTest, MoreThanAreRememberedAreForgottenLittleByLittle) {
  TenantOptions options = tenant_options(20, 1);
  options.max_known_tenants = 5;
  SimTenants sim(options);
  for (int i = 0; i < 15; ++i) sim.call("old" + std::to_string(i), 1s, 1s);
  sim.scheduler.run_for(2s);
  ASSERT_EQ(sim.tenants->totals().known, 15) << "all of them were in use";
  for (int i = 0; i < 15; ++i) ASSERT_TRUE(sim.close_tenant("old" + std::to_string(i), 1s));

  std::vector<int> known;
  for (int i = 0; i < 5; ++i) {
    sim.call("new" + std::to_string(i), 1s, 0s);
    sim.scheduler.run_for(100ms);
    known.push_back(sim.tenants->totals().known);
  }

  EXPECT_THAT(known, testing::ElementsAre(12, 9, 6, 5, 5));
}

// Their connections have gone for being idle, and nobody needs the room.
TEST(TenantPoolsTest, PoolsWithoutConnectionsDoNotPileUp) {
  TenantOptions options = tenant_options(20, 1);
  options.pool.idle_timeout = 20ms;
  SimTenants sim(options);

  for (int i = 1; i <= 200; ++i) {
    use_in_turn(sim, i, i);
    sim.scheduler.run_for(1s);
  }

  EXPECT_TRUE(sim.evicted.empty());
  EXPECT_LE(sim.tenants->totals().pools, 2 * kBudget + 17);
  EXPECT_EQ(sim.tenants->totals().counters.opened, 200u);
}

TEST(TenantPoolsTest, AllTenantsShareOneRate) {
  TenantOptions options = tenant_options(100, 3);
  options.pool.connect_rate = 10;
  SimTenants sim(options);
  for (int i = 1; i <= 30; ++i) sim.call(id_of(i), 10s, 0s);

  sim.scheduler.run_for(1s);

  EXPECT_NEAR(sim.server.steps["connect"], 11, 1);
}

TEST(TenantPoolsTest, AReservoirIsReadyForTheNextCallers) {
  TenantOptions options = tenant_options(20, 3);
  options.pool.supply = Supply::reservoir;
  options.pool.size.target_ready = 2;
  SimTenants sim(options);

  sim.call("a", 1s, 10s);
  sim.scheduler.run_for(1s);

  EXPECT_EQ(sim.statistics("a").open, 3);
}

// Who wants to be ready takes from those that were used less recently, and from nobody else.
TEST(TenantPoolsTest, ReservoirsComeToRest) {
  TenantOptions options = tenant_options(20, 3);
  options.pool.supply = Supply::reservoir;
  SimTenants sim(options);

  use_in_turn(sim, 1, 20);
  sim.scheduler.run_for(10s);
  const std::uint64_t opened = sim.tenants->totals().counters.opened;
  sim.scheduler.run_for(10s);

  EXPECT_EQ(sim.tenants->totals().counters.opened, opened);
  EXPECT_GE(sim.tenants->totals().in_use, kBudget - 2);
  EXPECT_EQ(sim.statistics("t20").open, 3);
}

}  // namespace
}  // namespace forebay::test
