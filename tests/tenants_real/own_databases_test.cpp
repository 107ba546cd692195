// Databases that the users of tenants have made, and named, themselves.
#include <gmock/gmock.h>

#include "forebay/metrics.hpp"
#include "tenants_real/tenants_fixture.hpp"

namespace forebay::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class OwnDatabasesTest : public TenantsFixture {
 protected:
  void launch_with(const TenantOptions& options, const std::vector<std::string>& databases) {
    launch_for(options);
    for (const std::string& name : databases)
      ASSERT_TRUE(ask(fmt::format("CREATE DATABASE \"{}\" OWNER app", name)).has_value()) << name;
    open(options);
  }
  std::string database_of(const std::string& tenant) {
    Result<PooledSession> session = tenants->acquire_blocking(tenant, 30s);
    if (!session) return session.error().text();
    const auto seen = (*session)->query_one_blocking<std::string>("SELECT current_database()", 30s);
    return seen ? *seen : seen.error().text();
  }
};

TEST_F(OwnDatabasesTest, AMissingOneIsToldAtOnceInTheServersWords) {
  launch_with(options_of(30, 3), {});

  const Instant begun = runtime.scheduler().now();
  const Result<PooledSession> first = tenants->acquire_blocking("nowhere", 60s);
  const Result<PooledSession> second = tenants->acquire_blocking("nowhere", 60s);

  EXPECT_LT(runtime.scheduler().now() - begun, 10s);
  for (const Result<PooledSession>* each : {&first, &second}) {
    ASSERT_FALSE(each->has_value());
    EXPECT_EQ(each->error().code(), Errc::refused);
    EXPECT_EQ(each->error().sqlstate(), "3D000");
    EXPECT_THAT(each->error().text(),
                HasSubstr("FATAL: database \"test_ws_nowhere\" does not exist"));
  }
  expect_all_well();
}

TEST_F(OwnDatabasesTest, IdsWithUnderscoresAndWithDashesHaveTheirOwn) {
  TenantOptions options = options_of(30, 3);
  options.database = "customer.{exact_id}";
  launch_with(options, {"customer.a_b", "customer.a-b"});

  EXPECT_EQ(database_of("a_b"), "customer.a_b");
  EXPECT_EQ(database_of("a-b"), "customer.a-b");
  expect_all_well();
}

TEST_F(OwnDatabasesTest, NamesThatAFunctionMakes) {
  TenantOptions options = options_of(30, 3);
  options.database_of = [](std::string_view id) -> Result<std::string> {
    if (id == "K\xc3\xb6ln") return "Kunde 1";
    if (id == "copy") return "Kunde 1";
    if (id == "2") return "Kunde \"2\"; --";
    return failure(Errc::not_found, "there is no such customer");
  };
  launch_with(options, {"Kunde 1", "Kunde \"\"2\"\"; --"});

  EXPECT_EQ(database_of("K\xc3\xb6ln"), "Kunde 1");
  EXPECT_EQ(database_of("2"), "Kunde \"2\"; --");
  EXPECT_EQ(tenants->acquire_blocking("9", 1s).error().code(), Errc::not_found);
  const Result<PooledSession> shared = tenants->acquire_blocking("copy", 1s);
  ASSERT_FALSE(shared.has_value());
  EXPECT_EQ(shared.error().code(), Errc::invalid);
  EXPECT_THAT(shared.error().text(), HasSubstr("which is tenant"));
  expect_all_well();
}

TEST_F(OwnDatabasesTest, AnIdReachesNoDatabaseOfTheSystemOrTheServer) {
  TenantOptions options = options_of(30, 3);
  options.database = "{exact_id}";
  launch_for(options);
  ASSERT_TRUE(ask("CREATE DATABASE mine").has_value());
  auto opened = PostgresTenants::open(runtime, server->url("app", "mine"), options);
  ASSERT_TRUE(opened.has_value()) << opened.error().text();

  for (const char* id : {"mine", "postgres", "template0", "template1"}) {
    const Result<PooledSession> session = (*opened)->acquire_blocking(id, 30s);
    ASSERT_FALSE(session.has_value()) << id;
    EXPECT_EQ(session.error().code(), Errc::invalid);
    EXPECT_THAT(session.error().text(), HasSubstr("no tenant's"));
  }
  EXPECT_TRUE((*opened)->system().acquire_blocking(30s).has_value());
}

TEST_F(OwnDatabasesTest, ARoleThatMayNotMakeThemHearsSoAtOnce) {
  TenantOptions options = options_of(30, 3);
  options.creates_missing_databases = true;
  launch_with(options, {});
  ASSERT_TRUE(ask("ALTER ROLE app NOCREATEDB").has_value());

  const Instant begun = runtime.scheduler().now();
  const Result<PooledSession> session = tenants->acquire_blocking("new", 60s);

  EXPECT_LT(runtime.scheduler().now() - begun, 10s);
  ASSERT_FALSE(session.has_value());
  EXPECT_EQ(session.error().code(), Errc::refused);
  EXPECT_EQ(session.error().sqlstate(), "42501");
  EXPECT_THAT(session.error().text(), HasSubstr("permission denied to create database"));
  expect_all_well();
}

TEST_F(OwnDatabasesTest, OneLookHasTenantsAndSystem) {
  TenantOptions options = options_of(30, 3);
  options.system_connections = 2;
  options.kept_free = 1;
  launch_with(options, {"test_ws_a", "test_ws_b"});
  ASSERT_TRUE(ask("ALTER ROLE app CONNECTION LIMIT 30").has_value());
  auto held = tenants->acquire_blocking("a", 30s);
  EXPECT_EQ(database_of("b"), "test_ws_b");
  auto of_system = tenants->system().acquire_blocking(30s);

  const TenancyStatistics now = tenants->statistics();

  EXPECT_EQ(now.all.max, 30);
  EXPECT_EQ(now.tenants.max, 27);
  EXPECT_EQ(now.system.max, 2);
  EXPECT_EQ(now.system.open, 1);
  EXPECT_EQ(now.system.in_use, 1);
  EXPECT_EQ(now.system.waits, 0u);  // it has had one since the start
  EXPECT_EQ(now.all.open, 3);
  EXPECT_EQ(now.all.in_use, 2);
  EXPECT_EQ(now.all.idle(), 1);
  EXPECT_EQ(now.all.waits, 2u);
  EXPECT_GT(now.all.wait_time, now.system.wait_time);
  ASSERT_EQ(now.by_tenant.size(), 2u);
  EXPECT_EQ(now.by_tenant[0].tenant, "a");
  EXPECT_EQ(now.by_tenant[0].lent, 1);
  EXPECT_EQ(now.by_tenant[1].idle(), 1);
}

TEST_F(OwnDatabasesTest, TheBusiestHaveMetrics) {
  TenantOptions options = options_of(30, 3);
  options.busiest_in_metrics = 1;
  launch_with(options, {"test_ws_a", "test_ws_b"});
  Metrics metrics("shop");
  const Metrics::Watch watched = watch(metrics, *tenants);
  database_of("a");
  database_of("b");
  database_of("b");

  const std::string page = metrics.text();

  EXPECT_THAT(page, HasSubstr("forebay_busy_tenant_served_total{service=\"shop\",tenant=\"b\"} 2"));
  EXPECT_THAT(page, HasSubstr("forebay_tenants_warm{service=\"shop\"} 2"));
  EXPECT_THAT(page, Not(HasSubstr("tenant=\"a\"")));
}

}  // namespace
}  // namespace forebay::test
