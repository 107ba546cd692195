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

TEST(TenantOptionsTest, TheSharesCanBeSet) {
  TenantOptions options;
  options.max_connections = 50;
  options.system_connections = 2;
  options.kept_free = 0;

  EXPECT_THAT(problems(options), IsEmpty());
  EXPECT_EQ(shares_of(options).system, 2);
  EXPECT_EQ(shares_of(options).kept_free, 0);
  EXPECT_EQ(shares_of(options).tenants, 48);
  EXPECT_EQ(system_pool_options(options).size.max, 2);
}

TEST(TenantOptionsTest, AtLeastOneIsForTenants) {
  TenantOptions options;
  options.max_connections = 20;
  options.max_per_tenant = 1;
  options.system_connections = 18;
  EXPECT_THAT(sentences(problems(options)),
              ElementsAre("system_connections is 18: it must be between 1 and 17 (of 20, 2 are "
                          "kept free, and at least one is for tenants)"));
  options.kept_free = 2;
  EXPECT_THAT(sentences(problems(options)),
              ElementsAre("kept_free is 2: it must be between 0 and 1 (of 20, 18 are for the "
                          "system, and at least one is for tenants)"));
  options.kept_free = 1;
  EXPECT_THAT(problems(options), IsEmpty());
  EXPECT_EQ(shares_of(options).tenants, 1);
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
  options.busiest_in_metrics = -1;

  EXPECT_THAT(
      sentences(problems(options)),
      ElementsAre(HasSubstr("max_connections is 19: it must be between 20 and"),
                  HasSubstr("max_per_tenant is 0: it must be between 1 and"),
                  HasSubstr("prefix is \"a-b\""), HasSubstr("stint is 0"),
                  HasSubstr("max_known_tenants is 0"), HasSubstr("busiest_in_metrics is -1")));
}

TEST(TenantOptionsTest, TheCapOfATenantIsAtMostWhatAllShare) {
  TenantOptions options;
  options.max_connections = 30;
  options.max_per_tenant = 23;

  EXPECT_THAT(sentences(problems(options)), ElementsAre(HasSubstr("between 1 and 22")));
}

TEST(TenantOptionsTest, APatternThatCannotKeepTenantsApartIsRefused) {
  TenantOptions options;
  options.database = "{prefix}_everybody";

  EXPECT_THAT(sentences(problems(options)),
              ElementsAre("database is \"{prefix}_everybody\": it must have {id} or {exact_id}: "
                          "without, all tenants would share a database"));
  options.database_of = [](std::string_view id) { return std::string(id); };
  EXPECT_THAT(problems(options), IsEmpty());
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
