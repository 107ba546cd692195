#include "forebay/tenants/tenant_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace forebay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

void expect_shares(int max, int system, int kept_free, int tenants) {
  const TenantShares shares = shares_of(max);
  EXPECT_EQ(shares.system, system) << max;
  EXPECT_EQ(shares.kept_free, kept_free) << max;
  EXPECT_EQ(shares.tenants, tenants) << max;
}

TEST(TenantOptionsTest, TheTotalIsDivided) {
  expect_shares(20, 5, 2, 13);
  expect_shares(30, 5, 3, 22);
  expect_shares(50, 5, 5, 40);
  expect_shares(100, 10, 10, 80);
  expect_shares(500, 20, 50, 430);
}

TEST(TenantOptionsTest, DefaultsHaveNoProblems) {
  EXPECT_THAT(problems(TenantOptions()), IsEmpty());
}

TEST(TenantOptionsTest, EverythingWrongIsSaidAtOnce) {
  TenantOptions options;
  options.max_connections = 19;
  options.max_per_tenant = 0;
  options.prefix = "a-b";
  options.stint = Duration::zero();
  options.max_known_tenants = 0;

  EXPECT_THAT(problems(options),
              ElementsAre(HasSubstr("max_connections is 19: it must be between 20 and"),
                          HasSubstr("max_per_tenant is 0: it must be between 1 and"),
                          HasSubstr("prefix is \"a-b\""), HasSubstr("stint is 0"),
                          HasSubstr("max_known_tenants is 0")));
}

TEST(TenantOptionsTest, TheCapOfATenantIsAtMostWhatAllShare) {
  TenantOptions options;
  options.max_connections = 30;
  options.max_per_tenant = 23;

  EXPECT_THAT(problems(options), ElementsAre(HasSubstr("between 1 and 22")));
}

TEST(TenantOptionsTest, PoolsOfTenantsAndOfTheSystemGetTheirSizes) {
  TenantOptions options;
  options.pool.supply = Supply::reservoir;

  const PoolOptions tenant = tenant_pool_options(options, "app_ws_a");
  const PoolOptions system = system_pool_options(options);

  EXPECT_EQ(tenant.name, "app_ws_a");
  EXPECT_EQ(tenant.size.max, 3);
  EXPECT_EQ(system.size.max, 10);
  EXPECT_EQ(system.supply, Supply::standard);
  EXPECT_THAT(problems(system), IsEmpty());
}

}  // namespace
}  // namespace forebay
