// Rows one at a time: in what order and form they come, what is in memory meanwhile, and how a
// stream ends.
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

#include <unistd.h>

#include "forebay/env/sleep.hpp"
#include "postgres/postgres_fixture.hpp"
#include "support/cancel_later.hpp"
#include "support/load_time.hpp"

namespace forebay::postgres {
namespace {

struct Parcel {
  int id = 0;
  std::string label;
};

constexpr int kMany = test::kIsSanitized ? 200'000 : 1'000'000;

// A set in the list of columns is made on the way; one in FROM would be kept by the server.
std::string numbers(int count) {
  return "SELECT generate_series(1, " + std::to_string(count) + ") AS n";
}
std::string wide_numbers(int count) {
  return "SELECT n, repeat('x', 1000) FROM (" + numbers(count) + ") AS numbers";
}

std::size_t resident_bytes() {
  std::size_t total = 0;
  std::size_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

class RowStreamTest : public SessionTest {
 protected:
  template <class... T>
  RowStream<T...> stream(const Statement& statement, const Parameters& parameters = {}) {
    auto rows = connection_->stream_blocking<T...>(statement, parameters, kPatience);
    FOREBAY_CHECK(rows.has_value(), rows.error().text());
    return std::move(*rows);
  }
  void expect_usable() {
    EXPECT_EQ(connection_->query_one_blocking<int>("SELECT 7", kPatience).value_or(-1), 7);
    EXPECT_EQ(connection_->transaction_state(), TransactionState::none);
  }
  // As a pool does when such a session is given back.
  void expect_usable_after_cancel() {
    EXPECT_TRUE(connection_->needs_cancel());
    EXPECT_TRUE(run(connection_->cancel(soon())).has_value());
    EXPECT_TRUE(client_.reset(*connection_).has_value());
    expect_usable();
  }
  // Whether the server waits for us to read.
  bool waits_for_reader(LibpqConnection& looker, int backend) {
    const auto waits = looker.query_one_blocking<bool>(
        "SELECT wait_event IS NOT DISTINCT FROM 'ClientWrite' FROM pg_stat_activity WHERE pid = $1",
        parameters(backend), kPatience);
    return waits.value_or(false);
  }
  int backend() {
    return connection_->query_one_blocking<int>("SELECT pg_backend_pid()", kPatience).value();
  }
};

TEST_F(RowStreamTest, RowsComeInTheirOrderAsTheTypesThatWereAskedFor) {
  std::vector<std::tuple<int, std::string>> pairs;
  auto tuples = stream<int, std::string>(
      "SELECT n, 'a' || n FROM generate_series(1, $1) AS n ORDER BY n DESC", parameters(3));
  while (auto row = tuples.next_blocking()) pairs.push_back(row->value());
  EXPECT_EQ(pairs, (std::vector<std::tuple<int, std::string>>{{3, "a3"}, {2, "a2"}, {1, "a1"}}));
  EXPECT_EQ(tuples.rows(), 3u);
  EXPECT_FALSE(tuples.next_blocking().has_value()) << "the end stays the end";

  std::string labels;
  auto parcels = stream<Parcel>("SELECT n, 'p' || n FROM generate_series(1, 3) AS n");
  for (const Result<Parcel>& parcel : parcels) labels += parcel.value().label;
  EXPECT_EQ(labels, "p1p2p3");
  expect_usable();
}

Task<Result<std::int64_t>> add_up(LibpqConnection& connection, std::string sql, Until until) {
  auto rows = co_await connection.stream<int>(sql, until);
  if (!rows) co_return failure(rows.error());
  std::int64_t sum = 0;
  while (auto row = co_await rows->next()) {
    if (!*row) co_return failure(row->error());
    sum += **row;
  }
  co_return sum;
}

TEST_F(RowStreamTest, ATaskAwaitsThem) {
  EXPECT_EQ(run(add_up(*connection_, numbers(100'000), soon())).value(), 5'000'050'000);
  expect_usable();
}

TEST_F(RowStreamTest, NoRowsAreNoError) {
  auto rows = stream<int>("SELECT 1 WHERE false");
  EXPECT_FALSE(rows.next_blocking().has_value());
  EXPECT_EQ(rows.rows(), 0u);
  expect_usable();
}

TEST_F(RowStreamTest, ManyRowsTakeNoMoreMemoryThanFew) {
  auto rows = stream<int, std::string>(wide_numbers(kMany));
  std::int64_t sum = 0;
  std::size_t before = 0;
  std::size_t most = 0;
  for (const auto& row : rows) {
    const auto& [number, text] = row.value();
    sum += number;
    if (number == 1000) before = resident_bytes();
    if (number % 1000 == 0) most = std::max(most, resident_bytes());
  }
  EXPECT_EQ(sum, static_cast<std::int64_t>(kMany) * (kMany + 1) / 2);
  EXPECT_EQ(rows.rows(), static_cast<std::uint64_t>(kMany));
  // All of them would be a gigabyte. A sanitizer keeps what was freed for a while.
  if (test::kIsSanitized) return;
  EXPECT_LT(most - before, 4u * 1024 * 1024);
}

TEST_F(RowStreamTest, AReaderWhoPausesStopsTheServer) {
  const int pid = backend();
  Client looking(runtime_, server_->superuser_url());
  const Client::OpenConnection looker = looking.connect();
  auto rows = stream<int, std::string>(wide_numbers(10'000'000));
  EXPECT_EQ(std::get<0>(rows.next_blocking()->value()), 1);
  while (!waits_for_reader(*looker, pid)) std::this_thread::sleep_for(5ms);
  const std::size_t before = resident_bytes();
  std::this_thread::sleep_for(200ms);
  EXPECT_TRUE(waits_for_reader(*looker, pid));
  EXPECT_LT(resident_bytes() - before, 1024u * 1024);
  EXPECT_EQ(std::get<0>(rows.next_blocking()->value()), 2);
}

TEST_F(RowStreamTest, AnErrorInTheMiddleComesAfterTheRowsBeforeIt) {
  constexpr int kFatal = kMany / 2;
  auto rows = stream<int>("SELECT n / CASE n WHEN " + std::to_string(kFatal) +
                          " THEN 0 ELSE 1 END FROM (" + numbers(kMany) + ") AS numbers");
  int last = 0;
  std::optional<Error> error;
  for (const Result<int>& row : rows) {
    if (row) {
      last = *row;
    } else {
      error = row.error();
    }
  }
  EXPECT_EQ(last, kFatal - 1);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code(), Errc::statement_failed);
  EXPECT_EQ(error->sqlstate(), "22012");
  EXPECT_FALSE(rows.next_blocking().has_value()) << "an error comes once";
  expect_usable();
}

TEST_F(RowStreamTest, WhatIsWrongWithTheStatementIsSaidAtOnce) {
  EXPECT_EQ(connection_->stream_blocking<int>("SELEKT", kPatience).error().sqlstate(), "42601");
  const auto misfit = connection_->stream_blocking<int, int>("SELECT 1", kPatience);
  EXPECT_EQ(misfit.error().text(),
            "the statement answers with 1 columns, and 2 types were asked for");
  const auto no_rows = connection_->stream_blocking<int>("SET work_mem = '8MB'", kPatience);
  EXPECT_EQ(no_rows.error().code(), Errc::invalid);
  const auto several = connection_->stream_blocking<int>("SELECT 1; SELECT 2", kPatience);
  EXPECT_EQ(several.error().sqlstate(), "42601");
  const auto copy = connection_->stream_blocking<int>("COPY (SELECT 1) TO STDOUT", kPatience);
  EXPECT_EQ(copy.error().code(), Errc::invalid) << copy.error();
  expect_usable();
}

TEST_F(RowStreamTest, ARowThatDoesNotFitIsNamedAndEndsIt) {
  auto rows = stream<int>("SELECT CASE n WHEN 3 THEN NULL ELSE n END FROM generate_series(1, 9) n");
  EXPECT_EQ(rows.next_blocking()->value(), 1);
  EXPECT_EQ(rows.next_blocking()->value(), 2);
  const auto third = rows.next_blocking();
  EXPECT_TRUE(third->error().text().starts_with("row 2, column \"n\" (int4)")) << third->error();
  EXPECT_FALSE(rows.next_blocking().has_value());
  expect_usable();
}

TEST_F(RowStreamTest, NothingElseRunsOnTheSessionMeanwhile) {
  auto rows = stream<int>(numbers(100'000));
  EXPECT_EQ(rows.next_blocking()->value(), 1);
  Batch batch;
  batch.add("SELECT 1");
  const auto sink = [](std::string_view) { return Result<void>(); };

  for (const Error& error :
       {error_of(connection_->exec_blocking("SELECT 1", kPatience)),
        error_of(client_.exec(*connection_, "SELECT 1")),
        error_of(connection_->exec_batch_blocking(batch, kPatience)),
        error_of(connection_->copy_out_blocking("COPY (SELECT 1) TO STDOUT", sink, kPatience)),
        error_of(connection_->stream_blocking<int>("SELECT 1", kPatience))}) {
    EXPECT_EQ(error.code(), Errc::invalid);
    EXPECT_TRUE(error.text().contains("still being streamed")) << error;
  }
  EXPECT_EQ(connection_->native(), nullptr);
  EXPECT_EQ(connection_->transaction_state(), TransactionState::busy);

  int last = 1;
  while (auto row = rows.next_blocking()) last = row->value();
  EXPECT_EQ(last, 100'000) << "the stream has not noticed";
  expect_usable();
}

TEST_F(RowStreamTest, AReaderWhoLeavesEarlyCanGoOnWhereLittleIsLeft) {
  for (const int count : {2, 1000, 100'000}) {
    {
      auto rows = stream<int>(numbers(count));
      EXPECT_EQ(rows.next_blocking()->value(), 1);
    }
    expect_usable();
    EXPECT_EQ(run(connection_->query_one<int>("SELECT 8", soon())).value(), 8);
  }
}

TEST_F(RowStreamTest, WhereMuchIsLeftTheNextStatementSaysSo) {
  {
    auto rows = stream<int, std::string>(wide_numbers(10'000'000));
    EXPECT_EQ(std::get<0>(rows.next_blocking()->value()), 1);
  }
  const auto next = connection_->exec_blocking("SELECT 1", kPatience);
  EXPECT_EQ(next.error().code(), Errc::invalid);
  EXPECT_TRUE(next.error().text().contains("let go before its end")) << next.error();
  EXPECT_FALSE(connection_->is_usable());
  expect_usable_after_cancel();
}

Task<Result<void>> read_two_and_close(LibpqConnection& connection, std::string sql, Until until) {
  auto rows = co_await connection.stream<int>(sql, until);
  if (!rows) co_return failure(rows.error());
  for (int i = 0; i < 2; ++i) {
    const auto row = co_await rows->next();
    if (!*row) co_return failure(row->error());
  }
  co_return co_await rows->close();
}

TEST_F(RowStreamTest, CloseReadsTheRest) {
  auto rows = stream<int>(numbers(kMany));
  EXPECT_TRUE(rows.close_blocking().has_value());
  EXPECT_EQ(rows.rows(), static_cast<std::uint64_t>(kMany));
  expect_usable();
  EXPECT_TRUE(run(read_two_and_close(*connection_, numbers(1000), soon())).has_value());
  const std::string fatal = "SELECT 1 / (500 - n) FROM (" + numbers(1000) + ") AS numbers";
  EXPECT_EQ(run(read_two_and_close(*connection_, fatal, soon())).error().sqlstate(), "22012");
  expect_usable();
}

// A server keeps what it sends to itself until it has eight kilobytes: the end of the second row.
constexpr const char* kThenSleep =
    "SELECT n, repeat('x', 20000), CASE n WHEN 3 THEN pg_sleep(1000) END IS NULL "
    "FROM generate_series(1, 9) AS n";

TEST_F(RowStreamTest, TheDeadlineOfTheWholeEndsItInTheMiddle) {
  auto rows = connection_->stream_blocking<int, std::string, bool>(kThenSleep, 300ms).value();
  EXPECT_EQ(std::get<0>(rows.next_blocking()->value()), 1);
  const auto second = rows.next_blocking();
  EXPECT_EQ(second->error().code(), Errc::timed_out);
  EXPECT_TRUE(second->error().text().ends_with("rows read: 1")) << second->error();
  EXPECT_FALSE(rows.next_blocking().has_value());
  expect_usable_after_cancel();
}

TEST_F(RowStreamTest, TheTimeOfASlowReaderCountsToo) {
  auto rows = connection_->stream_blocking<int>(numbers(1000), 100ms).value();
  EXPECT_EQ(rows.next_blocking()->value(), 1);
  std::this_thread::sleep_for(150ms);
  EXPECT_EQ(rows.next_blocking()->error().code(), Errc::timed_out);
}

TEST_F(RowStreamTest, WithoutATimeEachWaitHasTheCallTimeout) {
  connection_->set_call_timeout(300ms);
  auto rows = connection_->stream_blocking<int, std::string, bool>(kThenSleep).value();
  std::this_thread::sleep_for(400ms);
  EXPECT_EQ(std::get<0>(rows.next_blocking()->value()), 1) << "a reader may take its time";
  EXPECT_EQ(rows.next_blocking()->error().code(), Errc::timed_out);
  expect_usable_after_cancel();
}

Task<Error> lose_the_reader(LibpqConnection& connection, Scheduler& scheduler) {
  Cancellation gone(scheduler);
  TaskGroup group(scheduler);
  const Until until(kNever, gone);
  auto rows = co_await connection.stream<int, std::string, bool>(kThenSleep, until);
  group.spawn(test::cancel_later(scheduler, 50ms, gone));
  Error error(Errc::invalid, "no error");
  while (auto row = co_await rows->next()) {
    if (!*row) error = row->error();
  }
  co_await group.join();
  co_return error;
}

TEST_F(RowStreamTest, ACancellationEndsItInTheMiddle) {
  const Error error = run(lose_the_reader(*connection_, runtime_.scheduler()));
  EXPECT_EQ(error.code(), Errc::cancelled) << error;
  expect_usable_after_cancel();
}

TEST_F(RowStreamTest, AConnectionThatIsCutInTheMiddleIsAnError) {
  const int pid = backend();
  Client killing(runtime_, server_->superuser_url());
  const Client::OpenConnection killer = killing.connect();
  auto rows = stream<int, std::string>(wide_numbers(10'000'000));
  EXPECT_TRUE(rows.next_blocking()->has_value());
  ASSERT_TRUE(killer->exec_blocking("SELECT pg_terminate_backend($1)", parameters(pid), kPatience));
  std::optional<Error> error;
  while (auto row = rows.next_blocking()) {
    if (!*row) error = row->error();
  }
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code(), Errc::connection_lost) << *error;
  EXPECT_FALSE(connection_->is_usable());
  EXPECT_FALSE(connection_->needs_cancel());
}

TEST_F(RowStreamTest, ItIsPreparedLikeOtherStatementsAndAgainWhenItsTableHasChanged) {
  run("CREATE TEMP TABLE shelf AS SELECT n AS book FROM generate_series(1, 3) AS n");
  const PreparedStatement books("books", "SELECT book FROM shelf WHERE book < $1");
  const auto read = [&] {
    std::string seen;
    auto rows = stream<std::string>(books, parameters(3));
    for (const auto& row : rows) seen += row.value();
    return seen;
  };
  EXPECT_EQ(read(), "12");
  EXPECT_EQ(ask("SELECT count(*) FROM pg_prepared_statements WHERE name LIKE '%books'"), "1");
  EXPECT_EQ(read(), "12");
  run("ALTER TABLE shelf ALTER COLUMN book TYPE bigint");
  EXPECT_EQ(read(), "12") << "0A000 was met before the first row";
  run("DEALLOCATE ALL");
  EXPECT_EQ(read(), "12") << "and so was 26000";
  const std::string twice = "SELECT book FROM shelf ORDER BY book";
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(stream<int>(twice).close_blocking().has_value());
  EXPECT_EQ(
      ask("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%ORDER BY book'"),
      "1");
}

TEST_F(RowStreamTest, ChangesStreamWhatTheyReturn) {
  run("CREATE TEMP TABLE lot AS SELECT n FROM generate_series(1, 5) AS n");
  int sum = 0;
  auto rows = stream<int>("UPDATE lot SET n = n + 10 RETURNING n");
  for (const auto& row : rows) sum += row.value();
  EXPECT_EQ(sum, 65);
  EXPECT_EQ(ask("SELECT sum(n) FROM lot"), "65");
}

Task<Errc> wait_on_the_loop(LibpqConnection& connection, Until until) {
  auto rows = co_await connection.stream<int, std::string, bool>(kThenSleep, until);
  Errc code = Errc::closed;
  for (const auto& row : *rows) {
    if (!row) code = row.error().code();
  }
  co_return code;
}

TEST_F(RowStreamTest, TheBlockingFormIsRefusedOnTheLoop) {
  EXPECT_EQ(run(wait_on_the_loop(*connection_, soon())), Errc::invalid);
  expect_usable_after_cancel();
}

TEST_F(RowStreamTest, AStreamThatWasMovedAwayStopsTheProcess) {
  auto rows = stream<int>("SELECT 1");
  const auto moved = std::move(rows);
  EXPECT_DEATH(static_cast<void>(rows.next_blocking()), "after it had been moved away");
}

}  // namespace
}  // namespace forebay::postgres
