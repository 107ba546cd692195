// Statements and transactions of a pool itself: a session is acquired, used and given back within
// the call, in whatever form and however it ends.
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "integration/transaction_fixture.hpp"
#include "support/cancel_later.hpp"

namespace forebay::test {
namespace {

using postgres::PostgresTenants;
using postgres::PreparedStatement;
using postgres::TenantSessions;

class DirectStatementsTest : public TransactionFixture {
 protected:
  void SetUp() override {
    TransactionFixture::SetUp();
    add_counters(3);
    pool = open_pool(of_size(1));
  }
  template <class T>
  T run(Task<T> task) {
    return run_blocking(runtime.scheduler(), std::move(task));
  }
  void expect_idle() {
    EXPECT_EQ(pool->statistics().lent, 0);
    EXPECT_EQ(pool->statistics().waiters, 0);
  }

  std::unique_ptr<PostgresPool> pool;
};

TEST_F(DirectStatementsTest, AThreadAsksWithoutASessionInHand) {
  EXPECT_EQ(pool->query_one_blocking<int>("SELECT $1::int + $2::int", 40, 2).value(), 42);
  const auto rows = pool->query_blocking<int, std::string>(
      "SELECT id, $1 FROM counter WHERE id <> $2 ORDER BY id", "text", std::optional<int>(2));
  EXPECT_EQ(rows.value(), (std::vector<std::tuple<int, std::string>>{{1, "text"}, {3, "text"}}));
  const auto none = pool->query_optional_blocking<int>("SELECT id FROM counter WHERE id = $1", 77);
  EXPECT_EQ(none.value(), std::nullopt);
  const Result<QueryResult> changed =
      pool->exec_blocking("UPDATE counter SET value = $1 WHERE id > $2", 5, 1);
  EXPECT_EQ(changed->affected_rows(), 2u);
  EXPECT_EQ(counter(3), 5);
  EXPECT_EQ(pool->exec_blocking("SELECT 1")->rows(), 1);
  expect_idle();
}

TEST_F(DirectStatementsTest, WhatIsPreparedOrBoundBeforeWorksToo) {
  const PreparedStatement add("add", "SELECT $1::int + $2::int");
  const std::string sql = "SELECT 1";
  EXPECT_EQ(pool->query_one_blocking<int>(add, 1, 2).value(), 3);
  EXPECT_EQ(pool->query_one_blocking<int>(add, parameters(3, 4)).value(), 7);
  EXPECT_EQ(pool->query_one_blocking<int>(sql).value(), 1);
}

Task<Result<int>> ask_by_task(PostgresPool& pool) {
  const Result<int> one = co_await pool.query_one<int>("SELECT $1::int", 7);
  if (!one) co_return failure(one.error());
  const auto many = co_await pool.query<int>("SELECT id FROM counter ORDER BY id");
  if (!many) co_return failure(many.error());
  const auto none = co_await pool.query_optional<int>("SELECT 1 WHERE $1", false);
  if (!none || *none) co_return failure(Errc::invalid, "no row was expected");
  const auto changed = co_await pool.exec("UPDATE counter SET value = 1 WHERE id = $1", 1);
  if (!changed) co_return failure(changed.error());
  co_return *one + static_cast<int>(many->size());
}

TEST_F(DirectStatementsTest, ATaskAsksWithoutASessionInHand) {
  EXPECT_EQ(run(ask_by_task(*pool)).value(), 10);
  EXPECT_EQ(counter(1), 1);
  expect_idle();
}

// The values and the limit are the task's own by then.
Task<Result<std::string>> ask_later(PostgresPool& pool) {
  auto later = [&pool] {
    const std::string text = "as it was";
    return pool.within(10s).query_one<std::string>(std::string("SELECT $1"), text);
  }();
  co_await Yield(pool.env().scheduler);
  co_return co_await std::move(later);
}

TEST_F(DirectStatementsTest, ATaskRefersToThePoolAndNothingElse) {
  EXPECT_EQ(run(ask_later(*pool)).value(), "as it was");
}

TEST_F(DirectStatementsTest, ErrorsAreThoseOfTheStatementAndTheSessionIsBack) {
  EXPECT_EQ(pool->exec_blocking("SELEKT").error().sqlstate(), "42601");
  EXPECT_EQ(pool->query_one_blocking<int>("SELECT 1 WHERE false").error().code(), Errc::not_found);
  EXPECT_EQ(pool->query_one_blocking<int>("SELECT 'x'").error().code(), Errc::invalid);
  EXPECT_EQ(run(pool->exec("SELEKT")).error().sqlstate(), "42601");
  expect_idle();
}

TEST_F(DirectStatementsTest, WithinLimitsTheStatement) {
  const Result<QueryResult> slept = pool->within(50ms).exec_blocking("SELECT pg_sleep(1000)");
  EXPECT_EQ(slept.error().code(), Errc::timed_out);
  EXPECT_EQ(run(pool->within(50ms).exec("SELECT pg_sleep(1000)")).error().code(), Errc::timed_out);
  EXPECT_EQ(pool->query_one_blocking<int>("SELECT 1").value(), 1);
}

TEST_F(DirectStatementsTest, WithinLimitsTheWaitForASessionToo) {
  const Result<PooledSession> held = pool->acquire_blocking(20s);
  EXPECT_EQ(pool->within(50ms).query_blocking<int>("SELECT 1").error().code(), Errc::timed_out);
  EXPECT_EQ(run(pool->within(50ms).query<int>("SELECT 1")).error().code(), Errc::timed_out);
  EXPECT_EQ(pool->statistics().counters.timeouts, 2u);
}

Task<Errc> lose_the_caller(PostgresPool& pool, std::string sql) {
  Scheduler& scheduler = pool.env().scheduler;
  Cancellation gone(scheduler);
  TaskGroup group(scheduler);
  group.spawn(cancel_later(scheduler, 50ms, gone));
  const Until until(kNever, gone);
  const Result<QueryResult> result = co_await pool.within(until).exec(sql);
  co_await group.join();
  co_return result ? Errc::invalid : result.error().code();
}

TEST_F(DirectStatementsTest, ACallerWhoGoesAwayEndsTheStatementAndLeavesTheLine) {
  EXPECT_EQ(run(lose_the_caller(*pool, "SELECT pg_sleep(1000)")), Errc::cancelled);
  EXPECT_EQ(pool->query_one_blocking<int>("SELECT 1").value(), 1);
  const Result<PooledSession> held = pool->acquire_blocking(20s);
  EXPECT_EQ(run(lose_the_caller(*pool, "SELECT 1")), Errc::cancelled);
  EXPECT_EQ(pool->statistics().waiters, 0);
}

// Asks for a stop when the statement is under way, or its caller in line.
class Stopper {
 public:
  template <class IsDue>
  explicit Stopper(IsDue is_due)
      : thread_([this, is_due] {
          while (!is_due()) std::this_thread::sleep_for(1ms);
          source_.request_stop();
        }) {}
  ~Stopper() { thread_.join(); }
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::thread thread_;
};

TEST_F(DirectStatementsTest, AnotherThreadStopsAStatement) {
  const auto is_asleep = [this] {
    return number(ask("SELECT count(*) FROM pg_stat_activity WHERE usename = 'app' AND state = "
                      "'active' AND query LIKE '%pg_sleep%'")) == 1;
  };
  for (const bool is_task : {false, true}) {
    const Stopper stopper(is_asleep);
    auto stoppable = pool->within(1h, stopper.token());
    const std::string sql = "SELECT pg_sleep(1000)";
    const auto slept = is_task ? run(stoppable.query<std::string>(sql))
                               : stoppable.query_blocking<std::string>(sql);
    EXPECT_EQ(slept.error().code(), Errc::cancelled) << slept.error();
  }
  EXPECT_EQ(pool->query_one_blocking<int>("SELECT 1").value(), 1);
  EXPECT_FALSE(is_asleep());
}

TEST_F(DirectStatementsTest, AnotherThreadTakesACallerOutOfTheLine) {
  const Result<PooledSession> held = pool->acquire_blocking(20s);
  const Stopper stopper([this] { return pool->statistics().waiters == 1; });
  const auto asked = pool->within(1h, stopper.token()).query_one_blocking<int>("SELECT 1");
  EXPECT_EQ(asked.error().code(), Errc::cancelled) << asked.error();
  EXPECT_EQ(pool->statistics().waiters, 0);
}

TEST_F(DirectStatementsTest, AStopThatNobodyAsksForChangesNothing) {
  const std::stop_source source;
  auto stoppable = pool->within(20s, source.get_token());
  EXPECT_EQ(stoppable.query_one_blocking<int>("SELECT $1::int", 5).value(), 5);
  EXPECT_EQ(run(stoppable.query_one<int>("SELECT $1::int", 6)).value(), 6);
  EXPECT_EQ(
      pool->within(50ms, source.get_token()).exec_blocking("SELECT pg_sleep(9)").error().code(),
      Errc::timed_out);
}

TEST_F(DirectStatementsTest, AStopFromBeforeSendsNothing) {
  std::stop_source source;
  source.request_stop();
  auto stoppable = pool->within(20s, source.get_token());
  const auto changed = stoppable.exec_blocking("UPDATE counter SET value = 9 WHERE id = 1");
  EXPECT_EQ(changed.error().code(), Errc::cancelled) << changed.error();
  EXPECT_EQ(counter(1), 0);
  expect_idle();
}

Result<int> add_twice(Transaction& transaction) {
  for (int i = 0; i < 2; ++i) {
    const Result<void> added =
        transaction.exec_exactly_blocking(1, "UPDATE counter SET value = value + 1 WHERE id = 1");
    if (!added) return failure(added.error());
  }
  return transaction.query_one_blocking<int>("SELECT value FROM counter WHERE id = 1");
}
Task<Result<int>> add_one_more(Transaction& transaction) {
  const Result<void> added =
      co_await transaction.exec_exactly(1, "UPDATE counter SET value = value + 1 WHERE id = 1");
  if (!added) co_return failure(added.error());
  co_return transaction.attempt();
}
Task<Result<int>> conflict_once(Transaction& transaction) {
  if (transaction.attempt() > 1) co_return co_await add_one_more(transaction);
  const auto failed =
      co_await transaction.exec("DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '40001'; END $$");
  co_return failure(failed.error());
}
Task<Result<void>> change_mind(Transaction& transaction) {
  static_cast<void>(co_await add_one_more(transaction));
  co_return failure(Errc::invalid, "on second thought");
}
Task<Result<void>> sleep_long(Transaction& transaction) {
  const auto slept = co_await transaction.exec("SELECT pg_sleep(1000)");
  if (!slept) co_return failure(slept.error());
  co_return Result<void>();
}

TEST_F(DirectStatementsTest, TransactionsCommitRollBackAndAreRunAgain) {
  EXPECT_EQ(pool->transaction_blocking(add_twice).value(), 2);
  EXPECT_EQ(run(pool->transaction(add_one_more)).value(), 1);
  EXPECT_EQ(run(pool->transaction(conflict_once)).value(), 2);
  EXPECT_EQ(counter(1), 4);
  EXPECT_EQ(run(pool->transaction(change_mind)).error().text(), "on second thought");
  EXPECT_EQ(counter(1), 4);
  EXPECT_EQ(pool->transaction_blocking(options("twice"), add_twice).value(), 6);
  EXPECT_EQ(counted("twice").succeeded, 1u);
  expect_idle();
}

TEST_F(DirectStatementsTest, AnotherThreadStopsATransaction) {
  const Stopper stopper([this] {
    return number(ask("SELECT count(*) FROM pg_stat_activity WHERE usename = 'app' AND query LIKE "
                      "'%pg_sleep%' AND state = 'active'")) == 1;
  });
  const Result<void> slept = run(pool->within(1h, stopper.token()).transaction(sleep_long));
  EXPECT_EQ(slept.error().code(), Errc::cancelled) << slept.error();
}

TEST_F(DirectStatementsTest, TransactionsEndByTheNearerLimit) {
  TransactionOptions hasty("hasty");
  hasty.timeout = 50ms;
  for (auto task : {&sleep_long}) {
    EXPECT_EQ(run(pool->transaction(hasty, task)).error().code(), Errc::timed_out);
    EXPECT_EQ(run(pool->within(1h).transaction(hasty, task)).error().code(), Errc::timed_out);
    EXPECT_EQ(run(pool->within(50ms).transaction(task)).error().code(), Errc::timed_out);
    EXPECT_EQ(run(pool->within(50ms).transaction(options("slow"), task)).error().code(),
              Errc::timed_out);
  }
  const Result<PooledSession> held = pool->acquire_blocking(20s);
  const Result<int> waited = pool->within(50ms).transaction_blocking(options("slow"), add_twice);
  EXPECT_EQ(waited.error().code(), Errc::timed_out);
}

class CallTimeoutTest : public DirectStatementsTest {
 protected:
  void SetUp() override {
    DirectStatementsTest::SetUp();
    PoolOptions options = of_size(1);
    EXPECT_EQ(options.call_timeout, 30s);
    options.call_timeout = 100ms;
    pool = open_pool(options);
  }
};

Task<Errc> sleep_on_session(PostgresPool& pool) {
  const Result<PooledSession> session = co_await pool.acquire(kNever);
  const Result<QueryResult> slept = co_await (*session)->exec("SELECT pg_sleep($1)", parameters(9));
  co_return slept ? Errc::invalid : slept.error().code();
}
Task<Errc> ask_on_session(PostgresPool& pool) {
  const Result<PooledSession> session = co_await pool.acquire(kNever);
  const auto slept = co_await (*session)->query_one<std::string>("SELECT pg_sleep(9)");
  co_return slept ? Errc::invalid : slept.error().code();
}

TEST_F(CallTimeoutTest, IsForCallsOfThePoolThatSayNothing) {
  const std::string sql = "SELECT pg_sleep(9)";
  EXPECT_EQ(pool->exec_blocking(sql).error().code(), Errc::timed_out);
  EXPECT_EQ(run(pool->query<std::string>(sql)).error().code(), Errc::timed_out);
  EXPECT_EQ(run(pool->transaction(sleep_long)).error().code(), Errc::timed_out);
  EXPECT_TRUE(pool->within(20s).exec_blocking("SELECT pg_sleep(0.3)").has_value());
  const Result<PooledSession> held = pool->acquire_blocking(20s);
  EXPECT_EQ(pool->exec_blocking("SELECT 1").error().code(), Errc::timed_out);
}

TEST_F(CallTimeoutTest, IsForStatementsOfASessionThatSayNothing) {
  EXPECT_EQ(run(sleep_on_session(*pool)), Errc::timed_out);
  EXPECT_EQ(run(ask_on_session(*pool)), Errc::timed_out);
  const auto asked = [this](auto ask) {
    const Result<PooledSession> session = pool->acquire_blocking(20s);
    return ask(**session).error().code();
  };
  EXPECT_EQ(asked([](LibpqConnection& c) { return c.exec_blocking("SELECT pg_sleep(9)"); }),
            Errc::timed_out);
  EXPECT_EQ(asked([](LibpqConnection& c) {
              return c.query_blocking<std::string>("SELECT pg_sleep($1)", parameters(9));
            }),
            Errc::timed_out);
  const Result<PooledSession> session = pool->acquire_blocking(20s);
  EXPECT_TRUE((*session)->exec_blocking("SELECT pg_sleep(0.3)", 20s).has_value());
}

TEST_F(CallTimeoutTest, NothingOfItIsSetOnTheServer) {
  EXPECT_EQ(pool->query_one_blocking<std::string>("SHOW statement_timeout").value(), "0");
}

TEST_F(DirectStatementsTest, ATenantIsAskedInTheSameWay) {
  TenantOptions tenancy;
  tenancy.creates_missing_databases = true;
  tenancy.pool.call_timeout = 5s;
  auto tenants = PostgresTenants::open(runtime, server->superuser_url(), tenancy);
  ASSERT_TRUE(tenants.has_value()) << tenants.error();
  TenantSessions acme(**tenants, "acme");

  EXPECT_EQ(acme.call_timeout(), 5s);
  EXPECT_EQ(acme.query_one_blocking<std::string>("SELECT current_database()").value(),
            "forebay_ws_acme");
  EXPECT_EQ(acme.within(50ms).exec_blocking("SELECT pg_sleep(9)").error().code(), Errc::timed_out);
}

TEST_F(DirectStatementsTest, ALeakReportNamesTheCallersPlace) {
  PoolOptions options = of_size(1);
  options.leak_after = 20ms;
  std::atomic<int> leaks = 0;
  std::string file;
  options.on_leak = [&](const LeakReport& leak) {
    file = leak.taken_from.file_name();
    ++leaks;
  };
  pool = open_pool(options);

  EXPECT_TRUE(pool->exec_blocking("SELECT pg_sleep(2)").has_value());

  ASSERT_EQ(leaks, 1);
  EXPECT_TRUE(file.ends_with("direct_statements_test.cpp")) << file;
}

TEST_F(DirectStatementsTest, AnErrorCarriesWhatTheServerSaidItIsAbout) {
  ASSERT_TRUE(ask("CREATE TABLE orders (id int CONSTRAINT orders_key PRIMARY KEY, "
                  "customer int NOT NULL, CHECK (customer > 0))")
                  .has_value());
  ASSERT_TRUE(ask("GRANT ALL ON orders TO app").has_value());
  ASSERT_TRUE(pool->exec_blocking("INSERT INTO orders VALUES ($1, $2)", 7, 1).has_value());

  const Error twice = pool->exec_blocking("INSERT INTO orders VALUES ($1, $2)", 7, 1).error();
  EXPECT_EQ(twice.sqlstate(), "23505");
  EXPECT_EQ(twice.error_class(), ErrorClass::permanent);
  EXPECT_EQ(twice.schema(), "public");
  EXPECT_EQ(twice.table(), "orders");
  EXPECT_EQ(twice.constraint(), "orders_key");
  EXPECT_EQ(twice.detail(), "Key (id)=(7) already exists.");
  EXPECT_EQ(twice.column(), "");
  EXPECT_EQ(twice.hint(), "");

  const Error missing =
      pool->exec_blocking("INSERT INTO orders VALUES ($1, $2)", 8, std::nullopt).error();
  EXPECT_EQ(missing.column(), "customer");
  EXPECT_EQ(missing.constraint(), "");
  const Error checked = pool->exec_blocking("INSERT INTO orders VALUES (9, -1)").error();
  EXPECT_EQ(checked.constraint(), "orders_customer_check");
  const Error hinted = pool->exec_blocking("SELECT idd FROM orders").error();
  EXPECT_NE(hinted.hint(), "");
  EXPECT_EQ(hinted.table(), "");
}

Task<Result<void>> insert_twice(Transaction& transaction) {
  for (int i = 0; i < 2; ++i) {
    const auto inserted = co_await transaction.exec("INSERT INTO counter VALUES (9, 9)");
    if (!inserted) co_return failure(inserted.error());
  }
  co_return Result<void>();
}

TEST_F(DirectStatementsTest, TheErrorOfATransactionCarriesItToo) {
  const Result<void> inserted = run(pool->transaction(insert_twice));
  EXPECT_EQ(inserted.error().constraint(), "counter_pkey") << inserted.error();
}

}  // namespace
}  // namespace forebay::test
