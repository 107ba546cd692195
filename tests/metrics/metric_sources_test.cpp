#include "forebay/metrics/metric_sources.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/metrics/metric_text.hpp"
#include "forebay/retry/operation_metrics.hpp"
#include "support/noting_sink.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;

PoolStatistics busy_pool() {
  PoolStatistics pool;
  pool.max = 20;
  pool.target_ready = 10;
  pool.ready = 4;
  pool.lent = 7;
  pool.cleaning = 1;
  pool.opening = 2;
  pool.closing = 3;
  pool.waiters = 5;
  pool.connect_time = 250ms;
  pool.counters.acquired = 100;
  pool.counters.empty = 9;
  pool.counters.timeouts = 2;
  pool.counters.opened = 31;
  pool.counters.keeper_topups = 12;
  pool.counters.leaks_reported = 1;
  pool.counters.discards[static_cast<std::size_t>(DiscardReason::expiring_soon_on_scan)] = 6;
  pool.counters.discards[static_cast<std::size_t>(DiscardReason::broken)] = 8;
  pool.counters.failures[static_cast<std::size_t>(OpenFailure::rate_limit)] = 11;
  pool.counters.ready_times.record(300ns, 97);
  pool.counters.wait_times.record(2s, 3);
  return pool;
}

TEST(MetricSourcesTest, EveryMetricOfTheTableIsToldWithItsLabels) {
  NotingSink sink;
  write_pool_metrics(sink, "orders", "main", busy_pool());
  TransactionMetrics transactions;
  transactions.operation("pay").begin_attempt();
  transactions.operation("pay").succeed(3ms);
  write_transaction_metrics(sink, "orders", transactions.snapshot());
  ClusterStatistics cluster;
  cluster.has_leases = cluster.has_rate = cluster.has_tokens = true;
  write_cluster_metrics(sink, "orders", cluster);
  write_tenant_metrics(sink, "orders", TenantTotals());
  write_busy_tenant_metrics(sink, "orders", TenantStatistics());

  for (const MetricDefinition& each : metric_table()) {
    // Those of the proxy are asked for in tests/proxy.
    if (each.metric == Metric::build_info || each.name.starts_with("forebay_proxy_")) continue;
    EXPECT_TRUE(sink.numbers.contains(each.metric)) << each.name;
  }
}

TEST(MetricSourcesTest, APoolTellsWhatItsStatisticsSay) {
  NotingSink sink;
  write_pool_metrics(sink, "orders", "main", busy_pool());

  const auto expect = [&](Metric metric, double value) {
    EXPECT_EQ(sink.numbers[metric], value) << definition(metric).name;
  };
  expect(Metric::reservoir_size, 4);
  expect(Metric::reservoir_target, 10);
  expect(Metric::pool_wanted_ready, 9);
  expect(Metric::reservoir_checkouts, 100);
  expect(Metric::reservoir_empty, 9);
  expect(Metric::reservoir_discards, 14);
  expect(Metric::reservoir_refills, 31);
  expect(Metric::reservoir_refill_failures, 11);
  expect(Metric::reservoir_checkout_latency, 100);
  expect(Metric::pool_open, 12);
  expect(Metric::pool_in_use, 7);
  expect(Metric::pool_idle, 5);
  expect(Metric::pool_wait, 3);
  expect(Metric::pool_wait_duration, 3);
  expect(Metric::keeper_deficit, 3);
  expect(Metric::pool_guard_evictions, 6);
  expect(Metric::keeper_topups, 12);
  expect(Metric::closed_lifetime, 6);
  expect(Metric::closed_idle_time, 0);
  expect(Metric::pool_connect_time, 0.25);
  expect(Metric::pool_filled, 0);
}

// An alert that leaves out pools without a target would otherwise leave out the emptiest of all.
TEST(MetricSourcesTest, ThePoolThatHasLentEverythingStillHasItsTarget) {
  PoolStatistics pool = busy_pool();
  pool.ready = pool.cleaning = pool.opening = 0;
  pool.lent = pool.max;
  NotingSink sink;
  write_pool_metrics(sink, "orders", "main", pool);
  EXPECT_EQ(sink.numbers[Metric::reservoir_target], 10);
  EXPECT_EQ(sink.numbers[Metric::pool_wanted_ready], 0);
  EXPECT_EQ(sink.numbers[Metric::keeper_deficit], 0);
}

TEST(MetricSourcesTest, ReasonsAreLabels) {
  MetricText text;
  write_pool_metrics(text, "orders", "main", busy_pool());
  EXPECT_THAT(text.text(),
              HasSubstr("dsql_reservoir_discards_total{service=\"orders\",pool=\"main\","
                        "reason=\"broken\"} 8\n"));
  EXPECT_THAT(text.text(),
              HasSubstr("dsql_reservoir_refill_failures_total{service=\"orders\",pool=\"main\","
                        "reason=\"rate_limit\"} 11\n"));
}

TEST(MetricSourcesTest, ABusyTenantTellsWhatItsStatisticsSay) {
  TenantStatistics tenant;
  tenant.tenant = "acme \"and\" sons";
  tenant.open = 3;
  tenant.lent = 2;
  tenant.waiters = 4;
  tenant.served = 100;
  tenant.waits = 7;
  tenant.wait_time = 1500ms;
  tenant.timeouts = 1;
  MetricText text;
  write_busy_tenant_metrics(text, "orders", tenant);
  const std::string labels = "{service=\"orders\",tenant=\"acme \\\"and\\\" sons\"} ";
  for (const std::string& line :
       {"forebay_busy_tenant_open" + labels + "3\n", "forebay_busy_tenant_in_use" + labels + "2\n",
        "forebay_busy_tenant_waiters" + labels + "4\n",
        "forebay_busy_tenant_served_total" + labels + "100\n",
        "forebay_busy_tenant_waits_total" + labels + "7\n",
        "forebay_busy_tenant_wait_seconds_total" + labels + "1.5\n",
        "forebay_busy_tenant_timeouts_total" + labels + "1\n"})
    EXPECT_THAT(text.text(), HasSubstr(line));
}

TEST(MetricSourcesTest, WhoSharesNothingTellsNothingOfACluster) {
  NotingSink sink;
  write_cluster_metrics(sink, "orders", ClusterStatistics());
  EXPECT_TRUE(sink.numbers.empty());
}

TEST(MetricSourcesTest, APoolThatIsNotFilledSaysWhy) {
  PoolStatistics pool = busy_pool();
  EXPECT_EQ(why_not_ready("main", pool), "main: 12 of 10 connections are open, 2 are being opened");
  pool.last_open_failure = OpenFailure::connection_open;
  pool.last_connect_error = "a text with secrets";
  EXPECT_THAT(why_not_ready("main", pool), EndsWith("; the last failed at connection_open"));
  pool.is_filled = true;
  EXPECT_EQ(why_not_ready("main", pool), "");
  pool.is_closed = true;
  EXPECT_EQ(why_not_ready("main", pool), "main: it is closed");
}

}  // namespace
}  // namespace forebay::test
