// What a pool is like if nobody says otherwise: the same in code and by configuration, and for
// Aurora DSQL what services of the older kind have there.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "config/reading.hpp"
#include "forebay/config/pool_settings.hpp"
#include "forebay/config/rules.hpp"
#include "forebay/config/setting.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/postgres/driver/server_limits.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;
using postgres::ServerProfile;
using test::accepted;
using test::effective;

constexpr const char* kHostOfPostgresql = "db.example";
constexpr const char* kHostOfDsql = "abc.dsql.eu-west-1.on.aws";

using PoolFields = std::vector<std::pair<std::string, std::string>>;

std::string field_text(const std::optional<int>& number) {
  return number ? std::to_string(*number) : "unsaid";
}
std::string field_text(const std::optional<Duration>& time) {
  return time ? duration_text(*time) : "unsaid";
}
std::string field_text(const BackoffRule& rule) {
  return field_text(rule.first) + ", " + field_text(rule.longest) + ", " +
         field_text(rule.jitter_percent);
}

PoolFields sizes_of(const PoolSize& size) {
  return {{"size.max", field_text(size.max)},
          {"size.target_ready", field_text(size.target_ready)},
          {"size.low_watermark", field_text(size.low_watermark)},
          {"size.max_ready", field_text(size.max_ready)},
          {"size.min_idle", field_text(size.min_idle)},
          {"size.keep_open", field_text(size.keep_open)}};
}

PoolFields times_of(const PoolOptions& pool) {
  return {{"lifetime", field_text(pool.lifetime)},
          {"lifetime_jitter", field_text(pool.lifetime_jitter)},
          {"guard_window", field_text(pool.guard_window)},
          {"server_limit", field_text(pool.server_limit)},
          {"longest_transaction", field_text(pool.longest_transaction)},
          {"idle_timeout", field_text(pool.idle_timeout)},
          {"check_after_idle", field_text(pool.check_after_idle)},
          {"leak_after", field_text(pool.leak_after)},
          {"admission_timeout", field_text(pool.admission_timeout)},
          {"connect_timeout", field_text(pool.connect_timeout)},
          {"reset_timeout", field_text(pool.reset_timeout)},
          {"check_timeout", field_text(pool.check_timeout)},
          {"cancel_timeout", field_text(pool.cancel_timeout)},
          {"server_notices_after", field_text(pool.server_notices_after)},
          {"on_stuck_close", field_text(pool.on_stuck_close.limit())},
          {"call_timeout", field_text(pool.call_timeout)},
          {"open_wait", field_text(pool.open_wait)},
          {"initial_fill_limit", field_text(pool.initial_fill_limit)}};
}

PoolFields fields_of(const PoolOptions& pool) {
  PoolFields fields = sizes_of(pool.size);
  for (auto& field : times_of(pool)) fields.push_back(std::move(field));
  fields.emplace_back("name", pool.name);
  fields.emplace_back("service", pool.service);
  fields.emplace_back("supply", std::to_string(static_cast<int>(pool.supply)));
  fields.emplace_back("take_order", std::to_string(static_cast<int>(pool.take_order)));
  fields.emplace_back("connect_rate", std::to_string(pool.connect_rate.value_or(-1)));
  fields.emplace_back("connect_burst", field_text(pool.connect_burst));
  fields.emplace_back("max_opening", field_text(pool.max_opening));
  fields.emplace_back("backoff", field_text(pool.backoff));
  fields.emplace_back("warm_up_retries", field_text(pool.warm_up_retries));
  fields.emplace_back("warm_up_backoff", field_text(pool.warm_up_backoff));
  return fields;
}

// What the table of settings says of the pool, whatever options there may come to be.
PoolFields words_of(const PoolOptions& pool) {
  config::Settings settings;
  settings.pool = pool;
  PoolFields fields;
  for (const config::Setting& setting : config::all_settings()) {
    if (setting.group() == "pool" || setting.group() == "reservoir")
      fields.emplace_back(setting.key, setting.value.word(settings));
  }
  return fields;
}

PoolOptions made_in_code(const char* host, Supply supply) {
  PoolOptions options;
  options.supply = supply;
  return postgres::with_defaults_of(ServerProfile::for_host(host), options);
}

PoolOptions configured(const char* host, Supply supply) {
  const char* const enabled = supply == Supply::reservoir ? "true" : "false";
  return accepted({{"DB_HOST", host}, {"DSQL_RESERVOIR_ENABLED", enabled}}).completed().pool;
}

TEST(PoolDefaultsTest, CodeAndConfigurationGiveTheSamePool) {
  for (const char* const host : {kHostOfPostgresql, kHostOfDsql, ""}) {
    for (const Supply supply : {Supply::standard, Supply::reservoir}) {
      SCOPED_TRACE(std::string(host) + (supply == Supply::standard ? "" : ", reservoir"));
      const PoolOptions code = made_in_code(host, supply);
      const PoolOptions read = configured(host, supply);
      EXPECT_EQ(fields_of(read), fields_of(code));
      EXPECT_EQ(words_of(read), words_of(code));

      Configuration made;
      made.database.host = host;
      made.pool.supply = supply;
      EXPECT_EQ(fields_of(made.completed().pool), fields_of(code));
    }
  }
}

TEST(PoolDefaultsTest, ATenantsPoolIsLikeAnyOtherButSmaller) {
  PoolOptions code = made_in_code(kHostOfPostgresql, Supply::standard);
  PoolOptions tenant = accepted({{"DB_HOST", kHostOfPostgresql}}).completed().tenants.pool;
  EXPECT_EQ(tenant.size.max, 3);
  EXPECT_EQ(tenant.connect_rate, 0) << "the rate of Aurora DSQL is not PostgreSQL's";
  tenant.size.max = code.size.max;
  EXPECT_EQ(fields_of(tenant), fields_of(code));

  const PoolOptions in_code =
      postgres::with_defaults_of(ServerProfile::postgresql(), TenantOptions().pool);
  EXPECT_EQ(fields_of(in_code), fields_of(code));
}

TEST(PoolDefaultsTest, OnPostgresqlItIsSmallAndUnhurried) {
  const PoolOptions pool = configured(kHostOfPostgresql, Supply::standard);
  EXPECT_EQ(pool.size.max, 10);
  EXPECT_EQ(pool.size.keep_open, 0);
  EXPECT_EQ(*pool.lifetime + pool.lifetime_jitter / 2, 10min);
  EXPECT_EQ(pool.idle_timeout, 5min);
  EXPECT_EQ(pool.connect_rate, 0);
  EXPECT_EQ(pool.server_limit, Duration::max());
  EXPECT_EQ(configured(kHostOfPostgresql, Supply::reservoir).lifetime, 11min);
}

TEST(PoolDefaultsTest, OnDsqlItIsOpenedWholeAndKept) {
  const PoolOptions pool = configured(kHostOfDsql, Supply::standard);
  EXPECT_EQ(pool.size.max, 100);
  EXPECT_EQ(pool.size.keep_open, 100);
  EXPECT_EQ(*pool.lifetime + pool.lifetime_jitter / 2, 55min);
  EXPECT_EQ(pool.idle_timeout, Duration::max());
  EXPECT_EQ(pool.connect_rate, 10);
  EXPECT_EQ(pool.connect_burst, 100);
  EXPECT_EQ(pool.server_limit, 60min);

  const PoolOptions reservoir = configured(kHostOfDsql, Supply::reservoir);
  EXPECT_EQ(reservoir.size.max, 100);
  EXPECT_EQ(reservoir.size.keep_open, 0);
  EXPECT_EQ(reservoir.lifetime, 11min);
  EXPECT_EQ(reservoir.connect_rate, 10);
}

// Also what happens to be PostgreSQL's default.
TEST(PoolDefaultsTest, WhatIsSaidCounts) {
  PoolOptions options;
  options.size.max = 10;
  options.idle_timeout = 5min;
  options.lifetime = 9min;
  options.connect_rate = 0;
  options.connect_burst = 1;
  const PoolOptions pool = postgres::with_defaults_of(ServerProfile::dsql(), options);
  EXPECT_EQ(pool.size.max, 10);
  EXPECT_EQ(pool.size.keep_open, 10) << "all of them";
  EXPECT_EQ(pool.idle_timeout, 5min);
  EXPECT_EQ(pool.lifetime, 9min);
  EXPECT_EQ(pool.connect_rate, 0);
  EXPECT_EQ(pool.connect_burst, 1);
  options.size.keep_open = 0;
  EXPECT_EQ(postgres::with_defaults_of(ServerProfile::dsql(), options).size.keep_open, 0);

  const Configuration burst =
      accepted({{"DB_HOST", kHostOfDsql}, {"DSQL_CONNECTION_BURST_LIMIT", "40"}});
  EXPECT_EQ(burst.completed().pool.connect_burst, 40);
  EXPECT_EQ(burst.completed().pool.connect_rate, 10);
}

TEST(PoolDefaultsTest, LivesFitIntoTheServersLimitWhateverATransactionMayTake) {
  PoolOptions options;
  options.longest_transaction = 10min;
  const PoolOptions pool = postgres::with_defaults_of(ServerProfile::dsql(), options);
  EXPECT_EQ(*pool.lifetime + pool.lifetime_jitter / 2, 50min);
}

TEST(PoolDefaultsTest, TheCheckOfAConfigurationTellsThemAndWhoseTheyAre) {
  const Configuration dsql = accepted({{"DB_HOST", kHostOfDsql}});
  const Configuration postgresql = accepted({{"DB_HOST", kHostOfPostgresql}});
  for (const auto& [key, there, here] : {std::tuple{"pool.max", "100", "10"},
                                         {"pool.keep_open", "100", "0"},
                                         {"pool.max_lifetime", "55m", "10m"},
                                         {"pool.max_idle_time", "off", "5m"},
                                         {"pool.connect_rate", "10", "0"},
                                         {"pool.connect_burst", "100", "1"}}) {
    EXPECT_EQ(effective(dsql, key).value, there) << key;
    EXPECT_EQ(effective(dsql, key).source, "default for Aurora DSQL") << key;
    EXPECT_EQ(effective(postgresql, key).value, here) << key;
    EXPECT_EQ(effective(postgresql, key).source, "default for PostgreSQL") << key;
  }
  EXPECT_EQ(effective(dsql, "tenants.max_connections").value, "100");
  EXPECT_EQ(effective(dsql, "tenants.max_connections").source, "default");
  EXPECT_EQ(effective(dsql, "reservoir.base_lifetime").value, "11m");
  EXPECT_EQ(effective(dsql, "reservoir.target_ready").source, "as pool.max");

  const Configuration given = accepted({{"DB_HOST", kHostOfDsql}, {"DB_MAX_CONNECTIONS", "40"}});
  EXPECT_EQ(effective(given, "pool.max").source, "as tenants.max_connections");
  EXPECT_EQ(effective(given, "pool.keep_open").value, "40");
  EXPECT_EQ(given.completed().pool.size.max, 40);
}

}  // namespace
}  // namespace forebay
