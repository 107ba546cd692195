// Transactions as Aurora DSQL has them, on PostgreSQL.
#include "standin_real/standin_fixture.hpp"

namespace forebay::standin {
namespace {

constexpr const char* kDataConflict = "40001 change conflicts with another transaction (OC000)";
constexpr const char* kSchemaConflict =
    "40001 schema has been updated by another transaction (OC001)";

class StandinTransactionTest : public StandinTest {
 protected:
  void SetUp() override {
    open([](cli::StandinSettings& settings) {
      TransactionLimits limits;
      limits.age = 1s;
      settings.options.rules = RuleBook(std::string(kRulesKnownOn), {}, limits);
    });
    Client client = connect();
    client.query("DROP TABLE IF EXISTS account");
    ASSERT_EQ(client.query("CREATE TABLE account (id int PRIMARY KEY, balance int, note text)"),
              "CREATE TABLE");
    ASSERT_EQ(client.query("INSERT INTO account SELECT n, 100 FROM generate_series(1, 10) n"),
              "INSERT 0 10");
  }
};

TEST_F(StandinTransactionTest, TheSecondWriterOfARowLosesAndNobodyWaits) {
  Client one = connect(), other = connect();
  ASSERT_EQ(one.query("BEGIN"), "BEGIN");
  ASSERT_EQ(other.query("BEGIN"), "BEGIN");
  EXPECT_EQ(one.query("UPDATE account SET balance = 1 WHERE id = 1"), "UPDATE 1");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(other.query("UPDATE account SET balance = 2 WHERE id = 1"), kDataConflict);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  EXPECT_EQ(other.query("SELECT 1").substr(0, 5), "25P02");
  EXPECT_EQ(other.query("COMMIT"), "ROLLBACK");
  EXPECT_EQ(one.query("COMMIT"), "COMMIT");
  EXPECT_EQ(other.query("SELECT balance FROM account WHERE id = 1"), "1");
}

TEST_F(StandinTransactionTest, WhoeverReadAnOlderVersionLosesToo) {
  Client one = connect(), other = connect();
  ASSERT_EQ(other.query("BEGIN"), "BEGIN");
  EXPECT_EQ(other.query("SELECT balance FROM account WHERE id = 1"), "100");
  EXPECT_EQ(one.query("UPDATE account SET balance = 1 WHERE id = 1"), "UPDATE 1");
  EXPECT_EQ(other.query("SELECT balance FROM account WHERE id = 1"), "100");
  EXPECT_EQ(other.execute("UPDATE account SET balance = 2 WHERE id = 1"), kDataConflict);
  EXPECT_EQ(other.query("ROLLBACK"), "ROLLBACK");
}

TEST_F(StandinTransactionTest, ForUpdateMakesReadersConflict) {
  Client one = connect(), other = connect();
  ASSERT_EQ(one.query("BEGIN"), "BEGIN");
  EXPECT_EQ(one.query("SELECT balance FROM account WHERE id = 1 FOR UPDATE"), "100");
  EXPECT_EQ(other.query("UPDATE account SET balance = 2 WHERE id = 1"), kDataConflict);
  EXPECT_EQ(other.query("UPDATE account SET balance = 2 WHERE id = 2"), "UPDATE 1");
  EXPECT_EQ(one.query("COMMIT"), "COMMIT");
}

TEST_F(StandinTransactionTest, ThreeThousandRowsAndNotOneMore) {
  Client client = connect();
  EXPECT_EQ(client.query("INSERT INTO account SELECT n, 0 FROM generate_series(101, 3101) n"),
            "54000 transaction row limit exceeded");
  EXPECT_EQ(client.query("INSERT INTO account SELECT n, 0 FROM generate_series(101, 3100) n"),
            "INSERT 0 3000");
  ASSERT_EQ(client.query("BEGIN"), "BEGIN");
  EXPECT_EQ(client.query("UPDATE account SET balance = 1 WHERE id > 100"), "UPDATE 3000");
  EXPECT_EQ(client.query("DELETE FROM account WHERE id = 1"),
            "54000 transaction row limit exceeded");
  EXPECT_EQ(client.query("SELECT 1").substr(0, 5), "25P02");
  EXPECT_EQ(client.query("ROLLBACK"), "ROLLBACK");
  EXPECT_EQ(client.query("DELETE FROM account WHERE id > 100"), "DELETE 3000");
}

TEST_F(StandinTransactionTest, TenMebibytesAreTooMuchAtCommit) {
  Client client = connect();
  const std::string write = "UPDATE account SET note = repeat('x', 1000000) WHERE id <= ";
  ASSERT_EQ(client.query("BEGIN"), "BEGIN");
  EXPECT_EQ(client.query(write + "10"), "UPDATE 10");  // 9.5 MiB
  EXPECT_EQ(client.query("COMMIT"), "COMMIT");
  ASSERT_EQ(client.query("BEGIN"), "BEGIN");
  EXPECT_EQ(client.query(write + "10"), "UPDATE 10");
  EXPECT_EQ(client.query(write + "2"), "UPDATE 2");
  EXPECT_EQ(client.query("COMMIT"),
            "54000 transaction size limit 10mb exceeded / Current transaction size 12mb > 10mb");
  EXPECT_EQ(PQtransactionStatus(client.get()), PQTRANS_IDLE);
  EXPECT_EQ(client.query("SELECT 1"), "1");
}

TEST_F(StandinTransactionTest, ATransactionThatIsTooOldFailsAtCommit) {
  Client client = connect();
  ASSERT_EQ(client.query("BEGIN"), "BEGIN");
  EXPECT_EQ(client.query("UPDATE account SET balance = 7 WHERE id = 3"), "UPDATE 1");
  EXPECT_EQ(client.query("SELECT pg_sleep(1.5)"), "");  // runs to its end
  const std::string answer = client.execute("COMMIT");
  EXPECT_EQ(answer.substr(0, answer.find(" / ")), "54000 transaction age limit of 1s exceeded");
  EXPECT_EQ(PQtransactionStatus(client.get()), PQTRANS_IDLE);
  EXPECT_EQ(client.query("SELECT balance FROM account WHERE id = 3"), "100");
}

TEST_F(StandinTransactionTest, DdlOfOthersIsHeardOnce) {
  Client one = connect(), other = connect();
  ASSERT_EQ(other.query("SELECT count(*) FROM account"), "10");
  ASSERT_EQ(one.query("ALTER TABLE account ADD COLUMN extra int"), "ALTER TABLE");
  EXPECT_EQ(one.query("SELECT count(*) FROM account"), "10");
  EXPECT_EQ(other.execute("SELECT count(*) FROM account"), kSchemaConflict);
  EXPECT_EQ(other.execute("SELECT count(*) FROM account"), "10");
}

TEST_F(StandinTransactionTest, OneDdlAndNoDmlBesideIt) {
  Client client = connect();
  ASSERT_EQ(client.query("BEGIN"), "BEGIN");
  ASSERT_EQ(client.query("CREATE TABLE one (id int PRIMARY KEY)"), "CREATE TABLE");
  EXPECT_EQ(client.query("CREATE TABLE two (id int PRIMARY KEY)"),
            "0A000 multiple ddl statements not supported in a transaction");
  EXPECT_EQ(client.query("COMMIT"), "ROLLBACK");
  ASSERT_EQ(client.query("BEGIN"), "BEGIN");
  ASSERT_EQ(client.execute("DELETE FROM account WHERE id = 10"), "DELETE 1");
  EXPECT_EQ(client.execute("DROP TABLE account"),
            "0A000 ddl and dml are not supported in the same transaction");
  EXPECT_EQ(client.query("ROLLBACK"), "ROLLBACK");
}

}  // namespace
}  // namespace forebay::standin
