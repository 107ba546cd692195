// Many statements in one round trip: their answers, what becomes of the rest after an error, and
// sessions that are as good as before.
#include "forebay/postgres/sql/batch.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>

#include "postgres/postgres_fixture.hpp"
#include "support/cancel_later.hpp"

namespace forebay::postgres {
namespace {

using Answers = Result<std::vector<QueryResult>>;

Batch batch_of(const std::vector<std::string>& texts) {
  Batch batch;
  for (const std::string& text : texts) batch.add(text);
  return batch;
}

// Both forms: the parameter says whether on a thread.
class BatchTest : public SessionTest, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    run("CREATE TEMP TABLE item (id int PRIMARY KEY, name text)");
    run("CREATE TEMP TABLE part (item int REFERENCES item DEFERRABLE INITIALLY DEFERRED)");
  }
  Answers exec(const Batch& batch, Duration timeout = kPatience) {
    if (GetParam()) return connection_->exec_batch_blocking(batch, timeout);
    return run(connection_->exec_batch(batch, client_.in(timeout)));
  }
  std::string items() { return ask("SELECT coalesce(string_agg(name, ' '), 'none') FROM item"); }
  void expect_usable() {
    EXPECT_TRUE(connection_->is_usable());
    EXPECT_EQ(PQpipelineStatus(connection_->native()), PQ_PIPELINE_OFF);
    EXPECT_EQ(ask("SELECT 7"), "7");
  }
  void expect_invalid(const Batch& batch, std::string_view words) {
    const Answers answers = exec(batch);
    ASSERT_FALSE(answers);
    EXPECT_EQ(answers.error().code(), Errc::invalid);
    EXPECT_NE(answers.error().text().find(words), std::string::npos) << answers.error().text();
    EXPECT_EQ(items(), "none");
    expect_usable();
  }
};

INSTANTIATE_TEST_SUITE_P(Forms, BatchTest, testing::Bool(),
                         [](const auto& form) { return form.param ? "OnAThread" : "OnATask"; });

TEST_P(BatchTest, AnswersComeInTheOrderOfTheStatements) {
  Batch batch;
  for (int i = 0; i < 20; ++i)
    batch.add("INSERT INTO item VALUES ($1, $2) RETURNING id", parameters(i, "x"));
  batch.add("SELECT count(*) FROM item").add("SHOW transaction_isolation");
  batch.add(PreparedStatement("sum", "SELECT sum(id) FROM item"));

  const Answers answers = exec(batch);

  ASSERT_TRUE(answers) << answers.error().text();
  ASSERT_EQ(answers->size(), 23u);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ((*answers)[static_cast<std::size_t>(i)].value(0, 0), std::to_string(i));
  EXPECT_EQ((*answers)[20].value(0, 0), "20");
  EXPECT_EQ((*answers)[21].value(0, 0), "read committed");
  EXPECT_EQ((*answers)[22].value(0, 0), "190");
  expect_usable();
}

TEST_P(BatchTest, NothingIsNothing) {
  const Answers answers = exec(Batch());

  ASSERT_TRUE(answers);
  EXPECT_TRUE(answers->empty());
}

TEST_P(BatchTest, OutsideOfATransactionItIsAllOrNothing) {
  const std::string good = "INSERT INTO item VALUES (1, 'a')";
  const std::string other = "INSERT INTO item VALUES (2, 'b')";
  const std::string bad = "SELECT 1 / 0";
  const std::vector<std::vector<std::string>> batches{
      {bad, good, other}, {good, bad, other}, {good, other, bad}};
  for (std::size_t at = 0; at < batches.size(); ++at) {
    const Answers answers = exec(batch_of(batches[at]));

    ASSERT_FALSE(answers);
    EXPECT_EQ(answers.error().code(), Errc::statement_failed);
    EXPECT_EQ(answers.error().sqlstate(), "22012");
    EXPECT_NE(answers.error().text().find(fmt::format("statement {} of 3: ", at + 1)),
              std::string::npos)
        << answers.error().text();
    EXPECT_EQ(connection_->transaction_state(), TransactionState::none);
    EXPECT_EQ(items(), "none");
    expect_usable();
  }
}

// Told when the server has all of it.
TEST_P(BatchTest, ADeferredConstraintFailsAllOfIt) {
  const Answers answers =
      exec(batch_of({"INSERT INTO item VALUES (1, 'a')", "INSERT INTO part VALUES (2)"}));

  ASSERT_FALSE(answers);
  EXPECT_EQ(answers.error().sqlstate(), "23503") << answers.error().text();
  EXPECT_EQ(answers.error().text().find("statement"), std::string::npos) << answers.error().text();
  EXPECT_EQ(items(), "none");
  expect_usable();
}

TEST_P(BatchTest, InATransactionAnErrorFailsTheTransaction) {
  run("BEGIN");
  ASSERT_TRUE(exec(batch_of({"INSERT INTO item VALUES (1, 'a')", "SELECT 1"})));
  EXPECT_EQ(connection_->transaction_state(), TransactionState::open);
  run("SAVEPOINT here");
  EXPECT_FALSE(exec(batch_of({"INSERT INTO item VALUES (2, 'b')", "SELECT 1 / 0", "SELECT 1"})));
  EXPECT_EQ(connection_->transaction_state(), TransactionState::failed);
  ASSERT_TRUE(exec(batch_of({"ROLLBACK TO SAVEPOINT here", "SAVEPOINT there"})));
  run("COMMIT");

  EXPECT_EQ(items(), "a");
}

TEST_P(BatchTest, WhatCannotTravelIsRefusedAndNothingIsSent) {
  const std::string good = "INSERT INTO item VALUES (1, 'a')";
  expect_invalid(batch_of({good, "SELECT 1; SELECT 2"}), "each text is one statement");
  expect_invalid(batch_of({good, "COPY item FROM STDIN"}), "each text is one statement");
  expect_invalid(batch_of({good, " -- nothing"}), "each text is one statement");
  expect_invalid(batch_of({good, "COMMIT"}), "begins or ends no transaction");
  expect_invalid(batch_of({good, "START TRANSACTION"}), "begins or ends no transaction");
  expect_invalid(batch_of({good, std::string("SELECT 1\0", 9)}), "zero byte");
  expect_invalid(Batch().add(good).add("SELECT $1", Parameters(70'000)), "70000 parameters");
}

// Nobody can say what it is before the server has spoken.
TEST_P(BatchTest, WhatTheParserCannotReadIsLeftToTheServer) {
  const Answers answers = exec(batch_of({"SELECT 1", "SELEKT 2"}));
  ASSERT_FALSE(answers);
  EXPECT_EQ(answers.error().sqlstate(), "42601");
  expect_usable();

  const std::string long_copy = "COPY item FROM STDIN /*" + std::string(40'000, '-') + "*/";
  const Answers copied = exec(batch_of({"SELECT 1", long_copy}));
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code(), Errc::invalid) << copied.error().text();
  EXPECT_FALSE(connection_->is_usable());
}

TEST_P(BatchTest, ATextThatIsThereTwiceIsPreparedOnTheWay) {
  Batch batch;
  for (int i = 0; i < 3; ++i) batch.add("INSERT INTO item VALUES ($1, 'x')", parameters(i));
  batch.add("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'INSERT INTO item%'");

  const Answers answers = exec(batch);

  ASSERT_TRUE(answers) << answers.error().text();
  EXPECT_EQ(answers->back().value(0, 0), "1");
}

// The server never came to it, and must not be thought to have it.
TEST_P(BatchTest, WhatWasNotPreparedIsNotTakenForPrepared) {
  Batch batch;
  batch.add("SELECT 1 / 0");
  for (int i = 0; i < 2; ++i) batch.add("INSERT INTO item VALUES ($1, 'x')", parameters(i));
  ASSERT_FALSE(exec(batch));

  Batch next;
  for (int i = 0; i < 2; ++i) next.add("INSERT INTO item VALUES ($1, 'x')", parameters(i));
  run("BEGIN");
  const Answers answers = exec(next);

  ASSERT_TRUE(answers) << answers.error().text();
  run("COMMIT");
  ASSERT_TRUE(client_.reset(*connection_));
}

TEST_P(BatchTest, WhatTheServerHasLostIsPreparedAgain) {
  Batch batch;
  batch.add("INSERT INTO item VALUES ($1, 'x')", parameters(1));
  for (int i = 0; i < 2; ++i) batch.add("SELECT * FROM item");
  ASSERT_TRUE(exec(batch));
  run("DEALLOCATE ALL");
  run("DELETE FROM item");

  const Answers lost = exec(batch);
  ASSERT_TRUE(lost) << lost.error().text();
  EXPECT_EQ((*lost)[1].rows(), 1);

  run("DELETE FROM item");
  run("ALTER TABLE item ADD note text");
  const Answers changed = exec(batch);
  ASSERT_TRUE(changed) << changed.error().text();
  EXPECT_EQ((*changed)[1].columns(), 3);
  EXPECT_EQ(items(), "x");
}

// In a transaction that others began, the error is the caller's, and the next attempt works.
TEST_P(BatchTest, InATransactionOfItsUserNothingIsRepeated) {
  const Batch batch = batch_of({"SELECT * FROM item", "SELECT * FROM item"});
  ASSERT_TRUE(exec(batch));
  run("ALTER TABLE item ADD note text");

  run("BEGIN");
  const Answers failed = exec(batch);
  EXPECT_EQ(error_of(failed).sqlstate(), "0A000");
  run("ROLLBACK");

  EXPECT_TRUE(exec(batch));
}

// Much more than the buffers of both sockets, both ways: who only sends waits for ever.
TEST_P(BatchTest, AThousandLargeStatementsWithLargeAnswers) {
  constexpr int kStatements = 1'000;
  const std::string large(32 * 1024, 'x');
  Batch batch;
  for (int i = 0; i < kStatements; ++i)
    batch.add("SELECT $1 || $2", parameters(large, std::to_string(i)));

  const Answers answers = exec(batch, 120s);

  ASSERT_TRUE(answers) << answers.error().text();
  ASSERT_EQ(answers->size(), static_cast<std::size_t>(kStatements));
  for (int i = 0; i < kStatements; ++i)
    ASSERT_EQ((*answers)[static_cast<std::size_t>(i)].value(0, 0), large + std::to_string(i));
  expect_usable();
}

// Most of it is not sent when the error comes.
TEST_P(BatchTest, AnErrorBeforeMuchElseEndsIt) {
  const std::string large(256 * 1024, 'x');
  Batch batch;
  batch.add("SELECT 1 / 0");
  for (int i = 0; i < 1'000; ++i)
    batch.add("INSERT INTO item VALUES ($1, $2)", parameters(i, large));

  const Answers answers = exec(batch, 120s);

  EXPECT_EQ(error_of(answers).sqlstate(), "22012");
  EXPECT_EQ(items(), "none");
  expect_usable();
  ASSERT_TRUE(client_.reset(*connection_));
}

TEST_P(BatchTest, ADeadlineInTheMiddleLeavesASessionThatCanBeCleared) {
  const std::string large(256 * 1024, 'x');
  for (const int behind : {1, 60}) {  // sent with the rest; too much for the sockets
    Batch batch = batch_of({"INSERT INTO item VALUES (1, 'a')", "SELECT pg_sleep(1000)"});
    for (int i = 0; i < behind; ++i)
      batch.add("INSERT INTO item VALUES ($1, $2)", parameters(i + 2, large));

    const Answers answers = exec(batch, 1s);

    EXPECT_EQ(error_of(answers).code(), Errc::timed_out);
    EXPECT_FALSE(connection_->is_usable());
    ASSERT_TRUE(connection_->needs_cancel());
    const Result<void> cancelled = run(connection_->cancel(soon()));
    ASSERT_TRUE(cancelled) << cancelled.error().text();
    EXPECT_EQ(items(), "none");
    expect_usable();
  }
}

Task<Answers> exec_until_gone(LibpqConnection& connection, Batch batch) {
  Scheduler& scheduler = connection.scheduler();
  Cancellation gone(scheduler);
  TaskGroup group(scheduler);
  group.spawn(test::cancel_later(scheduler, 100ms, gone));
  Answers answers = co_await connection.exec_batch(std::move(batch), Until(kNever, gone));
  co_await group.join();
  co_return answers;
}

TEST_P(BatchTest, ACallerWhoGoesAwayIsAnsweredAtOnce) {
  const Batch batch = batch_of({"SELECT 1", "SELECT pg_sleep(1000)", "SELECT 2"});

  const Answers answers = run(exec_until_gone(*connection_, batch));

  EXPECT_EQ(error_of(answers).code(), Errc::cancelled);
  ASSERT_TRUE(run(connection_->cancel(soon())));
  expect_usable();
}

TEST_P(BatchTest, ASessionThatEndsInTheMiddleIsLost) {
  const Answers answers = exec(batch_of(
      {"SELECT 1", "SELECT pg_terminate_backend(pg_backend_pid())", "SELECT 2", "SELECT 3"}));

  EXPECT_EQ(error_of(answers).code(), Errc::connection_lost);
  EXPECT_FALSE(connection_->is_usable());
}

TEST_P(BatchTest, WhatItsStatementsLeaveIsCleared) {
  ASSERT_TRUE(exec(batch_of({"SELECT 1", "SELECT 2"})));
  ASSERT_TRUE(client_.reset(*connection_));
  ASSERT_TRUE(exec(batch_of({"SELECT 1", "SELECT 2"})));
  EXPECT_FALSE(connection_->needs_reset());
  ASSERT_TRUE(exec(batch_of({"SELECT 1", "SET work_mem = '77MB'", "SELECT 2"})));
  EXPECT_TRUE(connection_->needs_reset());
  ASSERT_TRUE(client_.reset(*connection_));
  EXPECT_NE(ask("SHOW work_mem"), "77MB");
}

// A BEGIN that goes with the first statement.
class BeginTest : public BatchTest {
 protected:
  Result<QueryResult> exec_one(const std::string& sql, const Parameters& parameters = {}) {
    if (GetParam()) return connection_->exec_blocking(sql, parameters, kPatience);
    return run(connection_->exec(sql, parameters, soon()));
  }
};

INSTANTIATE_TEST_SUITE_P(Forms, BeginTest, testing::Bool(),
                         [](const auto& form) { return form.param ? "OnAThread" : "OnATask"; });

TEST_P(BeginTest, WhateverComesFirstIsInTheTransaction) {
  for (const std::string first :
       {"INSERT INTO item VALUES (1, 'a')", "SELECT 1; INSERT INTO item VALUES (1, 'a')", "",
        "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", "SAVEPOINT a",
        "DECLARE c CURSOR FOR SELECT 1", "LOCK TABLE item", "DO $$ BEGIN END $$"}) {
    connection_->begin_with_next("BEGIN", soon());
    EXPECT_EQ(connection_->transaction_state(), TransactionState::none);
    const Result<QueryResult> answer = exec_one(first);

    EXPECT_TRUE(answer) << first << ": " << answer.error().text();
    EXPECT_FALSE(connection_->is_begin_pending());
    EXPECT_EQ(connection_->transaction_state(), TransactionState::open) << first;
    run("ROLLBACK");
    EXPECT_EQ(items(), "none") << first;
  }
}

TEST_P(BeginTest, WithoutItNothingIsRun) {
  connection_->begin_with_next("BEGIN nonsense", soon());
  const Result<QueryResult> first = exec_one("INSERT INTO item VALUES (1, 'a')");
  const Result<QueryResult> again = exec_one("SELECT 1; INSERT INTO item VALUES (1, 'a')");
  const Answers batch = exec(batch_of({"INSERT INTO item VALUES (1, 'a')"}));
  const auto copied = connection_->copy_in_blocking(
      "COPY item FROM STDIN", [](std::string&) { return Result<bool>(false); }, kPatience);

  EXPECT_EQ(error_of(first).sqlstate(), "42601");
  EXPECT_EQ(error_of(again).sqlstate(), "42601");
  EXPECT_EQ(error_of(batch).sqlstate(), "42601");
  EXPECT_EQ(error_of(copied).sqlstate(), "42601");
  EXPECT_TRUE(connection_->is_begin_pending());
  EXPECT_EQ(connection_->native(), nullptr);
  connection_->forget_begin();
  EXPECT_EQ(items(), "none");
}

TEST_P(BeginTest, AnErrorOfTheFirstStatementFailsTheTransaction) {
  connection_->begin_with_next("BEGIN", soon());
  EXPECT_EQ(error_of(exec_one("SELECT 1 / 0")).sqlstate(), "22012");
  EXPECT_EQ(connection_->transaction_state(), TransactionState::failed);
  EXPECT_EQ(error_of(exec_one("SELECT 1")).sqlstate(), "25P02");
}

// Nothing but BEGIN came before it, so it can all be done again.
TEST_P(BeginTest, AFirstStatementThatTheServerHasLostIsPreparedAgain) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(exec_one("SELECT * FROM item"));
  for (const char* change : {"DEALLOCATE ALL", "ALTER TABLE item ADD note text"}) {
    run(change);
    connection_->begin_with_next("BEGIN", soon());

    const Result<QueryResult> answer = exec_one("SELECT * FROM item");

    EXPECT_TRUE(answer) << answer.error().text();
    EXPECT_EQ(connection_->transaction_state(), TransactionState::open);
    run("ROLLBACK");
  }
}

TEST_P(BeginTest, WithoutReadingStatementsItWorksTheSame) {
  connection_.reset();
  LibpqSettings settings;
  settings.session.reset = ResetMode::always;
  settings.session.statement_cache = StatementCaching::off;
  Client client(runtime_, app_url(), nullptr, ServerProfile::postgresql(), settings);
  const Client::OpenConnection connection = client.connect();

  for (const char* first : {"SELECT 1", "SELECT 1; SELECT 2"}) {
    connection->begin_with_next("BEGIN", client.in(kPatience));
    EXPECT_TRUE(connection->exec_blocking(first, kPatience)) << first;
    EXPECT_EQ(connection->transaction_state(), TransactionState::open);
    EXPECT_TRUE(connection->exec_blocking("ROLLBACK", kPatience));
  }
  const auto refused = connection->exec_batch_blocking(batch_of({"COMMIT"}), kPatience);
  EXPECT_EQ(error_of(refused).code(), Errc::invalid);
  connection_ = client_.connect();
}

TEST_P(BeginTest, TheRawConnectionIsInTheTransaction) {
  connection_->begin_with_next("BEGIN", soon());
  PGconn* const native = connection_->native();

  EXPECT_EQ(PQtransactionStatus(native), PQTRANS_INTRANS);
  EXPECT_EQ(PQpipelineStatus(native), PQ_PIPELINE_OFF);
}

TEST_P(BeginTest, CommitGoesWithTheLast) {
  connection_->begin_with_next("BEGIN", soon());
  const auto done = connection_->exec_batch_and_commit_blocking(
      batch_of({"INSERT INTO item VALUES (1, 'a')"}), kPatience);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(done->size(), 1u);
  EXPECT_EQ(items(), "a");

  connection_->begin_with_next("BEGIN", soon());
  const auto failed = connection_->exec_batch_and_commit_blocking(
      batch_of({"INSERT INTO item VALUES (2, 'b')", "SELECT 1 / 0"}), kPatience);
  EXPECT_EQ(error_of(failed).sqlstate(), "22012");
  EXPECT_EQ(connection_->transaction_state(), TransactionState::failed);
  const auto rolled_back = connection_->exec_batch_and_commit_blocking(Batch(), kPatience);
  EXPECT_EQ(error_of(rolled_back).sqlstate(), "25P02");
  EXPECT_EQ(connection_->transaction_state(), TransactionState::none);

  connection_->begin_with_next("BEGIN", soon());
  const auto deferred = connection_->exec_batch_and_commit_blocking(
      batch_of({"INSERT INTO part VALUES (5)"}), kPatience);
  EXPECT_EQ(error_of(deferred).sqlstate(), "23503");
  EXPECT_EQ(connection_->transaction_state(), TransactionState::none);
  EXPECT_EQ(items(), "a");
}

}  // namespace
}  // namespace forebay::postgres
