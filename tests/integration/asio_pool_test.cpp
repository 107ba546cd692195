// A pool as an application in Boost.Asio uses it: typed sessions and statements on the caller's own
// executor, cancelled by Asio's own means.
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include "forebay/asio.hpp"
#include "integration/pool_fixture.hpp"

namespace forebay::test {
namespace {

namespace asio = boost::asio;
using asio::use_awaitable;
using postgres::Parameters;
using postgres::parameters;

PoolOptions small_pool(int max) {
  PoolOptions options;
  options.size.max = max;
  return options;
}

class AsioPoolTest : public PoolFixture {
 protected:
  void SetUp() override { launch({}); }

  // Runs it on an executor of the application's, on this thread.
  void run(asio::awaitable<void> work) {
    asio::co_spawn(asio::make_strand(context_), std::move(work), [](std::exception_ptr thrown) {
      EXPECT_FALSE(thrown) << "the coroutine threw";
    });
    context_.run();
    context_.restart();
  }
  // The connections of the pool are all back, cleared and ready.
  void expect_all_back(PostgresPool& pool, int open) {
    const auto deadline = runtime.scheduler().now() + 20s;
    PoolStatistics now = pool.statistics();
    while (now.ready != open && runtime.scheduler().now() < deadline) {
      std::this_thread::sleep_for(1ms);
      now = pool.statistics();
    }
    EXPECT_EQ(now.ready, open) << describe(now);
    EXPECT_EQ(now.lent, 0);
    EXPECT_EQ(now.waiters, 0);
  }

  asio::io_context context_;
};

asio::awaitable<void> ask_in_turn(PostgresPool& pool, std::vector<std::string>& answers) {
  const auto executor = co_await asio::this_coro::executor;
  const Result<PooledSession> session = co_await async_acquire(pool, 10s, executor, use_awaitable);
  EXPECT_TRUE(session.has_value());
  const auto typed = co_await async_query<int, std::string>(
      *session, "SELECT $1::int + 1, 'two'", parameters(41), 10s, executor, use_awaitable);
  const auto [number, text] = typed->at(0);
  answers.push_back(std::to_string(number) + text);
  const Result<QueryResult> plain =
      co_await async_exec(*session, "SELECT 'plain'", Parameters(), 10s, executor, use_awaitable);
  answers.emplace_back(plain->value(0, 0).value_or("null"));
  const Result<QueryResult> wrong =
      co_await async_exec(*session, "SELEKT", Parameters(), 10s, executor, use_awaitable);
  answers.push_back(wrong.error().sqlstate());
  postgres::Batch batch;
  batch.add("SELECT 'first'").add("SELECT $1", parameters("second"));
  const auto both = co_await async_exec_batch(*session, batch, 10s, executor, use_awaitable);
  for (const QueryResult& each : *both) answers.emplace_back(each.value(0, 0).value_or("null"));
}

TEST_F(AsioPoolTest, ACoroutineAcquiresATypedSessionAndAsks) {
  auto pool = open_pool(small_pool(2));
  std::vector<std::string> answers;

  run(ask_in_turn(*pool, answers));

  EXPECT_EQ(answers, (std::vector<std::string>{"42two", "plain", "42601", "first", "second"}));
}

TEST_F(AsioPoolTest, AFutureIsServedToo) {
  auto pool = open_pool(small_pool(2));
  auto future = async_acquire(*pool, 10s, context_.get_executor(), asio::use_future);

  context_.run();

  EXPECT_TRUE(future.get().has_value());
}

TEST_F(AsioPoolTest, ASignalTakesACallerOutOfTheLine) {
  auto pool = open_pool(small_pool(1));
  std::optional<PooledSession> held = *pool->acquire_blocking(10s);
  asio::cancellation_signal signal;
  std::vector<Errc> errors;
  async_acquire(*pool, 1h, context_.get_executor(),
                asio::bind_cancellation_slot(signal.slot(), [&](Result<PooledSession> session) {
                  errors.push_back(session ? Errc::invalid : session.error().code());
                }));
  while (pool->statistics().waiters == 0) std::this_thread::yield();

  signal.emit(asio::cancellation_type::total);
  context_.run();

  EXPECT_EQ(errors, std::vector<Errc>{Errc::cancelled});
  EXPECT_EQ(pool->statistics().waiters, 0);
  EXPECT_EQ(pool->statistics().counters.cancels, 1u);
  held.reset();
  expect_all_back(*pool, 1);
}

asio::awaitable<void> acquire_for(PostgresPool& pool, Duration limit, bool& is_late) {
  using namespace asio::experimental::awaitable_operators;
  const auto executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor, limit);
  const auto first = co_await (async_acquire(pool, 1h, executor, use_awaitable) ||
                               timer.async_wait(use_awaitable));
  is_late = first.index() == 1;
}

TEST_F(AsioPoolTest, ATimerBesideAnAcquireEndsIt) {
  auto pool = open_pool(small_pool(1));
  std::optional<PooledSession> held = *pool->acquire_blocking(10s);
  bool is_late = false;

  run(acquire_for(*pool, 50ms, is_late));

  EXPECT_TRUE(is_late);
  EXPECT_EQ(pool->statistics().waiters, 0);
  held.reset();
  run(acquire_for(*pool, 1h, is_late));
  EXPECT_FALSE(is_late);
  expect_all_back(*pool, 1);
}

asio::awaitable<void> sleep_for_long(PostgresPool& pool, int& pid, bool& is_late) {
  using namespace asio::experimental::awaitable_operators;
  const auto executor = co_await asio::this_coro::executor;
  const Result<PooledSession> session = co_await async_acquire(pool, 10s, executor, use_awaitable);
  const auto pids = co_await async_query<int>(*session, "SELECT pg_backend_pid()", Parameters(),
                                              10s, executor, use_awaitable);
  pid = pids->at(0);
  asio::steady_timer timer(executor, 50ms);
  const auto first =
      co_await (async_query<std::string>(*session, "SELECT pg_sleep(1000)", Parameters(), 1h,
                                         executor, use_awaitable) ||
                timer.async_wait(use_awaitable));
  is_late = first.index() == 1;
  EXPECT_FALSE((*session)->is_usable());
}

TEST_F(AsioPoolTest, ATimerBesideAStatementEndsItAndTheSessionIsUsedAgain) {
  auto pool = open_pool(small_pool(1));
  int pid = 0;
  bool is_late = false;

  run(sleep_for_long(*pool, pid, is_late));

  EXPECT_TRUE(is_late);
  expect_all_back(*pool, 1);
  const Result<PooledSession> session = pool->acquire_blocking(10s);
  EXPECT_EQ(number((*session)->exec_blocking("SELECT pg_backend_pid()", 10s)), pid);
  EXPECT_EQ(sessions(), 1);
}

asio::awaitable<void> acquire_by_chance(PostgresPool& pool, int rounds, int seed, int& ended) {
  using namespace asio::experimental::awaitable_operators;
  const auto executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor);
  for (int round = 0; round < rounds; ++round) {
    timer.expires_after(std::chrono::microseconds((round * 37 + seed * 101) % 400));
    const auto first = co_await (async_acquire(pool, 10s, executor, use_awaitable) ||
                                 timer.async_wait(use_awaitable));
    ++ended;
  }
}

// Hand-overs meet cancellations from two threads: nothing is lost, and everybody ends.
TEST_F(AsioPoolTest, ManyCallersWhoAreCancelledLoseNothing) {
  static constexpr int kRounds = 200;
  auto pool = open_pool(small_pool(3));
  std::array<int, 12> ended{};
  for (std::size_t i = 0; i < ended.size(); ++i) {
    asio::co_spawn(asio::make_strand(context_),
                   acquire_by_chance(*pool, kRounds, static_cast<int>(i), ended[i]),
                   asio::detached);
  }

  std::thread helper([this] { context_.run(); });
  context_.run();
  helper.join();

  for (const int each : ended) EXPECT_EQ(each, kRounds);
  const PoolStatistics now = pool->statistics();
  EXPECT_EQ(now.waiters, 0);
  EXPECT_TRUE(pool->close(20s)) << describe(pool->statistics());
}

}  // namespace
}  // namespace forebay::test
