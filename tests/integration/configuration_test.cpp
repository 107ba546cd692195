// A pool opened as a configuration says.
#include "integration/pool_fixture.hpp"

namespace forebay::test {
namespace {

class ConfiguredPoolTest : public PoolFixture {
 protected:
  void SetUp() override { launch({}); }
};

TEST_F(ConfiguredPoolTest, OpensWhatTheConfigurationSays) {
  Configuration configuration;
  configuration.database.url = server->superuser_url();
  configuration.database.user = "app";
  configuration.pool.name = "configured";
  configuration.pool.size.max = 3;
  configuration.pool.supply = Supply::reservoir;
  configuration.start_delay = 1h;  // of a cluster, and there is none

  auto database = ConfiguredPool::open(runtime, configuration);

  ASSERT_TRUE(database.has_value()) << database.error().text();
  EXPECT_TRUE((*database)->pool().is_filled());
  EXPECT_EQ((*database)->cluster(), nullptr);
  auto session = (*database)->pool().acquire_blocking(30s);
  ASSERT_TRUE(session.has_value()) << session.error().text();
  const auto who = (*session)->exec_blocking("SELECT current_user", 30s);
  ASSERT_TRUE(who.has_value()) << who.error().text();
  EXPECT_EQ(who->value(0, 0), "app");
}

TEST_F(ConfiguredPoolTest, WhatCannotWorkIsRefusedBeforeAnythingStarts) {
  Configuration configuration;
  configuration.database.url = "postgresql://u:hunter2@h:port/x";
  const auto without_port = ConfiguredPool::open(runtime, configuration);
  ASSERT_FALSE(without_port.has_value());
  EXPECT_EQ(without_port.error().code(), Errc::invalid);

  configuration.database.url = server->superuser_url();
  configuration.pool.size.max = 0;
  configuration.start_delay = 1h;
  const auto without_size = ConfiguredPool::open(runtime, configuration);
  ASSERT_FALSE(without_size.has_value());
  EXPECT_EQ(without_size.error().code(), Errc::invalid);

  const auto read = read_configuration_blocking(runtime, "/nowhere/service.yaml");
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code(), Errc::invalid);
}

TEST_F(ConfiguredPoolTest, ADsqlHostSetInCodeHasTokens) {
  Configuration configuration;
  configuration.database.host = "abc.dsql.eu-west-1.on.aws";
  configuration.start_delay = 0s;
  configuration.pool.initial_failure = InitialFailure::keep_trying;  // nobody is there
  configuration.pool.size.keep_open = 0;  // there is nothing that could be opened

  auto database = ConfiguredPool::open(runtime, configuration);

  ASSERT_TRUE(database.has_value()) << database.error().text();
  EXPECT_NE((*database)->cluster(), nullptr);
}

}  // namespace
}  // namespace forebay::test
