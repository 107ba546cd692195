// One look at all tenants: by tenant, and together.
#include "forebay/tenants/tenant_statistics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sim_tenants.hpp"

namespace forebay::test {
namespace {

std::vector<std::string> ids_of(const TenancyStatistics& now) {
  std::vector<std::string> ids;
  for (const TenantStatistics& each : now.by_tenant) ids.push_back(each.tenant);
  return ids;
}

TEST(TenantStatisticsTest, OneLookHasEverything) {
  SimTenants sim(tenant_options(20, 2));
  sim.call("b", 1s, 0s);
  sim.scheduler.run_for(100ms);
  sim.call("a", 1s, 10s);
  sim.call("a", 1s, 300ms);
  sim.scheduler.run_for(100ms);
  sim.call("a", 1s, 0s);  // waits for 200 ms
  sim.scheduler.run_for(1s);
  sim.call("a", 1s, 10s);
  sim.call("a", 500ms, 0s);  // in vain
  sim.scheduler.run_for(1s);

  const TenancyStatistics now = sim.tenants->statistics();

  EXPECT_EQ(now.at, sim.now());
  EXPECT_EQ(now.max_connections, 20);
  EXPECT_EQ(now.max_per_tenant, 2);
  EXPECT_EQ(now.shares.system, 5);
  EXPECT_EQ(now.shares.kept_free, 2);
  EXPECT_EQ(now.shares.tenants, 13);
  EXPECT_EQ(now.tenants.max, 13);
  EXPECT_EQ(now.tenants.open, 3);
  EXPECT_EQ(now.tenants.in_use, 2);
  EXPECT_EQ(now.tenants.idle(), 1);
  EXPECT_THAT(ids_of(now), testing::ElementsAre("b", "a"));
  const TenantStatistics& a = now.by_tenant.back();
  EXPECT_EQ(a.open, 2);
  EXPECT_EQ(a.lent, 2);
  EXPECT_EQ(a.idle(), 0);
  EXPECT_EQ(a.max, 2);
  EXPECT_EQ(a.served, 4u);
  EXPECT_EQ(a.timeouts, 1u);
  EXPECT_EQ(a.waits, 3u) << "for two connects, and for one that came back";
  EXPECT_GE(a.wait_time, 200ms);
  EXPECT_LT(a.wait_time, 250ms);
  EXPECT_EQ(now.tenants.waits, 4u);
  EXPECT_EQ(now.tenants.wait_time, a.wait_time + now.by_tenant.front().wait_time);
}

// A pool that is gone is not in the gauges, and stays in the counters.
TEST(TenantStatisticsTest, CountersOutliveThePool) {
  SimTenants sim(tenant_options(20, 2));
  sim.call("a", 1s, 0s);
  sim.scheduler.run_for(100ms);
  const Duration waited = sim.statistics("a").wait_time;
  ASSERT_GT(waited, 0s);
  ASSERT_TRUE(sim.close_tenant("a", 1s));
  EXPECT_TRUE(sim.tenants->statistics().by_tenant.empty());
  EXPECT_EQ(sim.tenants->statistics().tenants.waits, 1u);
  EXPECT_EQ(sim.statistics("a").wait_time, waited);

  sim.call("a", 1s, 0s);
  sim.scheduler.run_for(100ms);

  const TenancyStatistics now = sim.tenants->statistics();
  ASSERT_EQ(now.by_tenant.size(), 1u);
  EXPECT_EQ(now.by_tenant[0].served, 2u);
  EXPECT_EQ(now.by_tenant[0].waits, 2u);
  EXPECT_EQ(now.by_tenant[0].opened, 2u);
}

TEST(TenantStatisticsTest, WhatIsLentByAnOldPoolCountsForItsTenant) {
  SimTenants sim(tenant_options(20, 2));
  sim.call("a", 1s, 10s);
  sim.scheduler.run_for(100ms);
  EXPECT_FALSE(sim.close_tenant("a", 1ms));
  sim.call("a", 1s, 10s);
  sim.scheduler.run_for(100ms);

  const TenancyStatistics now = sim.tenants->statistics();

  ASSERT_EQ(now.by_tenant.size(), 1u);
  EXPECT_EQ(now.by_tenant[0].lent, 2);
  EXPECT_EQ(now.tenants.in_use, 2);
}

}  // namespace
}  // namespace forebay::test
