#include "forebay/doctor/settings_check.hpp"

#include "doctor/findings.hpp"
#include "forebay/pool/pool_defaults.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;
using doctor::check_settings;
using testing::Contains;
using testing::Not;

PoolOptions dsql_pool() {
  PoolOptions pool;
  pool.supply = Supply::reservoir;
  pool.size.max = 50;
  pool.server_limit = 60min;
  pool.longest_transaction = 5min;
  return completed(pool);
}

ClusterOptions shared_options() {
  ClusterOptions cluster;
  cluster.lease_table = "connections";
  cluster.user = "admin";
  return cluster;
}

TEST(SettingsCheckTest, TheDefaultsDoNotSmell) {
  EXPECT_THAT(check_settings(completed(PoolOptions()), std::nullopt), all_well());
  EXPECT_THAT(check_settings(dsql_pool(), shared_options()), all_well());
}

TEST(SettingsCheckTest, AGuardWindowThatEatsTheLifetime) {
  PoolOptions pool = dsql_pool();
  pool.guard_window = 3min;
  EXPECT_THAT(check_settings(pool, std::nullopt),
              Contains(tells(Severity::warning, "guard window is 3m of a lifetime of 11m",
                             "keep it above the longest transaction")));
  pool.guard_window = 10min;
  EXPECT_THAT(check_settings(pool, std::nullopt),
              Contains(tells(Severity::error, "guard window is 10m")));
}

TEST(SettingsCheckTest, ALifetimeBeyondTheServersCut) {
  PoolOptions pool = dsql_pool();
  pool.lifetime = 55min;
  EXPECT_THAT(check_settings(pool, std::nullopt),
              Contains(tells(Severity::warning, "the server ends sessions after 1h", "54m")));
  pool.lifetime = 54min;
  EXPECT_THAT(check_settings(pool, std::nullopt), all_well());
}

TEST(SettingsCheckTest, ATargetBelowTheWatermarkOrAboveWhatMayBeReady) {
  PoolOptions pool = dsql_pool();
  pool.size.target_ready = 10;
  pool.size.low_watermark = 20;
  EXPECT_THAT(check_settings(pool, std::nullopt),
              Contains(tells(Severity::warning, "the target, 10, is below the low watermark, 20",
                             "DSQL_RESERVOIR_TARGET_READY")));
  pool = dsql_pool();
  pool.size.max_ready = 5;
  EXPECT_THAT(check_settings(pool, std::nullopt),
              Contains(tells(Severity::warning, "pool.max_ready is 5", "reservoir_full")));
}

TEST(SettingsCheckTest, IdleConnectionsBehindANat) {
  PoolOptions pool = dsql_pool();
  pool.check_after_idle = Duration::max();
  EXPECT_THAT(check_settings(pool, std::nullopt),
              Contains(tells(Severity::note, "never checked", "NAT")));
  pool.check_after_idle = 10min;
  EXPECT_THAT(check_settings(pool, std::nullopt),
              Contains(tells(Severity::note, "every 10m only", "NAT")));
}

TEST(SettingsCheckTest, ShortLeasesAndShortTokens) {
  ClusterOptions cluster = shared_options();
  cluster.ttl = 15s;
  cluster.token_lifetime = 1min;
  const Findings findings = check_settings(dsql_pool(), cluster);
  EXPECT_THAT(findings,
              Contains(tells(Severity::warning, "leases live for 15s", "FOREBAY_LEASES_TTL")));
  EXPECT_THAT(findings, Contains(tells(Severity::warning, "tokens live for 1m",
                                       "FOREBAY_DATABASE_TOKEN_LIFETIME")));
  cluster = ClusterOptions();
  cluster.ttl = 15s;
  EXPECT_THAT(check_settings(dsql_pool(), cluster), all_well());  // nothing is leased
}

}  // namespace
}  // namespace forebay::test
