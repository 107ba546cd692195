// What a Dialogue reads is what libpq would have read, and a session is as good after it as after
// libpq. The third use of a text is the first that goes past libpq.
#include <thread>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "forebay/postgres/driver/dialogue.hpp"
#include "forebay/postgres/driver/exec_run.hpp"
#include "postgres/postgres_fixture.hpp"

namespace forebay::postgres {
namespace {

// Everything that can be asked of an answer.
std::string shown(const Result<QueryResult>& answer) {
  if (!answer) return fmt::format("{} {}", answer.error().sqlstate(), answer.error().text());
  std::string text =
      fmt::format("{}, {} rows changed\n", answer->command_tag(), answer->affected_rows());
  for (int column = 0; column < answer->columns(); ++column)
    text += fmt::format("{} ", answer->column_name(column));
  for (int row = 0; row < answer->rows(); ++row) {
    text += '\n';
    for (int column = 0; column < answer->columns(); ++column)
      text += fmt::format("{} ", answer->value(row, column).value_or("NULL"));
  }
  return text;
}

class DialogueOnServerTest : public SessionTest {
 protected:
  Result<QueryResult> ask_often(const std::string& sql, const Parameters& parameters = {}) {
    for (int i = 0; i < 3; ++i) {
      const auto answer = connection_->exec_blocking(sql, parameters, kPatience);
      if (!answer) return failure(answer.error());
    }
    return connection_->exec_blocking(sql, parameters, kPatience);
  }
};

class DialogueWhileListeningTest : public DialogueOnServerTest {
 protected:
  // Another session says it between statements of ours.
  void expect_heard(const std::string& word) {
    ASSERT_TRUE(ask_often("SELECT 1"));
    Client::OpenConnection other = client_.connect();
    ASSERT_TRUE(other->exec_blocking(fmt::format("NOTIFY planets, '{}'", word), kPatience));

    ASSERT_TRUE(ask_often("SELECT 1"));
    const auto heard = run(connection_->hear(soon()));

    ASSERT_TRUE(heard) << heard.error().text();
    ASSERT_EQ(heard->size(), 1U);
    EXPECT_EQ(heard->front().payload, word);
  }
};

// Which statements go which way, on a connection of the test's own.
class DialogueChoiceTest : public PostgresTest {
 protected:
  static void SetUpTestSuite() { launch(PostgresServerOptions{}); }

  void SetUp() override {
    handle_.reset(PQconnectdb(app_url().c_str()));
    ASSERT_EQ(PQstatus(handle_.get()), CONNECTION_OK) << PQerrorMessage(handle_.get());
    PQsetnonblocking(handle_.get(), 1);
    dialogue_.emplace(PQsocket(handle_.get()));
  }
  // Whether the third use goes past libpq.
  bool is_dialogue(const std::string& sql, const Parameters& parameters = {}) {
    bool is_talking = false;
    for (int use = 0; use < 3; ++use) {
      const Statement statement(sql);
      ExecRun run(handle_.get(), &*dialogue_, cache_, statement, parameters);
      const Result<void> started = run.start();
      EXPECT_TRUE(started) << started.error().text();
      is_talking = dialogue_->is_underway();
      while (run.advance() != Need::nothing) continue;
      const Result<QueryResult> answer = run.take();
      EXPECT_TRUE(answer) << answer.error().text();
    }
    return is_talking;
  }

  LibpqHandle handle_;
  std::optional<Dialogue> dialogue_;
  StatementCache cache_{SessionOptions()};
};

TEST_F(DialogueChoiceTest, NeutralStatementsThatArePreparedGoPastLibpq) {
  EXPECT_TRUE(is_dialogue("SELECT 1"));
  EXPECT_TRUE(is_dialogue("SELECT $1::int + $2::int", {"1", "2"}));
  EXPECT_TRUE(is_dialogue("VALUES (1), (2)"));
}

TEST_F(DialogueChoiceTest, WhatMayLeaveSomethingIsLibpqs) {
  EXPECT_FALSE(is_dialogue("SELECT set_config('work_mem', '5MB', false)"));
  EXPECT_FALSE(is_dialogue("SHOW work_mem"));
  EXPECT_FALSE(
      is_dialogue("SELECT $1::text", {std::string(Dialogue::kMostParameterBytes + 1, 'x')}));
}

TEST_F(DialogueOnServerTest, AnswersAreThoseOfLibpq) {
  run("CREATE TEMPORARY TABLE planet (id int PRIMARY KEY, name text, rings boolean)");
  run("INSERT INTO planet VALUES (1, 'Mercury', false), (2, NULL, NULL), (3, '', true)");
  Client::OpenConnection plain = client_.connect();
  const std::vector<std::string> texts{
      "SELECT 1",
      "SELECT 1 WHERE false",
      "SELECT",
      "SELECT FROM generate_series(1, 3)",
      "SELECT i, repeat('x', i) FROM generate_series(1, 3000) AS i",
      "SELECT repeat('long ', 100000) AS text, NULL AS nothing",
      "SELECT 1 AS a, 2 AS a, 3 AS \"A\"",
      "SELECT 1.50::numeric, '{1,2}'::int[], '\\xff00'::bytea, now() IS NULL, 'é'",
  };
  for (const std::string& sql : texts) {
    const std::string expected = shown(plain->exec_blocking(sql, kPatience));
    EXPECT_EQ(shown(ask_often(sql)), expected) << sql;
    EXPECT_EQ(shown(run(connection_->exec(sql, soon()))), expected) << sql;
  }
  const std::string update = "UPDATE planet SET name = $1 WHERE id > $2 RETURNING id, name, rings";
  EXPECT_EQ(shown(ask_often(update, parameters("x", 1))),
            "UPDATE 2, 2 rows changed\nid name rings \n2 x NULL \n3 x t ");
  EXPECT_EQ(shown(ask_often("DELETE FROM planet WHERE id = 9")), "DELETE 0, 0 rows changed\n");
}

TEST_F(DialogueOnServerTest, RefusalsAreThoseOfLibpq) {
  const std::string sql = "SELECT 1 / $1::int AS quotient";
  const std::string expected = shown(client_.connect()->exec_blocking(sql, {"0"}, kPatience));
  ASSERT_TRUE(ask_often(sql, {"1"}));

  EXPECT_EQ(shown(connection_->exec_blocking(sql, {"0"}, kPatience)), expected);
  EXPECT_EQ(shown(run(connection_->exec(sql, {"0"}, soon()))), expected);

  EXPECT_EQ(first_value(connection_->exec_blocking(sql, {"1"}, kPatience)), "1");
}

TEST_F(DialogueOnServerTest, AFailedTransactionIsKnownAndEnds) {
  const std::string sql = "SELECT 1 / $1::int";
  ASSERT_TRUE(ask_often(sql, {"1"}));
  run("BEGIN");
  EXPECT_EQ(first_value(connection_->exec_blocking(sql, {"1"}, kPatience)), "1");
  EXPECT_EQ(connection_->transaction_state(), TransactionState::open);

  EXPECT_EQ(connection_->exec_blocking(sql, {"0"}, kPatience).error().sqlstate(), "22012");
  EXPECT_EQ(connection_->transaction_state(), TransactionState::failed);
  EXPECT_EQ(connection_->exec_blocking(sql, {"1"}, kPatience).error().sqlstate(), "25P02");
  EXPECT_EQ(connection_->transaction_state(), TransactionState::failed);

  EXPECT_NE(connection_->native(), nullptr);
  EXPECT_EQ(connection_->transaction_state(), TransactionState::failed);

  run("ROLLBACK");
  EXPECT_EQ(connection_->transaction_state(), TransactionState::none);
  run("BEGIN");
  EXPECT_EQ(connection_->transaction_state(), TransactionState::open);
  ASSERT_TRUE(client_.reset(*connection_));
  EXPECT_EQ(connection_->transaction_state(), TransactionState::none);
}

TEST_F(DialogueOnServerTest, AfterAThreadsStatementLibpqDoesNotWait) {
  ASSERT_TRUE(ask_often("SELECT 1"));

  // Each of them would stand still on a socket that waits in its reads.
  EXPECT_EQ(first_value(run(connection_->exec("SELECT 1", soon()))), "1");
  EXPECT_EQ(first_value(run(connection_->exec("SELECT 2", soon()))), "2");
  ASSERT_TRUE(ask_often("SELECT 1"));
  std::uint64_t copied = 0;
  const auto count = [&copied](std::string_view) {
    ++copied;
    return Result<void>();
  };
  ASSERT_TRUE(run(connection_->copy_out("COPY (SELECT generate_series(1, 10000)) TO STDOUT",
                                        CopySink(count), soon())));
  EXPECT_GT(copied, 0U);
  ASSERT_TRUE(ask_often("SELECT 1"));
  EXPECT_TRUE(connection_->is_heard_alive());
  ASSERT_TRUE(ask_often("SELECT 1"));
  ASSERT_TRUE(client_.check(*connection_));
  ASSERT_TRUE(ask_often("SELECT 1"));
  EXPECT_EQ(PQconsumeInput(connection_->native()), 1);
}

TEST_F(DialogueWhileListeningTest, WhatIsSaidBetweenStatementsIsHeard) {
  ASSERT_TRUE(ask_often("SELECT 1"));
  run("LISTEN planets");
  expect_heard("Vulcan");
}

TEST_F(DialogueWhileListeningTest, SoItIsWhereEachUserOfTheSessionListens) {
  run("LISTEN planets");
  ASSERT_TRUE(connection_->mark_prepared());
  expect_heard("Vulcan");
}

TEST_F(DialogueOnServerTest, AStatementThatRunsIntoItsDeadlineIsCancelledAndItsSessionUsedAgain) {
  const std::string sql = "SELECT 1 FROM pg_sleep($1::float8)";
  ASSERT_TRUE(ask_often(sql, {"0"}));
  for (const bool is_blocking : {true, false}) {
    const auto late = is_blocking ? connection_->exec_blocking(sql, {"60"}, 150ms)
                                  : run(connection_->exec(sql, {"60"}, client_.in(150ms)));
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code(), Errc::timed_out);
    EXPECT_FALSE(connection_->is_usable());
    ASSERT_TRUE(connection_->needs_cancel());

    const auto cancelled = run(connection_->cancel(soon()));

    ASSERT_TRUE(cancelled) << cancelled.error().text();
    EXPECT_EQ(first_value(connection_->exec_blocking(sql, {"0"}, kPatience)), "1");
  }
}

TEST_F(DialogueOnServerTest, ASessionThatIsEndedMeanwhileIsLostForThatReason) {
  const std::string sql = "SELECT 1 FROM pg_sleep($1::float8)";
  ASSERT_TRUE(ask_often(sql, {"0"}));
  const std::string pid = ask("SELECT pg_backend_pid()");
  Client superuser(runtime_, server_->superuser_url());
  std::jthread killer([&] {
    Client::OpenConnection admin = superuser.connect();
    const std::string is_asleep = fmt::format(
        "SELECT count(*) FROM pg_stat_activity WHERE pid = {} AND wait_event = 'PgSleep'", pid);
    while (first_value(admin->exec_blocking(is_asleep, kPatience)) == "0") continue;
    EXPECT_TRUE(
        admin->exec_blocking(fmt::format("SELECT pg_terminate_backend({})", pid), kPatience));
  });

  const auto lost = connection_->exec_blocking(sql, {"60"}, kPatience);

  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), Errc::connection_lost);
  EXPECT_EQ(lost.error().sqlstate(), "57P01");
  EXPECT_FALSE(connection_->is_usable());
}

TEST_F(DialogueOnServerTest, ASessionThatWasEndedBetweenItsStatementsIsLostForThatReason) {
  ASSERT_TRUE(ask_often("SELECT 1"));
  const std::string pid = ask("SELECT pg_backend_pid()");
  Client superuser(runtime_, server_->superuser_url());
  ASSERT_TRUE(superuser.connect()->exec_blocking("SELECT pg_terminate_backend($1, 30000)", {pid},
                                                 kPatience));

  const auto lost = connection_->exec_blocking("SELECT 1", kPatience);

  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), Errc::connection_lost);
  EXPECT_EQ(lost.error().sqlstate(), "57P01");
}

TEST_F(DialogueOnServerTest, APlanThatHasBecomeWrongIsPreparedAgain) {
  run("CREATE TEMPORARY TABLE planet (id int)");
  run("INSERT INTO planet VALUES (7)");
  EXPECT_EQ(shown(ask_often("SELECT * FROM planet")), "SELECT 1, 1 rows changed\nid \n7 ");

  run("ALTER TABLE planet ADD COLUMN name text DEFAULT 'x'");
  EXPECT_EQ(shown(ask_often("SELECT * FROM planet")), "SELECT 1, 1 rows changed\nid name \n7 x ");
  run("ALTER TABLE planet RENAME COLUMN name TO label");
  EXPECT_EQ(shown(ask_often("SELECT * FROM planet")), "SELECT 1, 1 rows changed\nid label \n7 x ");
  run("DEALLOCATE ALL");
  EXPECT_EQ(shown(ask_often("SELECT * FROM planet")), "SELECT 1, 1 rows changed\nid label \n7 x ");
}

}  // namespace
}  // namespace forebay::postgres
