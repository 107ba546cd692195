// Missing databases are made once, however many ask.
#include "forebay/tenants/preparing_connector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sim_tenants.hpp"

namespace forebay::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class PreparingConnectorTest : public testing::Test {
 protected:
  static TenantOptions options() {
    TenantOptions options = tenant_options(20, 3);
    options.creates_missing_databases = true;
    return options;
  }
  SimTenants sim_{options()};
};

TEST_F(PreparingConnectorTest, AMissingDatabaseIsMadeOnceForAllWhoWait) {
  sim_.databases.missing = {"app_ws_new"};
  for (int i = 0; i < 10; ++i) sim_.call("new", 5s, 500ms);

  sim_.scheduler.run_for(5s);

  EXPECT_THAT(sim_.databases.made, ElementsAre("app_ws_new"));
  EXPECT_EQ(sim_.databases.questions, 1);
  for (const SimTenants::Call& call : sim_.calls) EXPECT_TRUE(call.is_served());
}

TEST_F(PreparingConnectorTest, WhatIsKnownOutlivesThePool) {
  sim_.call("a", 5s, 0s);
  sim_.scheduler.run_for(1s);
  ASSERT_TRUE(sim_.close_tenant("a", 1s));

  sim_.call("a", 5s, 0s);
  sim_.scheduler.run_for(1s);

  EXPECT_EQ(sim_.databases.questions, 1);
  EXPECT_EQ(sim_.databases.connectors.size(), 2u);
}

TEST_F(PreparingConnectorTest, ADatabaseThatWasDroppedIsMadeAgain) {
  sim_.call("a", 5s, 0s);
  sim_.scheduler.run_for(1s);
  ASSERT_TRUE(sim_.close_tenant("a", 1s));
  sim_.databases.missing = {"app_ws_a"};

  const SimTenants::Call& call = sim_.call("a", 5s, 0s);
  sim_.scheduler.run_for(5s);

  EXPECT_TRUE(call.is_served());
  EXPECT_THAT(sim_.databases.made, ElementsAre("app_ws_a"));
}

TEST_F(PreparingConnectorTest, AFailureIsToldAndTriedAgain) {
  sim_.databases.missing = {"app_ws_a"};
  sim_.server.fails = [](const std::string& step, int number) {
    return step == "make" && number < 3;
  };

  const SimTenants::Call& early = sim_.call("a", 100ms, 0s);
  const SimTenants::Call& patient = sim_.call("a", 10s, 0s);
  sim_.scheduler.run_for(10s);

  ASSERT_TRUE(early.error.has_value());
  EXPECT_THAT(early.error->text(), HasSubstr("the system is away"));
  EXPECT_TRUE(patient.is_served());
}

// The question goes on without the one who asked.
TEST_F(PreparingConnectorTest, ClosingDoesNotWaitForADatabaseInTheMaking) {
  sim_.databases.make_time = 1h;
  sim_.call("a", 10s, 0s);
  sim_.scheduler.run_for(1s);

  EXPECT_TRUE(sim_.close_tenant("a", 1s));

  sim_.scheduler.run_for(2h);
}

}  // namespace
}  // namespace forebay::test
