// What the server refuses for good is told at once, in its words, and not asked for again and
// again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sim_tenants.hpp"

namespace forebay::test {
namespace {

using testing::HasSubstr;

class TenantRefusalTest : public testing::Test {
 protected:
  TenantRefusalTest() { sim_.databases.missing = {"app_ws_gone"}; }

  SimTenants sim_{tenant_options(20, 3)};
};

TEST_F(TenantRefusalTest, AMissingDatabaseIsToldAtOnceToAllWhoWait) {
  for (int i = 0; i < 5; ++i) sim_.call("gone", 30s, 0s);

  sim_.scheduler.run_for(100ms);

  for (const SimTenants::Call& call : sim_.calls) {
    ASSERT_TRUE(call.error.has_value());
    EXPECT_EQ(call.error->code(), Errc::refused);
    EXPECT_EQ(call.error->sqlstate(), "3D000");
    EXPECT_THAT(call.error->text(),
                HasSubstr("tenant gone: database \"app_ws_gone\" does not exist"));
    EXPECT_LT(call.waited(), 10ms);
  }
  EXPECT_EQ(sim_.tenants->totals().in_use, 0) << "it holds no room";
}

TEST_F(TenantRefusalTest, WhoComesNextHearsTheSameWithoutAConnect) {
  sim_.call("gone", 30s, 0s);
  sim_.scheduler.run_for(10ms);
  const std::size_t asked = sim_.databases.connectors.size();

  for (int i = 0; i < 100; ++i) sim_.call("gone", 30s, 0s);
  sim_.scheduler.run_for(1ms);

  EXPECT_EQ(sim_.databases.connectors.size(), asked);
  EXPECT_EQ(sim_.calls.back().error->code(), Errc::refused);
  EXPECT_EQ(sim_.calls.back().waited(), 0s);
  EXPECT_THAT(sim_.calls.back().error->text(), HasSubstr("the server is asked again in "));
}

// Every 10 ms for a minute: pauses of 0.25 s, doubling to 5 s.
TEST_F(TenantRefusalTest, TheServerIsAskedRarely) {
  for (int i = 0; i < 6000; ++i) {
    sim_.call("gone", 1s, 0s);
    sim_.scheduler.run_for(10ms);
  }

  EXPECT_GE(sim_.databases.connectors.size(), 15u);
  EXPECT_LE(sim_.databases.connectors.size(), 22u);
}

TEST_F(TenantRefusalTest, ADatabaseThatIsThereLaterIsFound) {
  sim_.call("gone", 30s, 0s);
  sim_.scheduler.run_for(10ms);
  sim_.databases.missing.clear();
  sim_.scheduler.run_for(250ms);

  const SimTenants::Call& late = sim_.call("gone", 1s, 0s);
  sim_.scheduler.run_for(1s);

  EXPECT_TRUE(late.is_served()) << late.error->text();
}

// Its maker need not wait for the pause.
TEST_F(TenantRefusalTest, ATenantThatWasClosedIsAskedForAtOnce) {
  sim_.call("gone", 30s, 0s);
  sim_.scheduler.run_for(10ms);
  sim_.databases.missing.clear();
  ASSERT_TRUE(sim_.close_tenant("gone", 1s));

  const SimTenants::Call& next = sim_.call("gone", 1s, 0s);
  sim_.scheduler.run_for(10ms);

  EXPECT_TRUE(next.is_served());
}

TEST_F(TenantRefusalTest, OthersNoticeNothing) {
  for (int i = 0; i < 50; ++i) {
    sim_.call("gone", 1s, 0s);
    const SimTenants::Call& other = sim_.call("there", 1s, 1ms);
    sim_.scheduler.run_for(20ms);
    EXPECT_TRUE(other.is_served());
  }
}

// It was dropped, or the role may no longer connect: what is open is open.
TEST_F(TenantRefusalTest, WhoHasConnectionsGoesOnWithThem) {
  sim_.call("a", 1s, 500ms);
  sim_.scheduler.run_for(100ms);
  sim_.databases.missing.insert("app_ws_a");

  const SimTenants::Call& second = sim_.call("a", 2s, 0s);
  sim_.scheduler.run_for(2s);

  EXPECT_TRUE(second.is_served()) << second.error->text();
  EXPECT_EQ(sim_.statistics("a").opened, 1u);
}

TEST_F(TenantRefusalTest, WhatMayLockAnAccountIsAskedLater) {
  sim_.databases.missing.clear();
  sim_.databases.refusals.emplace("app_ws_a", Error(Errc::refused, ErrorClass::permanent,
                                                    "password authentication failed", "28P01"));

  for (int i = 0; i < 1000; ++i) {
    sim_.call("a", 1s, 0s);
    sim_.scheduler.run_for(10ms);
  }

  EXPECT_EQ(sim_.databases.connectors.size(), 1u) << "within ten seconds";
  EXPECT_THAT(sim_.calls.back().error->text(), HasSubstr("password authentication failed"));
}

TEST(TenantMakingTest, ADatabaseThatMayNotBeMadeIsToldAtOnce) {
  TenantOptions options = tenant_options(20, 3);
  options.creates_missing_databases = true;
  SimTenants sim(options);
  sim.databases.missing = {"app_ws_new"};
  sim.databases.refusal =
      Error(Errc::refused, ErrorClass::permanent, "permission denied to create database", "42501");

  const SimTenants::Call& call = sim.call("new", 30s, 0s);
  sim.scheduler.run_for(100ms);

  ASSERT_TRUE(call.error.has_value());
  EXPECT_EQ(call.error->code(), Errc::refused);
  EXPECT_THAT(call.error->text(), HasSubstr("permission denied to create database"));
}

}  // namespace
}  // namespace forebay::test
