// Tenants opened as a configuration says.
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "integration/pool_fixture.hpp"

namespace forebay::test {
namespace {

using testing::HasSubstr;

class ConfiguredTenantsTest : public PoolFixture {
 protected:
  void SetUp() override {
    launch({});
    ASSERT_TRUE(ask("CREATE DATABASE shop_of_a_b OWNER app").has_value());
  }
  Result<Configuration> read(const std::string& text) {
    const std::string path = testing::TempDir() + "configured_tenants.yaml";
    std::ofstream(path) << text;
    return read_configuration_blocking(runtime, path);
  }
};

TEST_F(ConfiguredTenantsTest, OpensWhatTheFileSays) {
  const Result<Configuration> configuration =
      read(fmt::format("database: {{url: \"{}\"}}\n"
                       "tenants:\n"
                       "  max_connections: 30\n"
                       "  max_per_tenant: 2\n"
                       "  system_connections: 3\n"
                       "  kept_free: 0\n"
                       "  prefix: shop\n"
                       "  database: \"{{prefix}}_of_{{exact_id}}\"\n"
                       "  busiest_in_metrics: 4\n"
                       "startup: {{staggered: false}}\n",
                       server->url("app", "postgres")));
  ASSERT_TRUE(configuration.has_value()) << configuration.error().text();

  auto databases = ConfiguredTenants::open(runtime, *configuration);

  ASSERT_TRUE(databases.has_value()) << databases.error().text();
  EXPECT_EQ((*databases)->cluster(), nullptr);
  postgres::PostgresTenants& tenants = (*databases)->tenants();
  const TenancyStatistics now = tenants.statistics();
  EXPECT_EQ(now.system.max, 3);
  EXPECT_EQ(now.tenants.max, 27);
  EXPECT_EQ(now.max_per_tenant, 2);
  EXPECT_EQ(tenants.options().busiest_in_metrics, 4);
  auto session = tenants.acquire_blocking("a_b", 30s);
  ASSERT_TRUE(session.has_value()) << session.error().text();
  const auto seen = (*session)->query_one_blocking<std::string>("SELECT current_database()", 30s);
  ASSERT_TRUE(seen.has_value()) << seen.error().text();
  EXPECT_EQ(*seen, "shop_of_a_b");
}

TEST_F(ConfiguredTenantsTest, WhatAFileCannotSayIsSetInCode) {
  Configuration configuration;
  configuration.database.url = server->url("app", "postgres");
  configuration.start_delay = 0s;
  configuration.tenants.database_of = [](std::string_view) { return std::string("shop_of_a_b"); };

  auto databases = ConfiguredTenants::open(runtime, configuration);

  ASSERT_TRUE(databases.has_value()) << databases.error().text();
  EXPECT_TRUE((*databases)->tenants().acquire_blocking("7", 30s).has_value());
}

TEST_F(ConfiguredTenantsTest, WhatCannotWorkIsRefusedBeforeAnythingStarts) {
  Configuration configuration;
  configuration.database.url = "postgresql://u:hunter2@h:port/x";
  const auto without_port = ConfiguredTenants::open(runtime, configuration);
  ASSERT_FALSE(without_port.has_value());
  EXPECT_EQ(without_port.error().code(), Errc::invalid);

  configuration.database.url = server->url("app", "postgres");
  configuration.start_delay = 1h;
  configuration.tenants.database = "everybody";
  configuration.tenants.max_per_tenant = 0;
  const auto without_id = ConfiguredTenants::open(runtime, configuration);
  ASSERT_FALSE(without_id.has_value());
  EXPECT_THAT(without_id.error().text(), HasSubstr("tenants.database is \"everybody\""));
  EXPECT_THAT(without_id.error().text(), HasSubstr("tenants.max_per_tenant is 0"));

  configuration = Configuration();
  configuration.database.host = "abc.dsql.eu-west-1.on.aws";
  const auto on_dsql = ConfiguredTenants::open(runtime, configuration);
  ASSERT_FALSE(on_dsql.has_value());
  EXPECT_THAT(on_dsql.error().text(), HasSubstr("tenants need PostgreSQL"));
}

}  // namespace
}  // namespace forebay::test
