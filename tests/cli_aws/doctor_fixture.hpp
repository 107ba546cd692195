// What tests of "forebay doctor" share: a real PostgreSQL with a role that has a password, the
// stand-in's DynamoDB, and the variables of a service that uses both.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli_aws/aws_program.hpp"
#include "forebay/aws/json.hpp"
#include "forebay/embedded/postgres_server.hpp"
#include "forebay/postgres/postgres_pool.hpp"
#include "support/standin_dynamodb.hpp"

namespace forebay::cli {

constexpr const char* kDatabasePassword = "hunter2DatabasePassword";

class DoctorTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    embedded::PostgresServerOptions options;
    options.authentication = "scram-sha-256";
    auto launched = embedded::PostgresServer::launch(options);
    ASSERT_TRUE(launched.has_value()) << launched.error().text();
    server = std::move(*launched);
    ask(std::string("CREATE ROLE app LOGIN PASSWORD '") + kDatabasePassword + "'");
  }
  static void TearDownTestSuite() { server.reset(); }

  // As the superuser; the first value of the first row.
  static std::string ask(const std::string& sql) {
    Runtime runtime;
    auto pool = postgres::PostgresPool::open(runtime, server->superuser_url(), PoolOptions());
    EXPECT_TRUE(pool.has_value()) << pool.error().text();
    auto session = (*pool)->acquire_blocking(StandinDynamoWorld::kPatience);
    EXPECT_TRUE(session.has_value()) << session.error().text();
    const auto result = (*session)->exec_blocking(sql, StandinDynamoWorld::kPatience);
    EXPECT_TRUE(result.has_value()) << result.error().text();
    return result && result->rows() > 0 ? std::string(result->value(0, 0).value_or("")) : "";
  }

  // A service with a reservoir of 10 connections.
  static Words database_variables() {
    return {"DB_HOST=127.0.0.1",
            "DB_PORT=" + std::to_string(server->port()),
            "DB_USER=app",
            std::string("DB_PASSWORD=") + kDatabasePassword,
            "DB_NAME=postgres",
            "FOREBAY_POOL_MAX=10",
            "DSQL_RESERVOIR_ENABLED=true"};
  }
  // The same with leases in the table.
  Words sharing_variables(const std::string& table) const {
    Words all = variables(world.server.url());
    for (const std::string& variable : database_variables()) all.push_back(variable);
    for (const char* const variable :
         {"DSQL_DISTRIBUTED_CONN_LEASE_ENABLED=true", "DSQL_DISTRIBUTED_CONN_LIMIT=50",
          "FOREBAY_CLUSTER_REGION=us-east-1", "FOREBAY_CLUSTER_REQUEST_TIMEOUT=30s"})
      all.emplace_back(variable);
    all.push_back("DSQL_DISTRIBUTED_CONN_LEASE_TABLE=" + table);
    return all;
  }
  // A table as "forebay leases setup" makes it.
  std::string table_that_is_set_up() {
    const std::string name = world.server.fresh_table_name();
    const Ending made = run_forebay({"leases", "setup", "--table", name, "--region", "us-east-1"},
                                    variables(world.server.url()));
    EXPECT_EQ(made.code, 0) << made.err;
    return name;
  }

  static Ending doctor(const Words& settings, const Words& more = {}) {
    Words words{"doctor", "--timeout", "20s"};
    words.insert(words.end(), more.begin(), more.end());
    Ending ending = run_forebay(words, settings);
    EXPECT_THAT(ending.out, testing::Not(testing::HasSubstr("hunter2")));
    return ending;
  }
  static Words with(Words settings, const std::string& variable) {
    const std::string name = variable.substr(0, variable.find('=') + 1);
    std::erase_if(settings, [&](const std::string& each) { return each.starts_with(name); });
    settings.push_back(variable);
    return settings;
  }

  using StandinDynamoWorld = test::StandinDynamoWorld;
  inline static std::unique_ptr<embedded::PostgresServer> server;
  StandinDynamoWorld world;
};

}  // namespace forebay::cli
