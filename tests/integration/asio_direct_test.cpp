// Statements and transactions of a pool itself as an application in Boost.Asio uses them: any
// completion token, cancelled by Asio's own means.
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include "forebay/asio.hpp"
#include "integration/transaction_fixture.hpp"

namespace forebay::test {
namespace {

namespace asio = boost::asio;
using asio::use_awaitable;

class AsioDirectTest : public TransactionFixture {
 protected:
  void SetUp() override {
    TransactionFixture::SetUp();
    add_counters(1);
    pool = open_pool(of_size(1));
  }
  void run(asio::awaitable<void> work) {
    asio::co_spawn(context, std::move(work), [](std::exception_ptr thrown) {
      EXPECT_FALSE(thrown) << "the coroutine threw";
    });
    context.run();
    context.restart();
  }

  std::unique_ptr<PostgresPool> pool;
  asio::io_context context;
};

Task<Result<int>> add_by_asio(Transaction& transaction) {
  co_return co_await transaction.query_one<int>(
      "UPDATE counter SET value = value + 1 WHERE id = 1 RETURNING value");
}
Task<Result<int>> add_by_asio_and_sleep(Transaction& transaction) {
  const Result<int> added = co_await add_by_asio(transaction);
  if (!added) co_return added;
  const auto slept = co_await transaction.exec("SELECT pg_sleep(1000)");
  if (!slept) co_return failure(slept.error());
  co_return added;
}

asio::awaitable<void> ask_the_pool(PostgresPool& pool, std::vector<std::string>& answers) {
  const auto executor = co_await asio::this_coro::executor;
  const auto sums = co_await async_query<int>(pool, "SELECT $1::int + 1", parameters(41), executor,
                                              use_awaitable);
  answers.push_back(std::to_string(sums->at(0)));
  const Result<QueryResult> plain =
      co_await async_exec(pool, "SELECT 'plain'", Parameters(), 10s, executor, use_awaitable);
  answers.emplace_back(plain->value(0, 0).value_or("null"));
  const auto wrong =
      co_await async_query<int>(pool, "SELEKT", Parameters(), 10s, executor, use_awaitable);
  answers.push_back(wrong.error().sqlstate());
  const Result<int> added = co_await async_transaction(pool, add_by_asio, executor, use_awaitable);
  answers.push_back(std::to_string(*added));
}

TEST_F(AsioDirectTest, ACoroutineAsksThePool) {
  std::vector<std::string> answers;
  run(ask_the_pool(*pool, answers));

  EXPECT_EQ(answers, (std::vector<std::string>{"42", "plain", "42601", "1"}));
  EXPECT_EQ(counter(1), 1);
  EXPECT_EQ(pool->statistics().lent, 0);
}

TEST_F(AsioDirectTest, FuturesAndOptionsWork) {
  const auto executor = context.get_executor();
  auto number = async_query<int>(*pool, "SELECT 7", Parameters(), executor, asio::use_future);
  const TransactionOptions named = options("named");
  auto added = async_transaction(*pool, named, add_by_asio, executor, asio::use_future);

  context.run();

  EXPECT_EQ(number.get().value(), std::vector<int>{7});
  EXPECT_EQ(added.get().value(), 1);
  EXPECT_EQ(counted("named").succeeded, 1u);
}

template <class Operation>
asio::awaitable<void> give_up_soon(Operation operation, bool& is_late) {
  using namespace asio::experimental::awaitable_operators;
  asio::steady_timer timer(co_await asio::this_coro::executor, 50ms);
  const auto first = co_await (std::move(operation) || timer.async_wait(use_awaitable));
  is_late = first.index() == 1;
}

TEST_F(AsioDirectTest, ATimerEndsAStatementAndATransaction) {
  const auto executor = context.get_executor();
  bool is_late = false;
  run(give_up_soon(
      async_exec(*pool, "SELECT pg_sleep(1000)", Parameters(), 1h, executor, use_awaitable),
      is_late));
  EXPECT_TRUE(is_late);

  is_late = false;
  TransactionOptions patient = options("patient");
  patient.timeout = 1h;
  run(give_up_soon(
      async_transaction(*pool, patient, add_by_asio_and_sleep, executor, use_awaitable), is_late));
  EXPECT_TRUE(is_late);
  EXPECT_EQ(pool->query_one_blocking<int>("SELECT value FROM counter WHERE id = 1").value(), 0);
}

TEST_F(AsioDirectTest, ASignalTakesAStatementOutOfTheLine) {
  const Result<PooledSession> held = pool->acquire_blocking(20s);
  asio::cancellation_signal signal;
  std::vector<Errc> errors;
  async_query<int>(*pool, "SELECT 1", Parameters(), 1h, context.get_executor(),
                   asio::bind_cancellation_slot(signal.slot(), [&](auto rows) {
                     errors.push_back(rows ? Errc::invalid : rows.error().code());
                   }));
  while (pool->statistics().waiters == 0) std::this_thread::yield();

  signal.emit(asio::cancellation_type::total);
  context.run();

  EXPECT_EQ(errors, std::vector<Errc>{Errc::cancelled});
  EXPECT_EQ(pool->statistics().waiters, 0);
}

TEST_F(AsioDirectTest, WithoutATimeItIsThePools) {
  PoolOptions options = of_size(1);
  options.call_timeout = 100ms;
  pool = open_pool(options);
  const auto executor = context.get_executor();
  const Parameters none;
  auto exec = async_exec(*pool, "SELECT pg_sleep(9)", none, executor, asio::use_future);
  context.run();
  context.restart();
  auto transaction = async_transaction(*pool, add_by_asio_and_sleep, executor, asio::use_future);
  context.run();
  context.restart();
  const Result<PooledSession> session = pool->acquire_blocking(20s);
  auto query =
      async_query<std::string>(*session, "SELECT pg_sleep(9)", none, executor, asio::use_future);
  context.run();

  EXPECT_EQ(exec.get().error().code(), Errc::timed_out);
  EXPECT_EQ(transaction.get().error().code(), Errc::timed_out);
  EXPECT_EQ(query.get().error().code(), Errc::timed_out);
}

}  // namespace
}  // namespace forebay::test
