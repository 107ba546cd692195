// PostgresPool, as a service uses it: threads, coroutines and Asio; and bad input, refused at once.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include "forebay/asio.hpp"
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

TEST_F(PostgresPoolTest, TheNextUserFindsNothingOfTheLast) {
  auto pool = open_pool(of_size(1));
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

boost::asio::awaitable<void> ask_in_asio(PostgresPool& pool, Runtime& runtime, bool& is_served) {
  const auto executor = co_await boost::asio::this_coro::executor;
  Result<PooledConnection> connection = co_await async_acquire(
      pool.pool(), runtime.scheduler(), 10s, executor, boost::asio::use_awaitable);
  is_served = connection.has_value();
}

TEST_F(PostgresPoolTest, AnAsioCoroutineAcquires) {
  auto pool = open_pool(of_size(2));
  boost::asio::io_context context;
  bool is_served = false;

  boost::asio::co_spawn(context, ask_in_asio(*pool, runtime, is_served), boost::asio::detached);
  context.run();

  EXPECT_TRUE(is_served);
}

TEST_F(PostgresPoolTest, AFutureIsServedToo) {
  auto pool = open_pool(of_size(2));
  boost::asio::io_context context;
  auto future = async_acquire(pool->pool(), runtime.scheduler(), 10s, context.get_executor(),
                              boost::asio::use_future);

  context.run();

  EXPECT_TRUE(future.get().has_value());
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
  EXPECT_NE(text.find("connect_timeout is -1 s"), std::string::npos) << text;
  EXPECT_EQ(text.find("hunter2"), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
}

TEST_F(PostgresPoolTest, AWrongDatabaseIsToldToWhoWaits) {
  auto opened = PostgresPool::open(runtime, server->url("app", "nowhere"), of_size(1));
  ASSERT_TRUE(opened.has_value());

  const Result<PooledSession> session = (*opened)->acquire_blocking(300ms);

  ASSERT_FALSE(session.has_value());
  EXPECT_EQ(session.error().code(), Errc::timed_out);
  EXPECT_NE(session.error().text().find("\"nowhere\" does not exist"), std::string::npos)
      << session.error().text();
}

}  // namespace
}  // namespace forebay::test
