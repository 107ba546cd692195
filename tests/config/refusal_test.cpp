// What is put right with a warning, and what is refused, with everything told at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/reading.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;
using test::accepted;
using test::effective;
using test::read_texts;
using test::Variables;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST(AdjustmentTest, WhatOlderServicesPutRightInSilenceIsPutRightWithAWarning) {
  const Configuration read = accepted({{"DSQL_RESERVOIR_ENABLED", "true"},
                                       {"FOREBAY_POOL_MAX", "50"},
                                       {"DSQL_RESERVOIR_TARGET_READY", "10"},
                                       {"DSQL_RESERVOIR_LOW_WATERMARK", "30"},
                                       {"DSQL_RESERVOIR_BASE_LIFETIME", "0s"},
                                       {"DSQL_RESERVOIR_LIFETIME_JITTER", "-1m"},
                                       {"DSQL_RESERVOIR_GUARD_WINDOW", "-5s"}});

  EXPECT_EQ(read.pool.size.target_ready, 30);
  EXPECT_EQ(read.pool.lifetime, 11min);
  EXPECT_EQ(read.pool.lifetime_jitter, 0s);
  EXPECT_EQ(read.pool.guard_window, 0s);
  EXPECT_THAT(
      read.warnings,
      ElementsAre(
          "DSQL_RESERVOIR_TARGET_READY is 10: it must not be below "
          "reservoir.low_watermark, 30; 30 is used",
          "DSQL_RESERVOIR_BASE_LIFETIME is 0s: a life is longer than zero; 11m is used",
          "DSQL_RESERVOIR_LIFETIME_JITTER is -1m: a jitter is zero or more; 0s is used",
          "DSQL_RESERVOIR_GUARD_WINDOW is -5s: a guard window is zero or more; 0s is used"));
  EXPECT_EQ(effective(read, "reservoir.target_ready").source,
            "DSQL_RESERVOIR_TARGET_READY, adjusted");
}

TEST(AdjustmentTest, ASwitchThatIsNeitherTrueNorFalseIsFalse) {
  const Configuration read = accepted({{"DSQL_RESERVOIR_ENABLED", "ture"}});

  EXPECT_EQ(read.pool.supply, Supply::standard);
  EXPECT_THAT(read.warnings, ElementsAre("DSQL_RESERVOIR_ENABLED: \"ture\" is neither true nor "
                                         "false; it counts as false"));
  EXPECT_THAT(read_texts({}, "reservoir: {enabled: ture}").problems,
              ElementsAre("app.yaml:1: reservoir.enabled: \"ture\" is neither true nor false"));
}

TEST(AdjustmentTest, UnknownVariablesOfOursAreWarnedOf) {
  const Configuration read = accepted({{"DSQL_RESERVOIR_TARGETREADY", "10"},
                                       {"FOREBAY_SOMETHING_ELSE", "1"},
                                       {"DB_UNKNOWN", "1"},
                                       {"PATH", "/bin"}});

  EXPECT_THAT(read.warnings, ElementsAre("DSQL_RESERVOIR_TARGETREADY is unknown and has no effect; "
                                         "did you mean DSQL_RESERVOIR_TARGET_READY?",
                                         "FOREBAY_SOMETHING_ELSE is unknown and has no effect"));
}

TEST(AdjustmentTest, WhatHasNoEffectIsWarnedOf) {
  const Configuration read = accepted({{"DSQL_DISTRIBUTED_CONN_LEASE_TABLE", "leases"}});

  EXPECT_THAT(read.warnings,
              ElementsAre("DSQL_DISTRIBUTED_CONN_LEASE_TABLE has no effect: leases.enabled "
                          "(DSQL_DISTRIBUTED_CONN_LEASE_ENABLED) is false"));
  EXPECT_FALSE(read.cluster.has_value());

  const std::vector<std::pair<Variables, std::string>> others = {
      {{{"FOREBAY_LEASES_TTL", "1m"}}, "FOREBAY_LEASES_TTL has no effect"},
      {{{"FOREBAY_LEASES_ON_LOSS", "fence"}}, "FOREBAY_LEASES_ON_LOSS has no effect"},
      {{{"FOREBAY_RATE_BURST", "7"}}, "FOREBAY_RATE_BURST has no effect"},
      {{{"FOREBAY_RATE_MODE", "window"}}, "FOREBAY_RATE_MODE has no effect"},
      {{{"DSQL_RESERVOIR_ENABLED", "true"}, {"DB_CONNECTION_MAX_LIFETIME", "5m"}},
       "DB_CONNECTION_MAX_LIFETIME has no effect: reservoir.enabled (DSQL_RESERVOIR_ENABLED) is "
       "true"},
      {{{"DSQL_RESERVOIR_ENABLED", "true"}, {"FOREBAY_POOL_MIN_IDLE", "3"}},
       "FOREBAY_POOL_MIN_IDLE has no effect"},
      {{{"DSQL_RESERVOIR_ENABLED", "true"}, {"FOREBAY_POOL_KEEP_OPEN", "3"}},
       "FOREBAY_POOL_KEEP_OPEN has no effect"},
      {{{"DSQL_STAGGERED_STARTUP", "no"}, {"DSQL_STAGGERED_STARTUP_MAX_DELAY", "9s"}},
       "DSQL_STAGGERED_STARTUP_MAX_DELAY has no effect: startup.staggered"},
      {{{"DB_HOST", "abc.dsql.eu-west-1.on.aws"},
        {"DB_PASSWORD", "hunter2"},
        {"FOREBAY_DATABASE_AUTHENTICATION", "iam"}},
       "DB_PASSWORD has no effect: database.authentication is iam"},
      {{{"FOREBAY_DATABASE_URL", "postgresql://u:hunter2@abc.dsql.eu-west-1.on.aws/x"},
        {"FOREBAY_DATABASE_AUTHENTICATION", "iam"}},
       "FOREBAY_DATABASE_URL has a password with no effect: database.authentication is iam"},
  };
  for (const auto& [variables, told] : others)
    EXPECT_THAT(accepted(variables).warnings, ElementsAre(StartsWith(told))) << told;
}

TEST(AdjustmentTest, ALifeWithoutAnEndIsWarnedOfWhereTheServerEndsIt) {
  const Configuration read =
      accepted({{"DB_HOST", "abc.dsql.eu-west-1.on.aws"}, {"DB_CONNECTION_MAX_LIFETIME", "0"}});

  EXPECT_THAT(read.warnings, ElementsAre("DB_CONNECTION_MAX_LIFETIME is off: the server ends "
                                         "sessions after 1h, so lives end at 55m at the latest"));
}

TEST(AdjustmentTest, ALifeBeyondTheServersLimitIsWarnedOf) {
  const Configuration read =
      accepted({{"DB_HOST", "abc.dsql.eu-west-1.on.aws"}, {"DB_CONNECTION_MAX_LIFETIME", "2h"}});

  EXPECT_THAT(read.warnings, ElementsAre("DB_CONNECTION_MAX_LIFETIME is 2h: the server ends "
                                         "sessions after 1h, so lives end at 55m at the latest"));
}

struct SingleMistake {
  Variables variables;
  std::string told;
};

TEST(RefusalTest, SingleMistakesInVariables) {
  const std::vector<SingleMistake> mistakes = {
      {{{"DB_MAX_CONNECTIONS", "19"}}, "DB_MAX_CONNECTIONS is 19: it must be between 20"},
      {{{"DB_MAX_CONNECTIONS", "many"}}, "DB_MAX_CONNECTIONS: \"many\" is not a whole number"},
      {{{"DB_MAX_CONNECTIONS", "99999999999"}}, "DB_MAX_CONNECTIONS: 99999999999 is not between"},
      {{{"DB_MAX_CONNECTIONS_PER_DB", "0"}}, "DB_MAX_CONNECTIONS_PER_DB is 0: it must be between"},
      {{{"DB_MAX_CONNECTIONS_PER_DB", "101"}},
       "it must be between 1 and 80 (what all tenants share)"},
      {{{"DB_PORT", "70000"}}, "DB_PORT is 70000: it must be from 1 to 65535"},
      {{{"DB_SSLMODE", "on"}}, "DB_SSLMODE is \"on\": it must be one of disable, allow"},
      {{{"DB_PREFIX", "Robert'); --"}},
       "DB_PREFIX is \"Robert'); --\": it must be 1 to 31 letters"},
      {{{"FOREBAY_TENANTS_DATABASE", "{prefix}_{tenant}"}},
       "FOREBAY_TENANTS_DATABASE is \"{prefix}_{tenant}\": \"tenant\" means nothing: there are"},
      {{{"FOREBAY_TENANTS_SYSTEM_CONNECTIONS", "90"}},
       "FOREBAY_TENANTS_SYSTEM_CONNECTIONS is 90: it must be between 1 and 89 (of 100, 10 are "
       "kept"},
      {{{"DB_CONNECTION_MAX_LIFETIME", "600"}}, "\"600\" is not a time; write it with its unit"},
      {{{"DB_CONNECTION_MAX_IDLE_TIME", "-5s"}},
       "DB_CONNECTION_MAX_IDLE_TIME is -5s: it must be more than zero"},
      {{{"DSQL_STAGGERED_STARTUP", "perhaps"}},
       "DSQL_STAGGERED_STARTUP: \"perhaps\" is neither true nor false"},
      {{{"DSQL_CONNECTION_RATE_LIMIT", "-1"}}, "DSQL_CONNECTION_RATE_LIMIT is -1 a second"},
      {{{"DSQL_RESERVOIR_ENABLED", "true"}, {"DSQL_RESERVOIR_TARGET_READY", "101"}},
       "DSQL_RESERVOIR_TARGET_READY is 101: it must be between 1 and 10 "},
      {{{"DSQL_RESERVOIR_ENABLED", "true"}, {"DSQL_RESERVOIR_BASE_LIFETIME", "30s"}},
       "reservoir.guard_window (default) is 45s: it must be shorter than the shortest life"},
      {{{"DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "true"}, {"DB_HOST", "db"}},
       "leases.table (default) is not set: leases.enabled needs the name of a DynamoDB table"},
      {{{"DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED", "true"}, {"DB_HOST", "db"}},
       "rate.table (default) is not set: rate.enabled needs"},
      {{{"DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED", "true"},
        {"DSQL_DISTRIBUTED_RATE_LIMITER_TABLE", "rates"}},
       "database.host (default) is not set: limits are shared"},
      {{{"DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "true"},
        {"DSQL_DISTRIBUTED_CONN_LEASE_TABLE", "no spaces"},
        {"DB_HOST", "db"}},
       "DSQL_DISTRIBUTED_CONN_LEASE_TABLE is \"no spaces\": DynamoDB's tables have names"},
      {{{"DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "true"},
        {"DSQL_DISTRIBUTED_CONN_LEASE_TABLE", "leases"},
        {"DSQL_DISTRIBUTED_CONN_LIMIT", "0"},
        {"DB_HOST", "db"}},
       "DSQL_DISTRIBUTED_CONN_LIMIT is 0: it must be from 1 to 10,000,000"},
      {{{"FOREBAY_CLUSTER_ON_ABSENCE", "locale"}}, "\"locale\" is unknown; did you mean local?"},
      {{{"FOREBAY_POOL_MAX", "0"}}, "FOREBAY_POOL_MAX is 0: it must be from 1 to 1000000"},
      {{{"FOREBAY_POOL_MAX", "51"}, {"DB_MAX_CONNECTIONS", "50"}},
       "FOREBAY_POOL_MAX is 51: it must not be more than tenants.max_connections, 50"},
      {{{"FOREBAY_POOL_BACKOFF_FIRST", "1m"}},
       "FOREBAY_POOL_BACKOFF_FIRST is 1m: it must not be longer than pool.backoff_longest, 5s"},
      {{{"FOREBAY_POOL_BACKOFF_LONGEST", "1ms"}},
       "FOREBAY_POOL_BACKOFF_LONGEST is 1ms: it must not be shorter than pool.backoff_first, "
       "250ms"},
      {{{"FOREBAY_RETRY_FIRST_DELAY", "1m"}},
       "FOREBAY_RETRY_FIRST_DELAY is 1m: it must not be longer than retry.longest_delay, 5s"},
      {{{"DSQL_STAGGERED_STARTUP_MAX_DELAY", "-5s"}},
       "DSQL_STAGGERED_STARTUP_MAX_DELAY is -5s: it must be from 0s to 5m"},
      {{{"DSQL_STAGGERED_STARTUP_MAX_DELAY", "20000h"}}, "it must be from 0s to 5m"},
      {{{"DSQL_RESERVOIR_ENABLED", "true"}, {"DB_CONNECTION_MAX_LIFETIME", "-1s"}},
       "DB_CONNECTION_MAX_LIFETIME is -1s: it must be more than zero"},
      {{{"DB_CONNECTION_MAX_LIFETIME", "1m"}, {"DSQL_RESERVOIR_LIFETIME_JITTER", "2m"}},
       "DSQL_RESERVOIR_LIFETIME_JITTER is 2m: it must be shorter than pool.max_lifetime, 1m"},
      {{{"DB_HOST", "abc.dsql.eu-west-1.on.aws"},
        {"DSQL_RESERVOIR_ENABLED", "true"},
        {"DSQL_RESERVOIR_BASE_LIFETIME", "2h"},
        {"DSQL_RESERVOIR_GUARD_WINDOW", "56m"}},
       "DSQL_RESERVOIR_GUARD_WINDOW is 56m: it must be shorter than the shortest life"},
      {{{"FOREBAY_RETRY_MAX_RETRIES", "-1"}}, "FOREBAY_RETRY_MAX_RETRIES is -1: it must be from 0"},
      {{{"FOREBAY_RETRY_FIRST_DELAY", "0"}}, "FOREBAY_RETRY_FIRST_DELAY is 0s: it must be more"},
      {{{"FOREBAY_RETRY_LONGEST_DELAY", "1ms"}},
       "must not be shorter than retry.first_delay, 100ms"},
      {{{"FOREBAY_RETRY_JITTER_PERCENT", "101"}}, "FOREBAY_RETRY_JITTER_PERCENT is 101"},
  };
  for (const SingleMistake& mistake : mistakes) {
    EXPECT_THAT(read_texts(mistake.variables).problems, ElementsAre(HasSubstr(mistake.told)))
        << mistake.told;
  }
}

TEST(RefusalTest, SingleMistakesInFiles) {
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"databas: {host: x}", "app.yaml:1: databas: unknown key; did you mean database?"},
      {"pool:\n  maxIdleTime: 3m",
       "app.yaml:2: pool.maxIdleTime: unknown key; did you mean "
       "max_idle_time?"},
      {"pool:\n  max: 30\n  max: 40", "app.yaml:3: pool.max: given twice, first in line 2"},
      {"pool: 7",
       "app.yaml:1: pool: a text (not shown) stands where a group of keys like name is expected"},
      {"pool: {max: [1]}", "app.yaml:1: pool.max: a list stands where whole number is expected"},
      {"pool: {max:}", "app.yaml:1: pool.max: there is no value"},
      {"pool:\n\n  max: 0", "app.yaml:3: pool.max is 0: it must be from 1 to 1000000"},
      {"pool: {max: 5", "app.yaml:1: is not YAML"},
      {"tenants: {max_connections: 3}",
       "app.yaml:1: tenants.max_connections is 3: it must be between 20"},
  };
  for (const auto& [file, told] : mistakes)
    EXPECT_THAT(read_texts({}, file).problems, ElementsAre(StartsWith(told))) << file;
}

TEST(RefusalTest, FileEnvironmentAndRulesAreToldAtOnce) {
  const ConfigurationReading reading =
      read_texts({{"DB_PORT", "x"}, {"FOREBAY_RETRY_MAX_RETRIES", "-3"}},
                 "pool:\n  max: none\n  color: red\nretry: {first_delay: soon}\n");

  EXPECT_THAT(reading.problems,
              ElementsAre(StartsWith("app.yaml:2: pool.max: \"none\" is not a whole number"),
                          StartsWith("app.yaml:3: pool.color: unknown key"),
                          StartsWith("app.yaml:4: retry.first_delay: \"soon\" is not a time"),
                          StartsWith("DB_PORT: the value (not shown) stands where whole number"),
                          StartsWith("FOREBAY_RETRY_MAX_RETRIES is -3")));
}

TEST(RefusalTest, SecretsAreNeverTold) {
  const std::vector<Variables> environments = {
      {{"DB_PASSWORD", "hunter2"}},
      {{"FOREBAY_DATABASE_URL", "postgresql://u:hunter2@h:port/x"}},
      {{"FOREBAY_DATABASE_URL", "postgresql://u:hunt/er2@h/x"}},
      {{"DB_HOST", "postgresql://u:hunter2@h/x"}},
      {{"DB_NAME", "postgresql://u:hunter2@h/x"}},
      {{"DB_HOST", "app:hunter2@db.example"}},
      {{"DB_HOST", "db password=hunter2"}},
      {{"DB_NAME", "dbname=x password=hunter2"}},
      {{"DB_USER", "app Password = hunter2"}},
      {{"DB_PORT", "hunter2"}},
      {{"DB_SSLMODE", "hunter2"}},
      {{"FOREBAY_DATABASE_AUTHENTICATION", "hunter2"}},
      {{"FOREBAY_DATABASE_URL", "host=app:hunter2@db dbname=shop"}},
      {{"FOREBAY_CLUSTER_DYNAMODB_URL", "https://u:hunter2@ddb"}},
      {{"FOREBAY_CLUSTER_DYNAMODB_URL", "u:hunter2@ddb"}, {"DB_HOST", "x.dsql.eu-west-1.on.aws"}},
  };
  const std::vector<std::string> files = {
      "database: postgres://app:hunter2@db/shop",
      "postgres://app:hunter2@db/shop",
      "- postgres://app:hunter2@db/shop",
      "database: [postgres://app:hunter2@db/shop]",
      "database:\n  password:hunter2",
      "database: {host: db, password:hunter2}",
      "database: {host: db, password=hunter2: }",
      "database: {password: *hunter2}",
      "database: {port: hunter2}",
      "postgres://app:hunter2@db/shop: {host: db}",
  };
  std::vector<ConfigurationReading> readings;
  for (const Variables& variables : environments) readings.push_back(read_texts(variables));
  for (const std::string& file : files) {
    readings.push_back(read_texts({}, file));
    EXPECT_FALSE(readings.back().problems.empty()) << file;
  }
  for (const ConfigurationReading& reading : readings) {
    std::string told;
    for (const std::string& problem : reading.problems) told += problem + "\n";
    for (const std::string& warning : reading.configuration.warnings) told += warning + "\n";
    if (reading.problems.empty()) {
      for (const EffectiveSetting& setting : reading.configuration.settings)
        told += setting.value + "\n";
    }
    EXPECT_THAT(told, AllOf(Not(HasSubstr("hunt")), Not(HasSubstr("er2"))));
  }
  EXPECT_EQ(effective(accepted({{"DB_PASSWORD", "hunter2"}}), "database.password").value, "***");
}

}  // namespace
}  // namespace forebay
