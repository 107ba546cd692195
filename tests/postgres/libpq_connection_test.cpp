#include "forebay/postgres/driver/libpq_connection.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>

#include "postgres/postgres_fixture.hpp"

namespace forebay::postgres {
namespace {

class LibpqConnectionTest : public PostgresTest {
 protected:
  static void SetUpTestSuite() { launch(PostgresServerOptions{}); }

  // Sessions of that backend that the server still counts.
  std::string sessions(int pid) {
    const auto count =
        observer_->exec_blocking("SELECT count(*) FROM pg_stat_activity WHERE pid = $1",
                                 Parameters{std::to_string(pid)}, kPatience);
    return first_value(count);
  }
  void terminate(int pid) {
    const auto done = observer_->exec_blocking("SELECT pg_terminate_backend($1, 30000)",
                                               Parameters{std::to_string(pid)}, kPatience);
    ASSERT_EQ(first_value(done), "t");
  }

  Runtime runtime_;
  Client client_{runtime_, app_url()};
  Client superuser_{runtime_, server_->superuser_url()};
  Client::OpenConnection observer_ = superuser_.connect();
  Client::OpenConnection connection_ = client_.connect();
};

TEST_F(LibpqConnectionTest, AnswersStatements) {
  const auto result =
      client_.exec(*connection_, "SELECT 1 AS one, NULL AS nothing UNION ALL SELECT 2, 'x'");

  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->rows(), 2);
  EXPECT_EQ(result->columns(), 2);
  EXPECT_EQ(result->column_name(0), "one");
  EXPECT_EQ(result->value(0, 0), "1");
  EXPECT_EQ(result->value(0, 1), std::nullopt);
  EXPECT_EQ(result->value(1, 1), "x");
  EXPECT_EQ(result->command_tag(), "SELECT 2");
  EXPECT_FALSE(result->is_copy());
}

TEST_F(LibpqConnectionTest, SendsParameters) {
  const Parameters parameters{"it's", std::nullopt};

  const auto task = client_.exec(*connection_, "SELECT $1 || coalesce($2, '!')", parameters);
  const auto blocking =
      connection_->exec_blocking("SELECT $1 || coalesce($2, '!')", parameters, kPatience);

  EXPECT_EQ(first_value(task), "it's!");
  EXPECT_EQ(first_value(blocking), "it's!");
}

TEST_F(LibpqConnectionTest, CountsAffectedRows) {
  const auto made =
      connection_->exec_blocking("CREATE TEMP TABLE t AS SELECT generate_series(1, 5) AS n", 30s);
  const auto deleted = connection_->exec_blocking("DELETE FROM t WHERE n > 2", kPatience);

  ASSERT_TRUE(made && deleted);
  EXPECT_EQ(deleted->affected_rows(), 3u);
  EXPECT_EQ(deleted->command_tag(), "DELETE 3");
}

TEST_F(LibpqConnectionTest, MovesMoreThanSocketBuffersHold) {
  const std::string big(16 * 1024 * 1024, 'x');

  const auto task = client_.exec(*connection_, "SELECT $1", Parameters{big});
  const auto blocking = connection_->exec_blocking("SELECT $1", Parameters{big}, kPatience);

  EXPECT_EQ(first_value(task).size(), big.size());
  EXPECT_EQ(first_value(blocking).size(), big.size());
}

TEST_F(LibpqConnectionTest, RunsSeveralStatementsAndReturnsTheLast) {
  EXPECT_EQ(first_value(client_.exec(*connection_, "SELECT 1; SELECT 2")), "2");
}

TEST_F(LibpqConnectionTest, AStatementThatFailsLeavesTheConnectionUsable) {
  const auto task = client_.exec(*connection_, "SELECT 1/0");
  const auto blocking = connection_->exec_blocking("SELECT nonsense", kPatience);

  ASSERT_FALSE(task || blocking);
  EXPECT_EQ(task.error().code(), Errc::statement_failed);
  EXPECT_EQ(task.error().sqlstate(), "22012");
  EXPECT_EQ(task.error().text(), "division by zero");
  EXPECT_EQ(blocking.error().sqlstate(), "42703");
  EXPECT_TRUE(connection_->is_usable());
  EXPECT_EQ(first_value(client_.exec(*connection_, "SELECT 7")), "7");
}

TEST_F(LibpqConnectionTest, ErrorsCarryDetailAndHint) {
  const auto failed = connection_->exec_blocking(
      "DO $$ BEGIN RAISE 'broken' USING DETAIL = 'a detail', HINT = 'a hint'; END $$", kPatience);

  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().text(), "broken (detail: a detail) (hint: a hint)");
}

TEST_F(LibpqConnectionTest, RefusesTextThatLibpqWouldCut) {
  const auto sql = client_.exec(*connection_, std::string("SELECT 1\0 / 0", 13));
  const auto parameter =
      client_.exec(*connection_, "SELECT $1", Parameters{std::string("a\0b", 3)});

  ASSERT_FALSE(sql || parameter);
  EXPECT_EQ(sql.error().code(), Errc::invalid);
  EXPECT_EQ(parameter.error().code(), Errc::invalid);
  EXPECT_TRUE(connection_->is_usable());
}

TEST_F(LibpqConnectionTest, AStatementThatTimesOutMakesTheConnectionUseless) {
  const auto late = client_.exec(*connection_, "SELECT pg_sleep(1)", {}, 50ms);
  const auto after = client_.exec(*connection_, "SELECT 1");

  ASSERT_FALSE(late || after);
  EXPECT_EQ(late.error().code(), Errc::timed_out);
  EXPECT_EQ(after.error().code(), Errc::connection_lost);
  EXPECT_FALSE(connection_->is_usable());
}

TEST_F(LibpqConnectionTest, ABlockedThreadTimesOutTheSameWay) {
  const auto late = connection_->exec_blocking("SELECT pg_sleep(1)", 50ms);

  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), Errc::timed_out);
  EXPECT_FALSE(connection_->is_usable());
}

TEST_F(LibpqConnectionTest, ADeadlineInThePastSendsNothing) {
  const auto late = client_.exec(*connection_, "SELECT 1", {}, -1s);

  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), Errc::timed_out);
  EXPECT_TRUE(connection_->is_usable());
}

TEST_F(LibpqConnectionTest, ATerminatedSessionIsLost) {
  terminate(PQbackendPID(connection_->native()));

  const auto lost = client_.exec(*connection_, "SELECT 1");

  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), Errc::connection_lost);
  EXPECT_EQ(lost.error().sqlstate(), "57P01");
  EXPECT_FALSE(connection_->is_usable());
}

TEST_F(LibpqConnectionTest, ABlockedThreadNoticesTheSame) {
  terminate(PQbackendPID(connection_->native()));

  const auto lost = connection_->exec_blocking("SELECT 1", kPatience);

  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), Errc::connection_lost);
  EXPECT_FALSE(connection_->is_usable());
}

TEST_F(LibpqConnectionTest, NeedsAResetOnlyAfterUseThatMayLeaveSomething) {
  EXPECT_FALSE(connection_->needs_reset());
  ASSERT_TRUE(client_.check(*connection_));
  EXPECT_FALSE(connection_->needs_reset());

  ASSERT_TRUE(client_.exec(*connection_, "SELECT 1"));
  EXPECT_FALSE(connection_->needs_reset());
  ASSERT_TRUE(client_.exec(*connection_, "LISTEN c"));
  EXPECT_TRUE(connection_->needs_reset());
  ASSERT_TRUE(client_.reset(*connection_));
  EXPECT_FALSE(connection_->needs_reset());

  connection_->native();
  EXPECT_TRUE(connection_->needs_reset());
}

TEST_F(LibpqConnectionTest, ChecksWhetherTheServerIsThere) {
  EXPECT_TRUE(client_.check(*connection_));

  terminate(PQbackendPID(connection_->native()));
  const auto gone = client_.check(*connection_);

  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code(), Errc::connection_lost);
  EXPECT_FALSE(connection_->is_usable());
}

TEST_F(LibpqConnectionTest, CloseEndsWhenTheServerHasLetGo) {
  for (int round = 0; round < 20; ++round) {
    auto connection = client_.connect();
    const int pid = PQbackendPID(connection->native());
    EXPECT_EQ(sessions(pid), "1");

    client_.close(*connection);

    EXPECT_EQ(sessions(pid), "0");
    EXPECT_FALSE(connection->is_usable());
    EXPECT_EQ(connection->native(), nullptr);
  }
}

TEST_F(LibpqConnectionTest, CloseEndsWithAnUnreadResultToo) {
  PGconn* native = connection_->native();
  const int pid = PQbackendPID(native);
  ASSERT_EQ(PQsendQuery(native, "SELECT repeat('x', 1000) FROM generate_series(1, 100000)"), 1);
  while (PQflush(native) == 1) {
  }

  client_.close(*connection_);

  EXPECT_EQ(sessions(pid), "0");
}

TEST_F(LibpqConnectionTest, CloseWaitsNoLongerThanItsDeadline) {
  ASSERT_FALSE(client_.exec(*connection_, "SELECT pg_sleep(20)", {}, 50ms));
  const Instant start = runtime_.scheduler().now();

  client_.close(*connection_, 100ms);

  EXPECT_LT(runtime_.scheduler().now() - start, 10s);
}

Task<void> destroy(std::unique_ptr<LibpqConnection> connection) {
  connection.reset();
  co_return;
}

TEST_F(LibpqConnectionTest, DestroyedWithoutCloseItStillTellsTheServer) {
  auto connection = client_.try_connect();
  ASSERT_TRUE(connection);
  const int pid = PQbackendPID((*connection)->native());

  run_blocking(runtime_.scheduler(), destroy(std::move(*connection)));

  const auto gone = observer_->exec_blocking(
      fmt::format("DO $$ BEGIN WHILE EXISTS (SELECT FROM pg_stat_activity WHERE pid = {}) LOOP "
                  "PERFORM pg_sleep(0.01); PERFORM pg_stat_clear_snapshot(); END LOOP; END $$",
                  pid),
      kPatience);
  EXPECT_TRUE(gone) << gone.error().text();
}

TEST_F(LibpqConnectionTest, WorksOnAfterTheDatabaseRestarts) {
  observer_.reset();
  server_->stop(PostgresServer::StopMode::immediate);
  const auto lost = client_.exec(*connection_, "SELECT 1");
  ASSERT_TRUE(server_->start());

  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), Errc::connection_lost);
  EXPECT_EQ(first_value(client_.exec(*client_.connect(), "SELECT 1")), "1");
}

}  // namespace
}  // namespace forebay::postgres
