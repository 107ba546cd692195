#include "forebay/standin/statements/transaction_rules.hpp"

#include <chrono>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "forebay/standin/statements/statement_rules.hpp"

namespace forebay::standin {
namespace {

using std::chrono::seconds;

constexpr std::int64_t kMebibyte = 1024 * 1024;

// One session: statements as texts, each run at once, and what comes of them by the rule's name.
class TransactionRulesTest : public ::testing::Test {
 protected:
  std::string run(const std::string& sql, std::int64_t rows = 0, std::int64_t bytes = 0) {
    const StatementJudgement statement = statements_.judge(sql).statements.front();
    last_ = transaction_.admit(statement, now_);
    if (!last_) last_ = transaction_.note_done(statement, rows, bytes);
    return outcome();
  }
  std::string end() {
    last_ = transaction_.end_of_message(now_);
    return outcome();
  }
  // As a message of its own.
  std::string query(const std::string& sql, std::int64_t rows = 0, std::int64_t bytes = 0) {
    const std::string refused = run(sql, rows, bytes);
    return refused != "ok" ? refused : end();
  }
  std::string outcome() const { return last_ ? last_->rule : "ok"; }

  RuleBook book_;
  StatementRules statements_{book_};
  TransactionRules transaction_{book_};
  Instant now_{};
  std::optional<Refusal> last_;
};

TEST_F(TransactionRulesTest, OneStatementOfDdlIsAllowed) {
  EXPECT_EQ(run("BEGIN"), "ok");
  EXPECT_EQ(run("CREATE TABLE a (id int)"), "ok");
  EXPECT_EQ(run("SELECT 1"), "ok");
  EXPECT_EQ(run("CREATE TABLE b (id int)"), "multiple_ddl");
  EXPECT_EQ(last_->sqlstate, "0A000");
  EXPECT_EQ(last_->message, "multiple ddl statements not supported in a transaction");
  EXPECT_TRUE(transaction_.has_failed());
}

TEST_F(TransactionRulesTest, GrantsAndAsynchronousIndexesAreDdl) {
  for (const char* sql : {"GRANT SELECT ON t TO r", "CREATE INDEX ASYNC i ON t (a)",
                          "AWS IAM GRANT r TO 'x'", "DROP TABLE t"}) {
    EXPECT_EQ(run("CREATE TABLE a (id int)"), "ok");
    EXPECT_EQ(run(sql), "multiple_ddl") << sql;
    EXPECT_FALSE(transaction_.is_open()) << "an implicit transaction is over";
  }
}

TEST_F(TransactionRulesTest, DdlAndDmlDoNotMix) {
  EXPECT_EQ(run("BEGIN"), "ok");
  EXPECT_EQ(run("CREATE TABLE a (id int)"), "ok");
  EXPECT_EQ(run("INSERT INTO a VALUES (1)", 1), "ddl_and_dml");
  EXPECT_EQ(last_->message, "ddl and dml are not supported in the same transaction");
  EXPECT_EQ(run("ROLLBACK"), "ok");

  EXPECT_EQ(run("BEGIN"), "ok");
  EXPECT_EQ(run("DELETE FROM a", 1), "ok");
  EXPECT_EQ(run("DROP TABLE a"), "ddl_and_dml");
}

TEST_F(TransactionRulesTest, AMessageOfSeveralStatementsIsOneTransaction) {
  EXPECT_EQ(run("CREATE TABLE a (id int)"), "ok");
  EXPECT_EQ(run("INSERT INTO a VALUES (1)", 1), "ddl_and_dml");
  EXPECT_FALSE(transaction_.is_in_block());

  EXPECT_EQ(query("CREATE TABLE a (id int)"), "ok");
  EXPECT_EQ(query("INSERT INTO a VALUES (1)", 1), "ok");
}

TEST_F(TransactionRulesTest, AfterAnErrorOnlyItsEndIsLeft) {
  EXPECT_EQ(run("BEGIN"), "ok");
  EXPECT_EQ(run("TRUNCATE t"), "truncate");
  EXPECT_EQ(run("TRUNCATE t"), "aborted_transaction");
  EXPECT_EQ(run("SELECT 1"), "aborted_transaction");
  EXPECT_EQ(last_->sqlstate, "25P02");
  EXPECT_EQ(last_->message,
            "current transaction is aborted, commands ignored until end of transaction block");
  EXPECT_EQ(run("COMMIT AND CHAIN"), "aborted_transaction");
  EXPECT_EQ(run("BEGIN"), "aborted_transaction");
  EXPECT_TRUE(transaction_.is_in_block());
  EXPECT_EQ(run("COMMIT"), "ok");
  EXPECT_FALSE(transaction_.is_in_block());
  EXPECT_EQ(query("SELECT 1"), "ok");
}

TEST_F(TransactionRulesTest, AnErrorOfPostgresFailsABlockAndNothingElse) {
  run("BEGIN");
  transaction_.note_failure();
  EXPECT_TRUE(transaction_.has_failed());
  run("ROLLBACK");

  run("SELECT 1");
  transaction_.note_failure();
  EXPECT_FALSE(transaction_.has_failed());
  EXPECT_FALSE(transaction_.is_open());
  EXPECT_EQ(query("TRUNCATE t"), "truncate");
  EXPECT_EQ(query("SELECT 1"), "ok");
}

TEST_F(TransactionRulesTest, ThreeThousandRowsPassAndOneMoreDoesNot) {
  run("BEGIN");
  EXPECT_EQ(run("INSERT INTO t SELECT generate_series(1, 2000)", 2000), "ok");
  EXPECT_EQ(run("SELECT * FROM t FOR UPDATE", 1000), "ok");
  EXPECT_EQ(run("SELECT * FROM t", 100'000), "ok");
  EXPECT_EQ(transaction_.rows(), 3000);
  EXPECT_EQ(run("DELETE FROM t WHERE id = 1", 1), "transaction_rows");
  EXPECT_EQ(last_->sqlstate, "54000");
  EXPECT_EQ(last_->message, "transaction row limit exceeded");
  EXPECT_EQ(run("SELECT 1"), "aborted_transaction");
  EXPECT_EQ(run("ROLLBACK"), "ok");

  EXPECT_EQ(query("INSERT INTO t SELECT generate_series(1, 3000)", 3000), "ok");
  EXPECT_EQ(query("INSERT INTO t SELECT generate_series(1, 3001)", 3001), "transaction_rows");
  EXPECT_EQ(query("INSERT INTO t SELECT generate_series(1, 3000)", 3000), "ok");
}

TEST_F(TransactionRulesTest, TheSizeIsLookedAtByCommit) {
  run("BEGIN");
  EXPECT_EQ(run("INSERT INTO t VALUES ($1)", 1, 10 * kMebibyte), "ok");
  EXPECT_EQ(run("COMMIT"), "ok");

  run("BEGIN");
  EXPECT_EQ(run("INSERT INTO t VALUES ($1)", 1, 15 * kMebibyte + 1), "ok");
  EXPECT_EQ(run("SELECT 1"), "ok");
  EXPECT_EQ(run("COMMIT"), "transaction_size");
  EXPECT_EQ(last_->sqlstate, "54000");
  EXPECT_EQ(last_->message, "transaction size limit 10mb exceeded");
  EXPECT_EQ(last_->detail, "Current transaction size 16mb > 10mb");
  EXPECT_FALSE(transaction_.is_in_block());

  EXPECT_EQ(query("INSERT INTO t VALUES ($1)", 1, 11 * kMebibyte), "transaction_size");
  EXPECT_EQ(query("INSERT INTO t VALUES ($1)", 1, kMebibyte), "ok");
}

TEST_F(TransactionRulesTest, TheAgeIsLookedAtByTheNextStatement) {
  run("BEGIN");
  now_ += seconds(300);
  EXPECT_EQ(run("SELECT 1"), "ok");
  now_ += seconds(1);
  EXPECT_EQ(run("SELECT 1"), "transaction_age");
  EXPECT_EQ(last_->sqlstate, "54000");
  EXPECT_EQ(last_->message, "transaction age limit of 300s exceeded");
  EXPECT_EQ(last_->detail, "Current transaction age 301s exceeds 300s");
  EXPECT_TRUE(transaction_.has_failed());
  EXPECT_EQ(run("ROLLBACK"), "ok");
}

TEST_F(TransactionRulesTest, TheAgeIsLookedAtByCommitAndNotByRollback) {
  run("BEGIN");
  now_ += seconds(310);
  EXPECT_EQ(run("COMMIT"), "transaction_age");
  EXPECT_FALSE(transaction_.is_in_block());

  run("BEGIN");
  now_ += seconds(310);
  EXPECT_EQ(run("ROLLBACK"), "ok");

  run("SELECT pg_sleep(310)");
  now_ += seconds(310);
  EXPECT_EQ(end(), "transaction_age");
}

// What ran in the message before BEGIN belongs to the block.
TEST_F(TransactionRulesTest, BeginTakesOverAnImplicitTransaction) {
  EXPECT_EQ(run("INSERT INTO t VALUES (1)", 2000), "ok");
  now_ += seconds(200);
  EXPECT_EQ(run("BEGIN"), "ok");
  EXPECT_EQ(end(), "ok");
  EXPECT_TRUE(transaction_.is_in_block());
  EXPECT_EQ(run("INSERT INTO t VALUES (1)", 1001), "transaction_rows");
  run("ROLLBACK");

  EXPECT_EQ(run("SELECT 1"), "ok");
  now_ += seconds(200);
  run("BEGIN");
  now_ += seconds(101);
  EXPECT_EQ(run("SELECT 1"), "transaction_age");
}

TEST_F(TransactionRulesTest, LimitsAndSwitchesAreThoseOfTheBook) {
  const RuleBook book("2026-11-15", {"multiple_ddl", "aborted_transaction"},
                      {.rows = 5, .mebibytes = 1, .age = seconds(2)});
  TransactionRules transaction(book);
  const auto admit = [&](const std::string& sql) {
    return transaction.admit(statements_.judge(sql).statements.front(), now_);
  };

  EXPECT_FALSE(admit("BEGIN"));
  EXPECT_FALSE(admit("CREATE TABLE a (id int)"));
  EXPECT_FALSE(admit("CREATE TABLE b (id int)"));
  now_ += seconds(3);
  const std::optional<Refusal> old = admit("SELECT 1");
  ASSERT_TRUE(old.has_value());
  EXPECT_EQ(old->message, "transaction age limit of 2s exceeded");
  EXPECT_FALSE(admit("SELECT 1")) << "left to PostgreSQL";
  transaction.forget();
  EXPECT_FALSE(transaction.is_in_block());

  const StatementJudgement insert = statements_.judge("INSERT INTO t VALUES (1)").statements[0];
  EXPECT_FALSE(transaction.admit(insert, now_));
  EXPECT_FALSE(transaction.note_done(insert, 5, 2 * kMebibyte));
  const std::optional<Refusal> large = transaction.end_of_message(now_);
  ASSERT_TRUE(large.has_value());
  EXPECT_EQ(large->message, "transaction size limit 1mb exceeded");
  EXPECT_EQ(large->detail, "Current transaction size 2mb > 1mb");
}

}  // namespace
}  // namespace forebay::standin
