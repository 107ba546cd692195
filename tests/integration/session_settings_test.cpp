// What every session is set to, or prepared with, is there for every user of it: not for the first
// one alone. And what a user changes is there for nobody else.
#include "forebay/postgres/postgres_tenants.hpp"
#include "integration/pool_fixture.hpp"

namespace forebay::test {
namespace {

PoolOptions one_session() {
  PoolOptions options;
  options.size.max = 1;
  return options;
}

std::string reply(LibpqConnection& connection, const std::string& sql) {
  Result<QueryResult> result = connection.exec_blocking(sql, 10s);
  if (!result) return result.error().text();
  return result->rows() > 0 ? std::string(result->value(0, 0).value_or("null")) : "";
}

class SessionSettingsPoolTest : public PoolFixture {
 protected:
  void SetUp() override { launch({}); }

  // What three users find, each of whom changes it.
  std::vector<std::string> found_by_users(PostgresPool& pool, const std::string& question,
                                          const std::string& change) {
    std::vector<std::string> found;
    for (int i = 0; i < 3; ++i) {
      Result<PooledSession> session = pool.acquire_blocking(10s);
      if (!session) return {session.error().text()};
      found.push_back(reply(**session, question));
      EXPECT_EQ(reply(**session, change), "");
    }
    return found;
  }
};

TEST_F(SessionSettingsPoolTest, SettingsLastForEveryUser) {
  PoolOptions options = one_session();
  options.session_settings = {{"search_path", "app, public"}};
  auto pool = open_pool(options);

  const auto found = found_by_users(*pool, "SHOW search_path", "SET search_path = elsewhere");

  EXPECT_EQ(found, std::vector<std::string>(3, "app, public"));
  EXPECT_EQ(pool->statistics().counters.opened, 1u);
}

Task<Result<void>> prepare(Connection& connection, Instant deadline) {
  auto& session = static_cast<LibpqConnection&>(connection);
  for (const char* const sql :
       {"SET search_path = app, public", "CREATE TEMP TABLE scratch (n int)",
        "INSERT INTO scratch VALUES (7)", "SET ROLE reader"}) {
    postgres::Statement statement(sql);
    const Result<QueryResult> done = co_await session.exec(std::move(statement), deadline);
    if (!done) co_return failure(done.error());
  }
  co_return Result<void>();
}

TEST_F(SessionSettingsPoolTest, WhatAfterConnectDidLastsForEveryUser) {
  ASSERT_TRUE(ask("CREATE ROLE reader"));
  ASSERT_TRUE(ask("GRANT reader TO app"));
  PoolOptions options = one_session();
  options.after_connect = &prepare;
  auto pool = open_pool(options);
  const std::string everything =
      "SELECT current_setting('search_path') || ' ' || current_user || ' ' || "
      "to_regclass('pg_temp.scratch')::text || ' ' || "
      "(SELECT count(*) FROM pg_prepared_statements WHERE from_sql)";

  const auto found = found_by_users(*pool, everything, "SET search_path = elsewhere");
  const auto again = found_by_users(*pool, everything, "PREPARE mine AS SELECT 1");
  const auto still = found_by_users(*pool, everything, "BEGIN; RESET ROLE; DROP TABLE scratch");

  const std::vector<std::string> as_prepared(3, "app, public reader scratch 0");
  EXPECT_EQ(found, as_prepared);
  EXPECT_EQ(again, as_prepared);
  EXPECT_EQ(still, as_prepared);
  EXPECT_EQ(pool->statistics().counters.opened, 1u);
}

TEST_F(SessionSettingsPoolTest, WhoChangedNothingCostsNoReset) {
  PoolOptions options = one_session();
  std::atomic<int> calls = 0;
  options.after_connect = [&calls](Connection& connection, Instant deadline) {
    ++calls;
    return prepare(connection, deadline);
  };
  ASSERT_TRUE(ask("CREATE ROLE reader"));
  ASSERT_TRUE(ask("GRANT reader TO app"));
  auto pool = open_pool(options);

  for (int i = 0; i < 5; ++i) EXPECT_TRUE(pool->acquire_blocking(10s));

  EXPECT_EQ(calls, 1);
}

Task<Result<void>> leave_open(Connection& connection, Instant deadline) {
  const auto begun = co_await static_cast<LibpqConnection&>(connection).exec("BEGIN", deadline);
  if (!begun) co_return failure(begun.error());
  co_return Result<void>();
}

TEST_F(SessionSettingsPoolTest, AnOpenTransactionOfTheHookIsLentToNobody) {
  PoolOptions options = one_session();
  options.after_connect = &leave_open;
  auto pool = open_pool(options);

  const Result<PooledSession> session = pool->acquire_blocking(300ms);

  ASSERT_FALSE(session.has_value());
  EXPECT_TRUE(session.error().text().contains("after_connect left a transaction"))
      << session.error().text();
}

TEST_F(SessionSettingsPoolTest, TenantsHaveThemToo) {
  TenantOptions options;
  options.prefix = "test";
  options.creates_missing_databases = true;
  options.pool.session_settings = {{"search_path", "app, public"}, {"work_mem", "5MB"}};
  auto tenants = postgres::PostgresTenants::open(runtime, server->superuser_url(), options);
  ASSERT_TRUE(tenants.has_value()) << tenants.error().text();

  for (const char* const tenant : {"acme", "bolt", "acme"}) {
    Result<PooledSession> session = (*tenants)->acquire_blocking(tenant, 30s);
    ASSERT_TRUE(session.has_value()) << session.error().text();
    EXPECT_EQ(reply(**session, "SHOW search_path"), "app, public");
    EXPECT_EQ(reply(**session, "SHOW work_mem"), "5MB");
    EXPECT_EQ(reply(**session, "SET search_path = elsewhere"), "");
  }
}

}  // namespace
}  // namespace forebay::test
