// Streams of rows in a pool: who holds the session and for how long, and what becomes of it; in
// transactions; and what an observer is told.
#include <latch>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "integration/transaction_fixture.hpp"

namespace forebay::test {
namespace {

using postgres::RowStream;

constexpr const char* kTenMillion =
    "SELECT n, repeat('x', 1000) FROM (SELECT generate_series(1, 10000000) AS n) AS numbers";
constexpr const char* kThousand = "SELECT generate_series(1, 1000)";

// What it is told of statements, with their errors.
class StatementNotes final : public Observer {
 public:
  void on_end(const ObservedCall& call, Duration, const Error* error) noexcept override {
    if (call.step != ObservedStep::statement) return;
    const std::lock_guard lock(mutex_);
    notes_.push_back(std::string(call.trace_context) + ": " + (error ? error->text() : "done"));
  }
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(notes_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> notes_;
};

class PoolStreamTest : public TransactionFixture {
 protected:
  void SetUp() override {
    TransactionFixture::SetUp();
    add_counters(3);
    PoolOptions options = of_size(1);
    options.observer = &observer;
    pool = open_pool(options);
  }
  template <class T>
  T run(Task<T> task) {
    return run_blocking(runtime.scheduler(), std::move(task));
  }
  int backend() { return pool->query_one_blocking<int>("SELECT pg_backend_pid()").value_or(-1); }

  StatementNotes observer;  // outlives the pool
  std::unique_ptr<PostgresPool> pool;
};

TEST_F(PoolStreamTest, TheStreamKeepsItsSessionUntilTheLastRow) {
  auto rows = pool->stream_blocking<int>("SELECT generate_series(1, $1)", 3);
  ASSERT_TRUE(rows.has_value()) << rows.error();
  int sum = 0;
  EXPECT_EQ(pool->statistics().lent, 1);
  for (const Result<int>& row : *rows) sum += row.value();
  EXPECT_EQ(sum, 6);
  EXPECT_EQ(pool->statistics().lent, 0) << "before the stream itself is gone";
  EXPECT_FALSE(pool->stream_blocking<int>("SELEKT").has_value());
  EXPECT_FALSE(pool->stream_blocking<int>("SELECT 1, 2").has_value());
  EXPECT_EQ(pool->statistics().lent, 0);
}

Task<Result<int>> count_rows(PostgresPool& pool, int most) {
  auto rows = co_await pool.stream<int>("SELECT generate_series(1, $1::int)", most);
  if (!rows) co_return failure(rows.error());
  int count = 0;
  while (auto row = co_await rows->next()) {
    if (!*row) co_return failure(row->error());
    ++count;
  }
  co_return count;
}

TEST_F(PoolStreamTest, TasksStreamToo) {
  EXPECT_EQ(run(count_rows(*pool, 100'000)).value(), 100'000);
  EXPECT_EQ(pool->statistics().lent, 0);
}

TEST_F(PoolStreamTest, AReaderWhoLeavesHasTheStatementCancelledAndTheSessionUsedAgain) {
  const int before = backend();
  for (int i = 0; i < 3; ++i) {
    auto rows = pool->stream_blocking<int, std::string>(kTenMillion);
    ASSERT_TRUE(rows.has_value()) << rows.error();
    EXPECT_EQ(std::get<0>(rows->next_blocking()->value()), 1);
  }
  EXPECT_EQ(backend(), before);
  EXPECT_EQ(number(ask("SELECT count(*) FROM pg_stat_activity WHERE usename = 'app' AND state = "
                       "'active'")),
            0);
}

TEST_F(PoolStreamTest, SoItIsWithASessionInHand) {
  const int before = backend();
  {
    auto session = pool->acquire_blocking(20s);
    auto rows = (*session)->stream_blocking<int, std::string>(kTenMillion);
    EXPECT_EQ(std::get<0>(rows->next_blocking()->value()), 1);
  }
  EXPECT_EQ(backend(), before);
}

TEST_F(PoolStreamTest, WithoutCancelsTheSessionIsReplaced) {
  PoolOptions options = of_size(1);
  options.cancel_timeout = Duration::zero();
  pool = open_pool(options);
  const int before = backend();
  {
    auto rows = pool->stream_blocking<int, std::string>(kTenMillion);
    EXPECT_EQ(std::get<0>(rows->next_blocking()->value()), 1);
  }
  EXPECT_NE(backend(), before);
}

// As long as it is read, then. Says so when it has its first row, or never gets one.
Task<Errc> read_until_error(PostgresPool& pool, std::stop_token stop, std::latch& reads) {
  auto rows = co_await pool.within(1h, stop).stream<int, std::string>(kTenMillion);
  if (rows) co_await rows->next();
  reads.count_down();
  if (!rows) co_return rows.error().code();
  while (auto row = co_await rows->next()) {
    if (!*row) co_return row->error().code();
  }
  co_return Errc::invalid;
}

Errc read_until_error_blocking(PostgresPool& pool, std::stop_token stop, std::latch& reads) {
  auto rows = pool.within(1h, stop).stream_blocking<int, std::string>(kTenMillion);
  if (rows) rows->next_blocking();
  reads.count_down();
  if (!rows) return rows.error().code();
  for (const auto& row : *rows) {
    if (!row) return row.error().code();
  }
  return Errc::invalid;
}

TEST_F(PoolStreamTest, AnotherThreadStopsItInTheMiddle) {
  for (const bool is_task : {true, false}) {
    std::stop_source source;
    std::latch reads(1);
    const std::jthread stopper([&source, &reads] {
      reads.wait();
      source.request_stop();
    });
    const Errc code = is_task ? run(read_until_error(*pool, source.get_token(), reads))
                              : read_until_error_blocking(*pool, source.get_token(), reads);
    EXPECT_EQ(code, Errc::cancelled) << is_task;
  }
  EXPECT_EQ(pool->query_one_blocking<int>("SELECT 1").value(), 1);
}

TEST_F(PoolStreamTest, AStopIsHeardWhileTheServerThinks) {
  std::stop_source source;
  const std::jthread stopper([&source] {
    std::this_thread::sleep_for(100ms);
    source.request_stop();
  });
  const auto slept =
      pool->within(1h, source.get_token()).stream_blocking<std::string>("SELECT pg_sleep(1000)");
  EXPECT_EQ(slept.error().code(), Errc::cancelled) << slept.error();
}

TEST_F(PoolStreamTest, WithinIsForTheWholeOfIt) {
  auto rows = pool->within(200ms).stream_blocking<int, std::string>(kTenMillion);
  ASSERT_TRUE(rows.has_value()) << rows.error();
  Errc code = Errc::invalid;
  for (const auto& row : *rows) {
    if (!row) code = row.error().code();
  }
  EXPECT_EQ(code, Errc::timed_out);
  const auto held = pool->acquire_blocking(20s);
  EXPECT_EQ(pool->within(50ms).stream_blocking<int>("SELECT 1").error().code(), Errc::timed_out);
}

TEST_F(PoolStreamTest, AnObserverIsToldOfAllOfItAtItsEnd) {
  observer.take();
  {
    const std::string context = "morning";
    const TraceScope traced(context);
    auto rows = pool->stream_blocking<int>(kThousand);
    EXPECT_EQ(observer.take(), std::vector<std::string>());
    EXPECT_TRUE(rows->close_blocking().has_value());
    EXPECT_EQ(observer.take(), std::vector<std::string>{"morning: done"});
  }
  auto rows = pool->stream_blocking<int>("SELECT 1 / (2 - generate_series(1, 2))");
  for (const auto& row : *rows) static_cast<void>(row.has_value());
  EXPECT_EQ(observer.take().at(0), ": division by zero");
  static_cast<void>(pool->stream_blocking<int>(kThousand)->next_blocking());
  EXPECT_EQ(observer.take().at(0), ": its reader left; rows read: 1");
}

Result<int> read_and_write(Transaction& transaction) {
  auto rows = transaction.stream_blocking<int>("SELECT id FROM counter ORDER BY id");
  if (!rows) return failure(rows.error());
  std::vector<int> ids;
  for (const Result<int>& row : *rows) {
    if (!row) return failure(row.error());
    ids.push_back(*row);
  }
  for (const int id : ids) {
    const auto added = transaction.exec_exactly_blocking(1, kAddOne, parameters(id));
    if (!added) return failure(added.error());
  }
  return static_cast<int>(ids.size());
}
Task<Result<int>> read_and_write_by_task(Transaction& transaction) {
  auto rows = co_await transaction.stream<int>("SELECT id FROM counter ORDER BY id");
  if (!rows) co_return failure(rows.error());
  int count = 0;
  while (auto row = co_await rows->next()) {
    if (!*row) co_return failure(row->error());
    ++count;
  }
  const auto added = co_await transaction.exec_exactly(1, kAddOne, parameters(1));
  if (!added) co_return failure(added.error());
  co_return count;
}

TEST_F(PoolStreamTest, ATransactionStreamsAndGoesOn) {
  EXPECT_EQ(pool->transaction_blocking(read_and_write).value(), 3);
  EXPECT_EQ(counter(3), 1);
  EXPECT_EQ(run(pool->transaction(read_and_write_by_task)).value(), 3);
  EXPECT_EQ(counter(1), 2);
}

// Reads one row of many, and changes something before.
Result<int> peek(Transaction& transaction, const char* sql) {
  const auto added = transaction.exec_exactly_blocking(1, kAddOne, parameters(1));
  if (!added) return failure(added.error());
  auto rows = transaction.stream_blocking<std::string>(sql);
  if (!rows) return failure(rows.error());
  const auto first = rows->next_blocking();
  return first && *first ? transaction.attempt() : -1;
}

TEST_F(PoolStreamTest, ATransactionThatLeavesALittleUnreadCommits) {
  const auto body = [](Transaction& transaction) { return peek(transaction, kThousand); };
  EXPECT_EQ(pool->transaction_blocking(body).value(), 1);
  EXPECT_EQ(counter(1), 1);
}

TEST_F(PoolStreamTest, OneThatLeavesALotUnreadIsToldAndNotRunAgain) {
  const auto body = [](Transaction& transaction) {
    return peek(transaction, "SELECT repeat('x', 1000) || generate_series(1, 10000000)");
  };
  const int before = backend();
  const Result<int> peeked = pool->transaction_blocking(options("peek"), body);
  EXPECT_EQ(peeked.error().code(), Errc::invalid) << peeked.error();
  EXPECT_EQ(counted("peek").retries, 0u);
  EXPECT_EQ(counter(1), 0);
  EXPECT_EQ(backend(), before) << "it was cancelled, rolled back and used again";
}

Result<int> conflict_in_a_row(Transaction& transaction) {
  if (transaction.attempt() > 1) return transaction.attempt();
  auto rows = transaction.stream_blocking<int>("SELECT fail_at(generate_series(1, 5))");
  if (!rows) return failure(rows.error());
  for (const auto& row : *rows) static_cast<void>(row.has_value());  // and says nothing
  const auto next = transaction.exec_blocking("SELECT 1");
  return failure(next.error());  // 25P02, which does not say why
}

TEST_F(PoolStreamTest, AConflictInTheMiddleOfTheRowsIsRunAgain) {
  ASSERT_TRUE(
      ask("CREATE FUNCTION fail_at(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN IF n = 3 "
          "THEN RAISE EXCEPTION 'no' USING ERRCODE = '40001'; END IF; RETURN n; END $$")
          .has_value());
  EXPECT_EQ(pool->transaction_blocking(options("conflict"), conflict_in_a_row).value(), 2);
}

TEST_F(PoolStreamTest, AFailureThatTheBodyKeepsToItselfIsToldAtCommit) {
  const auto body = [](Transaction& transaction) -> Result<int> {
    auto rows = transaction.stream_blocking<int>("SELECT 1 / (2 - generate_series(1, 2))");
    for (const auto& row : *rows) static_cast<void>(row.has_value());
    return 1;
  };
  EXPECT_EQ(pool->transaction_blocking(body).error().sqlstate(), "22012");
}

TEST_F(PoolStreamTest, ManyWhoLeaveASmallRestCostNoSession) {
  const int before = backend();
  for (int i = 0; i < 50; ++i)
    static_cast<void>(pool->stream_blocking<int>(kThousand)->next_blocking());
  EXPECT_EQ(backend(), before);
}

}  // namespace
}  // namespace forebay::test
