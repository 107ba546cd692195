// What a configuration is made of: defaults, a file, the environment, and which of them counts.
#include "forebay/config/read_configuration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/reading.hpp"
#include "forebay/detail/env/detached.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "forebay/pool/rules_of.hpp"
#include "support/captured_log.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;
using test::accepted;
using test::effective;
using test::read_texts;
using test::Variables;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* kDsqlHost = "abc.dsql.eu-west-1.on.aws";

// Those of the pool are in pool_defaults_test.cpp.
TEST(ReadConfigurationTest, NothingGivesTheDefaultsOfOlderServices) {
  const Configuration read = accepted({});

  EXPECT_THAT(read.warnings, IsEmpty());
  EXPECT_EQ(read.pool.supply, Supply::standard);
  EXPECT_EQ(read.pool.lifetime_jitter, 2min);
  EXPECT_EQ(read.pool.guard_window, 45s);
  EXPECT_EQ(read.start_delay, 5s);
  EXPECT_FALSE(read.cluster.has_value());
  EXPECT_EQ(read.tenants.max_connections, 100);
  EXPECT_EQ(read.tenants.max_per_tenant, 3);
  EXPECT_EQ(read.retry.max_retries, 5);
  EXPECT_EQ(read.retry.backoff.first, 100ms);
  EXPECT_EQ(read.retry.backoff.longest, 5s);
  EXPECT_EQ(read.retry.backoff.jitter_percent, 25);
}

TEST(ReadConfigurationTest, TheLogIsAsTheConfigurationSays) {
  test::CapturedLog log(log::Level::error);
  apply_to_log(accepted({}));
  EXPECT_FALSE(log::is_on(log::Level::warning)) << "the application has set a level";
  apply_to_log(accepted({{"FOREBAY_LOG_LEVEL", "debug"}, {"FOREBAY_LOG_FORMAT", "text"}}));
  EXPECT_TRUE(log::is_on(log::Level::debug));
  EXPECT_EQ(accepted({{"FOREBAY_LOG_FORMAT", "json"}}).log_format, log::Format::json);
  EXPECT_THAT(read_texts({{"FOREBAY_LOG_LEVEL", "loud"}}).problems,
              ElementsAre(StartsWith("FOREBAY_LOG_LEVEL: ")));
}

TEST(ReadConfigurationTest, MadeInCodeItHasTheSameDefaults) {
  const Configuration read = accepted({});
  const Configuration made;

  EXPECT_EQ(made.pool.size.max, read.pool.size.max);
  EXPECT_EQ(made.pool.lifetime, read.pool.lifetime);
  EXPECT_EQ(made.pool.connect_rate, read.pool.connect_rate);
  EXPECT_EQ(made.tenants.pool.idle_timeout, read.tenants.pool.idle_timeout);
  EXPECT_EQ(made.start_delay, read.start_delay);
  EXPECT_FALSE(made.cluster.has_value());
  EXPECT_TRUE(problems(made.pool).empty());
}

TEST(ReadConfigurationTest, AReservoirHasTheDefaultsOfOlderServices) {
  const Configuration read =
      accepted({{"DSQL_RESERVOIR_ENABLED", "true"}, {"DB_HOST", kDsqlHost}}).completed();

  EXPECT_EQ(read.pool.supply, Supply::reservoir);
  EXPECT_EQ(read.pool.lifetime, 11min);
  const PoolRules rules = rules_of(read.pool);
  EXPECT_EQ(rules.supply.target_ready, 100);
  EXPECT_EQ(rules.low_watermark, 100);
}

TEST(ReadConfigurationTest, EveryVariableOfOlderServicesIsRead) {
  const Configuration read = accepted({{"DSQL_RESERVOIR_ENABLED", "1"},
                                       {"DSQL_RESERVOIR_TARGET_READY", "50"},
                                       {"DSQL_RESERVOIR_LOW_WATERMARK", "25"},
                                       {"DSQL_RESERVOIR_BASE_LIFETIME", "13m"},
                                       {"DSQL_RESERVOIR_LIFETIME_JITTER", "1m30s"},
                                       {"DSQL_RESERVOIR_GUARD_WINDOW", "250ms"},
                                       {"DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "TRUE"},
                                       {"DSQL_DISTRIBUTED_CONN_LEASE_TABLE", "leases"},
                                       {"DSQL_DISTRIBUTED_CONN_LIMIT", "9000"},
                                       {"DSQL_CONNECTION_RATE_LIMIT", "20"},
                                       {"DSQL_CONNECTION_BURST_LIMIT", "40"},
                                       {"DSQL_STAGGERED_STARTUP", "yes"},
                                       {"DSQL_STAGGERED_STARTUP_MAX_DELAY", "3s"},
                                       {"DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED", "t"},
                                       {"DSQL_DISTRIBUTED_RATE_LIMITER_TABLE", "rates"},
                                       {"DSQL_DISTRIBUTED_RATE_LIMITER_LIMIT", "80"},
                                       {"DSQL_DISTRIBUTED_RATE_LIMITER_MAX_WAIT", "12s"},
                                       {"DB_HOST", kDsqlHost},
                                       {"DB_PORT", "5433"},
                                       {"DB_USER", "orders"},
                                       {"DB_PASSWORD", "it's secret"},
                                       {"DB_NAME", "shop"},
                                       {"DB_PREFIX", "shop"},
                                       {"DB_SSLMODE", "verify-full"},
                                       {"DB_MAX_CONNECTIONS", "60"},
                                       {"DB_MAX_CONNECTIONS_PER_DB", "2"},
                                       {"DB_CONNECTION_MAX_LIFETIME", "20m"},
                                       {"DB_CONNECTION_MAX_IDLE_TIME", "7m"}});

  EXPECT_THAT(read.warnings, ElementsAre(StartsWith("DSQL_CONNECTION_RATE_LIMIT has no effect"),
                                         StartsWith("DSQL_CONNECTION_BURST_LIMIT has no effect"),
                                         StartsWith("DB_CONNECTION_MAX_LIFETIME has no effect")));
  EXPECT_EQ(read.pool.size.max, 60);
  EXPECT_EQ(read.pool.size.target_ready, 50);
  EXPECT_EQ(read.pool.size.low_watermark, 25);
  EXPECT_EQ(read.pool.lifetime, 13min);
  EXPECT_EQ(read.pool.lifetime_jitter, 90s);
  EXPECT_EQ(read.pool.guard_window, 250ms);
  EXPECT_EQ(read.pool.idle_timeout, 7min);
  EXPECT_EQ(read.pool.connect_rate, 20);
  EXPECT_EQ(read.pool.connect_burst, 40);
  EXPECT_EQ(read.start_delay, 0s) << "the cluster's rate sees to that";
  ASSERT_TRUE(read.cluster.has_value());
  EXPECT_EQ(read.cluster->endpoint, kDsqlHost);
  EXPECT_EQ(read.cluster->user, "") << "there is a password";
  EXPECT_EQ(read.cluster->lease_table, "leases");
  EXPECT_EQ(read.cluster->limit, 9000);
  EXPECT_EQ(read.cluster->rate_table, "rates");
  EXPECT_EQ(read.cluster->connects_per_second, 80);
  EXPECT_EQ(read.cluster->max_wait, 12s);
  EXPECT_EQ(read.cluster->stagger, 3s);
  EXPECT_EQ(read.tenants.max_connections, 60);
  EXPECT_EQ(read.tenants.max_per_tenant, 2);
  EXPECT_EQ(read.tenants.prefix, "shop");
  EXPECT_EQ(read.database.connection()->text_with_secrets(),
            "host=abc.dsql.eu-west-1.on.aws port=5433 user=orders password='it\\'s secret' "
            "dbname=shop sslmode=verify-full");
}

TEST(ReadConfigurationTest, TheEnvironmentCountsMoreThanTheFileAndTheFileMoreThanDefaults) {
  const Configuration read =
      accepted({{"DB_HOST", "from.environment"}}, "database:\n  host: from.file\n  port: 6000\n");

  EXPECT_EQ(read.database.host, "from.environment");
  EXPECT_EQ(effective(read, "database.host").source, "DB_HOST");
  EXPECT_EQ(effective(read, "database.port").value, "6000");
  EXPECT_EQ(effective(read, "database.port").source, "app.yaml:3");
  EXPECT_EQ(effective(read, "retry.max_retries").value, "5");
  EXPECT_EQ(effective(read, "retry.max_retries").source, "default");
  EXPECT_TRUE(effective(read, "retry.max_retries").is_default);
}

TEST(ReadConfigurationTest, WhatFollowsFromAnotherSettingIsShownSo) {
  const Configuration read = accepted({{"DB_MAX_CONNECTIONS", "40"}});

  EXPECT_EQ(effective(read, "pool.max").value, "40");
  EXPECT_EQ(effective(read, "reservoir.low_watermark").value, "40");
  EXPECT_EQ(effective(read, "reservoir.low_watermark").source, "as tenants.max_connections");
}

TEST(ReadConfigurationTest, ADsqlHostWithoutAPasswordNeedsTokens) {
  const Configuration read = accepted({{"DB_HOST", kDsqlHost}});

  EXPECT_EQ(read.database.authentication, Authentication::iam);
  ASSERT_TRUE(read.cluster.has_value());
  EXPECT_EQ(read.cluster->user, "admin");
  EXPECT_EQ(read.cluster->endpoint, kDsqlHost);
  EXPECT_EQ(read.cluster->lease_table, "");
  EXPECT_EQ(effective(read, "database.name").value, "postgres");
  EXPECT_EQ(read.start_delay, 5s);
}

TEST(ReadConfigurationTest, WhoSharesNoClusterDoesNotWaitForOthers) {
  const auto delay_of = [](const Variables& variables) {
    return accepted(variables).completed().start_delay;
  };
  EXPECT_EQ(delay_of({{"DB_HOST", "db.example"}}), 0s);
  EXPECT_EQ(delay_of({{"DB_HOST", kDsqlHost}}), 5s) << "its rate is everybody's";
  EXPECT_EQ(delay_of({{"DB_HOST", "db.example"},
                      {"DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "true"},
                      {"DSQL_DISTRIBUTED_CONN_LEASE_TABLE", "leases"}}),
            5s);
  EXPECT_EQ(delay_of({{"DB_HOST", kDsqlHost}, {"DSQL_STAGGERED_STARTUP", "false"}}), 0s);
}

TEST(ReadConfigurationTest, MadeInCodeForADsqlHostItNeedsTokens) {
  Configuration made;
  made.database.host = kDsqlHost;
  const Configuration completed = made.completed();

  ASSERT_TRUE(completed.cluster.has_value());
  EXPECT_EQ(completed.cluster->user, "admin");
  EXPECT_EQ(completed.cluster->endpoint, kDsqlHost);
  EXPECT_EQ(completed.database.connection()->database(), "postgres");
  EXPECT_EQ(completed.start_delay, 5s);
  EXPECT_THAT(problems(completed), IsEmpty());

  made.cluster.emplace();
  made.cluster->rate_table = "rates";
  EXPECT_EQ(made.completed().cluster->user, "admin");
  EXPECT_EQ(made.completed().start_delay, 0s) << "the rate delays the first permit";

  made.database.password = "hunter2";
  made.cluster.reset();
  EXPECT_FALSE(made.completed().cluster.has_value());
}

TEST(ReadConfigurationTest, WithoutAReservoirNoLifeIsLongerThanTheLongest) {
  for (const auto& [most, guard] : {std::pair{"10m", 45s}, {"1m", 6s}, {"20s", 2s}}) {
    const Configuration read = accepted({{"DB_CONNECTION_MAX_LIFETIME", most}});
    EXPECT_EQ(duration_text(*read.pool.lifetime + read.pool.lifetime_jitter / 2), most);
    EXPECT_EQ(read.pool.guard_window, guard);
    EXPECT_GT(read.pool.lifetime_jitter, 0s);
    EXPECT_THAT(read.warnings, IsEmpty());
  }
  const Configuration given =
      accepted({{"DB_CONNECTION_MAX_LIFETIME", "10m"}, {"DSQL_RESERVOIR_LIFETIME_JITTER", "4m"}});
  EXPECT_EQ(given.pool.lifetime, 8min);
}

// As in Go's database/sql, whose settings they are.
TEST(ReadConfigurationTest, ALifetimeOrAnIdleTimeOfZeroIsNever) {
  for (const char* const word : {"0", "0s", "+0", "off"}) {
    const Configuration read =
        accepted({{"DB_CONNECTION_MAX_LIFETIME", word}, {"DB_CONNECTION_MAX_IDLE_TIME", word}});
    EXPECT_EQ(read.pool.lifetime, Duration::max());
    EXPECT_EQ(read.pool.idle_timeout, Duration::max());
    EXPECT_EQ(effective(read, "pool.max_lifetime").value, "off");
    EXPECT_THAT(read.warnings, IsEmpty());
  }
}

TEST(ReadConfigurationTest, ThePoolWaitsAsLongAsAPermitMayTake) {
  Variables variables = {{"DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED", "true"},
                         {"DSQL_DISTRIBUTED_RATE_LIMITER_TABLE", "rates"},
                         {"DSQL_DISTRIBUTED_RATE_LIMITER_MAX_WAIT", "2m"},
                         {"DB_HOST", "db"}};
  const Configuration read = accepted(variables);
  EXPECT_EQ(read.pool.admission_timeout, 2min);
  EXPECT_EQ(effective(read, "pool.admission_timeout").source, "default, adjusted");

  variables["FOREBAY_POOL_ADMISSION_TIMEOUT"] = "1m";
  EXPECT_THAT(accepted(variables).warnings,
              ElementsAre("DSQL_DISTRIBUTED_RATE_LIMITER_MAX_WAIT is 2m: the pool waits for 1m at "
                          "most, as pool.admission_timeout says"));
}

struct ToldPart {
  Variables variables;
  std::string key;
  std::string value;
  std::string source;
};

TEST(ReadConfigurationTest, PartsAreToldAsTheyHold) {
  const Variables url = {{"FOREBAY_DATABASE_URL", "postgresql://app:x@db.example:5555/shop"}};
  const Variables dsql = {{"FOREBAY_DATABASE_URL", "host=abc.dsql.eu-west-1.on.aws"}};
  const std::vector<ToldPart> parts = {
      {url, "database.host", "db.example", "as database.url"},
      {url, "database.port", "5555", "as database.url"},
      {url, "database.user", "app", "as database.url"},
      {url, "database.name", "shop", "as database.url"},
      {url, "database.sslmode", "libpq's", "default"},
      {{}, "database.host", "libpq's", "default"},
      {{}, "database.port", "libpq's", "default"},
      {{}, "database.user", "libpq's", "default"},
      {{{"DB_PORT", "6000"}}, "database.port", "6000", "DB_PORT"},
      {dsql, "database.user", "admin", "default"},
      {dsql, "database.sslmode", "require", "default"},
  };
  for (const ToldPart& part : parts) {
    const EffectiveSetting told = effective(accepted(part.variables), part.key);
    EXPECT_EQ(told.value, part.value) << part.key;
    EXPECT_EQ(told.source, part.source) << part.key;
  }
}

TEST(ReadConfigurationTest, PartsCountMoreThanTheUrl) {
  const Configuration read =
      accepted({{"FOREBAY_DATABASE_URL", "postgresql://app:hunter2@db.example:5555/shop"},
                {"DB_NAME", "other"}});

  EXPECT_EQ(read.database.connection()->redacted(),
            "user=app password=*** dbname=other host=db.example port=5555");
  EXPECT_EQ(effective(read, "database.url").value,
            "user=app password=*** dbname=shop host=db.example port=5555");
}

TEST(ReadConfigurationTest, AUrlOfTheEnvironmentCountsMoreThanPartsOfTheFile) {
  const std::string file =
      "database:\n  host: db.dev\n  port: 6000\n  password: x\n  sslmode: require\n";
  const Configuration read =
      accepted({{"FOREBAY_DATABASE_URL", "postgresql://app:hunter2@db.example/shop"}}, file);

  EXPECT_EQ(read.database.connection()->text_with_secrets(),
            "user=app password=hunter2 dbname=shop host=db.example sslmode=require");
  EXPECT_THAT(read.warnings,
              ElementsAre("app.yaml:2: database.host has no effect: FOREBAY_DATABASE_URL is set, "
                          "and counts more than the file",
                          HasSubstr("database.port"), HasSubstr("database.password")));
}

TEST(ReadConfigurationTest, TenantsHavePoolsLikeTheOneButSmall) {
  const Configuration read = accepted({{"DSQL_RESERVOIR_ENABLED", "true"},
                                       {"DB_MAX_CONNECTIONS", "60"},
                                       {"DSQL_RESERVOIR_TARGET_READY", "50"},
                                       {"FOREBAY_POOL_CONNECT_TIMEOUT", "3s"}});

  EXPECT_EQ(read.tenants.pool.supply, Supply::reservoir);
  EXPECT_EQ(read.tenants.pool.connect_timeout, 3s);
  EXPECT_EQ(read.tenants.pool.size.max, 3);
  EXPECT_TRUE(problems(read.tenants.pool).empty());
}

TEST(ReadConfigurationTest, AFileMayBeEmptyOrAllComments) {
  accepted({}, "");
  accepted({}, "# database:\n#   host: db\n");
}

TEST(ReadConfigurationTest, TheFileIsNamedOrFoundByAVariable) {
  test::FakeMachine machine;
  machine.variables["FOREBAY_CONFIG"] = "/etc/app.yaml";
  machine.files["/etc/app.yaml"] = "pool: {max: 30}";
  machine.files["mine.yaml"] = "pool: {max: 40}";
  sim::SimScheduler scheduler;
  std::optional<ConfigurationReading> found;
  std::optional<ConfigurationReading> named;
  std::optional<ConfigurationReading> missing;
  const auto keep = [](Task<ConfigurationReading> task,
                       std::optional<ConfigurationReading>& kept) -> Task<void> {
    kept.emplace(co_await std::move(task));
  };
  start_detached(scheduler, keep(read_configuration(machine, ""), found));
  start_detached(scheduler, keep(read_configuration(machine, "mine.yaml"), named));
  start_detached(scheduler, keep(read_configuration(machine, "none.yaml"), missing));
  scheduler.run();

  EXPECT_EQ(found->configuration.pool.size.max, 30);
  EXPECT_EQ(named->configuration.pool.size.max, 40);
  EXPECT_THAT(named->configuration.warnings, IsEmpty());
  EXPECT_THAT(missing->problems, ElementsAre(HasSubstr("there is no file none.yaml")));
}

}  // namespace
}  // namespace forebay
