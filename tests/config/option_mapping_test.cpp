// Whatever options complain of is told of the setting that sets it, or deliberately of the option.
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/config/setting.hpp"

namespace forebay::config {
namespace {

using namespace std::chrono_literals;

const std::set<std::string> kWithoutSetting = {
    "cluster.credentials.access_key_id",    // given in code only
    "cluster.endpoint",                     // the database's host
    "cluster.id_table",                     // given in code only
    "pool.backoff.jitter_percent",          // as it is
    "pool.server_limit",                    // the server's kind says it
    "pool.warm_up_backoff.first",           // as it is
    "pool.warm_up_backoff.jitter_percent",  //
    "pool.warm_up_backoff.longest",         //
};

void note(std::set<std::string>& named, std::string_view options, const OptionProblems& problems) {
  for (const OptionProblem& problem : within(options, problems)) named.insert(problem.option);
}

PoolOptions wrong_pool() {
  PoolOptions pool;
  pool.size = {.max = 0,
               .target_ready = -1,
               .low_watermark = -1,
               .max_ready = -1,
               .min_idle = -1,
               .keep_open = -1};
  pool.supply = Supply::reservoir;
  for (Duration* const time :
       {&pool.lifetime.emplace(), &pool.lifetime_jitter, &pool.guard_window, &pool.server_limit,
        &pool.longest_transaction, &pool.idle_timeout.emplace(), &pool.check_after_idle,
        &pool.leak_after, &pool.admission_timeout, &pool.connect_timeout, &pool.reset_timeout,
        &pool.check_timeout, &pool.cancel_timeout, &pool.server_notices_after, &pool.call_timeout,
        &pool.open_wait, &pool.initial_fill_limit, &pool.backoff.first,
        &pool.warm_up_backoff.first}) {
    *time = -1s;
  }
  pool.on_stuck_close = StuckClose::give_up_after(-1s);
  pool.session_settings = {{"", "x"}};
  pool.connect_rate = -1;
  pool.connect_burst = pool.max_opening = 0;
  pool.warm_up_retries = -1;
  pool.session.statement_cache_size = 0;
  pool.backoff.jitter_percent = pool.warm_up_backoff.jitter_percent = -1;
  return pool;
}

ClusterOptions wrong_cluster() {
  ClusterOptions cluster;
  cluster.service.clear();
  cluster.user = "admin";
  cluster.lease_table = cluster.rate_table = cluster.id_table = "x";
  cluster.limit = cluster.burst = 0;
  cluster.connects_per_second = 0;
  cluster.token_lifetime = cluster.ttl = cluster.max_wait = cluster.request_timeout = 0s;
  cluster.stagger = -1s;
  cluster.session_linger = -1s;
  cluster.min_share = -1;
  cluster.dynamodb_url = "ddb";
  cluster.credentials.emplace("", "");
  return cluster;
}

std::set<std::string> all_named() {
  std::set<std::string> named;
  PoolOptions pool = wrong_pool();
  note(named, "pool", problems(pool));
  pool.backoff = pool.warm_up_backoff = BackoffRule{.first = 2s, .longest = 1s};
  note(named, "pool", problems(pool));
  ClusterOptions cluster = wrong_cluster();
  note(named, "cluster", problems(cluster));
  cluster.ttl = 1min;
  cluster.on_loss = LeaseLoss::fence;
  cluster.fence_before = 1min;
  note(named, "cluster", problems(cluster));
  TenantOptions tenants;
  tenants.max_connections = tenants.max_per_tenant = tenants.max_known_tenants = 0;
  tenants.prefix.clear();
  tenants.stint = 0s;
  tenants.busiest_in_metrics = -1;
  note(named, "tenants", problems(tenants));
  tenants = TenantOptions();
  tenants.database = "x";
  tenants.system_connections = 0;
  note(named, "tenants", problems(tenants));
  tenants.system_connections.reset();
  tenants.kept_free = -1;
  note(named, "tenants", problems(tenants));
  RetryPolicy retry;
  retry.max_retries = -1;
  retry.backoff = BackoffRule{.first = 2s, .longest = 1s, .jitter_percent = -1};
  note(named, "retry", problems(retry));
  retry.backoff.first = -1s;
  note(named, "retry", problems(retry));
  return named;
}

TEST(OptionMappingTest, EveryOptionThatCanBeWrongHasASettingOrHasNoneOnPurpose) {
  std::set<std::string> without_setting;
  for (const std::string& option : all_named()) {
    if (setting_of_option(option) == nullptr) without_setting.insert(option);
  }
  EXPECT_EQ(without_setting, kWithoutSetting);
}

// A row that sets an option which has rules is found under the option's name, and a misspelled name
// would never be: so each of these names one, or is listed.
TEST(OptionMappingTest, EveryNamedOptionExists) {
  const std::set<std::string> named = all_named();
  const std::set<std::string> without_rules = {"cluster.on_loss",
                                               "cluster.rate_mode",
                                               "pool.session.reset",
                                               "pool.session.statement_cache",
                                               "pool.session.trusted_functions",
                                               "tenants.creates_missing_databases"};
  for (const Setting& setting : all_settings()) {
    if (setting.option.empty()) continue;
    const std::string option(setting.option);
    EXPECT_TRUE(named.contains(option) || without_rules.contains(option)) << option;
  }
}

}  // namespace
}  // namespace forebay::config
