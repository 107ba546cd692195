// PostgresPool, as a service uses it: threads and coroutines; and bad input, refused at once.
#include "integration/pool_fixture.hpp"

namespace forebay::test {
namespace {

PoolOptions of_size(int max) {
  PoolOptions options;
  options.size.max = max;
  return options;
}

std::string answer(LibpqConnection& connection, const std::string& sql) {
  Result<QueryResult> result = connection.exec_blocking(sql, 10s);
  return result ? std::string(result->value(0, 0).value_or("null")) : result.error().text();
}

class PostgresPoolTest : public PoolFixture {
 protected:
  void SetUp() override { launch({}); }
};

class CleanSessionTest : public PostgresPoolTest,
                         public ::testing::WithParamInterface<ResetMode> {};
INSTANTIATE_TEST_SUITE_P(All, CleanSessionTest,
                         ::testing::Values(ResetMode::smart, ResetMode::always));

TEST_P(CleanSessionTest, TheNextUserFindsNothingOfTheLast) {
  PoolOptions options = of_size(1);
  options.session.reset = GetParam();
  auto pool = open_pool(options);
  {
    Result<PooledSession> first = pool->acquire_blocking(10s);
    ASSERT_TRUE(first.has_value()) << first.error().text();
    answer(**first, "SELECT set_config('application_name', 'mine', false)");
    answer(**first, "SELECT pg_advisory_lock(42)");
    EXPECT_TRUE((*first)->exec_blocking("CREATE TEMP TABLE t (a int)", 10s).has_value());
    EXPECT_TRUE((*first)->exec_blocking("PREPARE p AS SELECT 1", 10s).has_value());
    EXPECT_TRUE((*first)->exec_blocking("BEGIN", 10s).has_value());
  }

  Result<PooledSession> second = pool->acquire_blocking(10s);

  ASSERT_TRUE(second.has_value()) << second.error().text();
  EXPECT_EQ(answer(**second, "SHOW application_name"), "forebay");
  EXPECT_EQ(answer(**second, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"), "0");
  EXPECT_EQ(answer(**second, "SELECT to_regclass('pg_temp.t') IS NULL"), "t");
  EXPECT_EQ(answer(**second, "SELECT count(*) FROM pg_prepared_statements"), "0");
  EXPECT_EQ(answer(**second, "SELECT now() = statement_timestamp()"), "t");
  EXPECT_EQ(pool->statistics().counters.opened, 1u);
}

TEST_F(PostgresPoolTest, WithoutResetsTheNextUserStillFindsNoTransaction) {
  PoolOptions options = of_size(1);
  options.session.reset = ResetMode::never;
  auto pool = open_pool(options);
  {
    Result<PooledSession> first = pool->acquire_blocking(10s);
    ASSERT_TRUE(first.has_value()) << first.error().text();
    EXPECT_TRUE((*first)->exec_blocking("SET application_name = 'ours'", 10s).has_value());
    EXPECT_TRUE((*first)->exec_blocking("BEGIN", 10s).has_value());
  }

  Result<PooledSession> second = pool->acquire_blocking(10s);

  ASSERT_TRUE(second.has_value()) << second.error().text();
  EXPECT_EQ((*second)->transaction_state(), postgres::TransactionState::none);
  EXPECT_EQ(answer(**second, "SHOW application_name"), "ours");
}

// A code of class 08 about one statement says nothing of the connection.
TEST_F(PostgresPoolTest, AParameterTooFewCostsNoConnection) {
  auto pool = open_pool(of_size(1));
  for (int i = 0; i < 20; ++i) {
    Result<PooledSession> session = pool->acquire_blocking(10s);
    ASSERT_TRUE(session.has_value()) << session.error().text();
    const Result<QueryResult> result =
        (*session)->exec_blocking("SELECT $1::int, $2::int", postgres::parameters(1), 10s);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().sqlstate(), "08P01");
    EXPECT_EQ(result.error().code(), Errc::statement_failed);
    EXPECT_EQ(result.error().error_class(), ErrorClass::permanent);
    EXPECT_EQ(answer(**session, "SELECT 'still here'"), "still here");
  }

  EXPECT_EQ(pool->statistics().counters.opened, 1u);
}

Task<Result<std::string>> ask_as_task(PostgresPool& pool, Instant deadline) {
  Result<PooledSession> session = co_await pool.acquire(deadline);
  if (!session) co_return failure(session.error());
  Result<QueryResult> result = co_await (*session)->exec("SELECT 'by task'", deadline);
  if (!result) co_return failure(result.error());
  co_return std::string(result->value(0, 0).value_or(""));
}

TEST_F(PostgresPoolTest, ATaskAcquiresAndAsks) {
  auto pool = open_pool(of_size(2));
  const Instant deadline = runtime.scheduler().now() + 10s;

  const Result<std::string> text = run_blocking(runtime.scheduler(), ask_as_task(*pool, deadline));

  ASSERT_TRUE(text.has_value()) << text.error().text();
  EXPECT_EQ(*text, "by task");
}

Task<Duration> open_as_task(PostgresPool& pool) {
  const Instant begun = pool.env().scheduler.now();
  const Result<PooledSession> session = co_await pool.open();
  EXPECT_FALSE(session.has_value());
  co_return pool.env().scheduler.now() - begun;
}

TEST_F(PostgresPoolTest, OpenIsThatOfADriver) {
  for (const Duration wait : {Duration(100ms), Duration(0)}) {
    PoolOptions options = of_size(1);
    EXPECT_EQ(options.open_wait, 100ms);
    options.open_wait = wait;
    options.size.min_idle = 1;
    auto pool = open_pool(options);
    std::optional<PooledSession> only;
    while (!only) only = pool->try_acquire();
    const Instant begun = runtime.scheduler().now();

    const Result<PooledSession> none = pool->open_blocking();

    const Duration waited = runtime.scheduler().now() - begun;
    ASSERT_FALSE(none.has_value());
    EXPECT_EQ(none.error().code(), Errc::timed_out);
    EXPECT_GE(waited, wait);
    EXPECT_LT(waited, 5s);
    EXPECT_EQ(none.error().text().starts_with("no connection within 0s;"), wait == 0s);
    EXPECT_GE(run_blocking(runtime.scheduler(), open_as_task(*pool)), wait);
    only.reset();
    while (!only) only = pool->try_acquire();
    only->give_back();
    const Result<PooledSession> ready = pool->open_blocking();
    EXPECT_TRUE(ready.has_value());
  }
}

TEST_F(PostgresPoolTest, BadInputIsRefusedBeforeAnythingStarts) {
  PoolOptions options = of_size(5);
  options.supply = Supply::reservoir;
  options.size.target_ready = 6;
  options.connect_timeout = -1s;

  const auto opened = PostgresPool::open(runtime, "postgresql://app:hunter2@[::1", options);

  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code(), Errc::invalid);
  const std::string& text = opened.error().text();
  EXPECT_NE(text.find("target_ready is 6"), std::string::npos) << text;
  EXPECT_NE(text.find("connect_timeout is -1s"), std::string::npos) << text;
  EXPECT_EQ(text.find("hunter2"), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
}

TEST_F(PostgresPoolTest, AWrongDatabaseIsToldToWhoWaits) {
  PoolOptions options = of_size(1);
  options.initial_failure = InitialFailure::keep_trying;
  auto opened = PostgresPool::open(runtime, server->url("app", "nowhere"), options);
  ASSERT_TRUE(opened.has_value());

  const Result<PooledSession> session = (*opened)->acquire_blocking(30s);

  ASSERT_FALSE(session.has_value());
  EXPECT_EQ(session.error().code(), Errc::refused);
  EXPECT_NE(session.error().text().find("\"nowhere\" does not exist"), std::string::npos)
      << session.error().text();
}

}  // namespace
}  // namespace forebay::test
