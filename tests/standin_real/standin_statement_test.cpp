// Statements that Aurora DSQL refuses, and those that only it has, on PostgreSQL.
#include "standin_real/standin_fixture.hpp"

namespace forebay::standin {
namespace {

class StandinStatementTest : public StandinTest {};

TEST_F(StandinStatementTest, WhatIsRefusedIsRefusedInBothProtocols) {
  open();
  Client client = connect();
  const std::string refusal = "0A000 unsupported statement: Listen";
  EXPECT_EQ(client.query("LISTEN news"), refusal);
  EXPECT_EQ(client.execute("LISTEN news"), refusal);
  EXPECT_EQ(client.query("SELECT 1; LISTEN news"), refusal);
  EXPECT_EQ(client.query("SET statement_timeout = '5s'"),
            "0A000 setting configuration parameter \"statement_timeout\" not supported");
  EXPECT_EQ(client.execute("BEGIN ISOLATION LEVEL SERIALIZABLE"),
            "0A000 Unsupported isolation level: SERIALIZABLE");
  EXPECT_EQ(client.query("SELECT 1"), "1");
}

TEST_F(StandinStatementTest, ARefusalAbortsItsBlock) {
  open();
  Client client = connect();
  for (const bool is_extended : {false, true}) {
    ASSERT_EQ(client.query("BEGIN"), "BEGIN");
    EXPECT_EQ(is_extended ? client.execute("SAVEPOINT a") : client.query("SAVEPOINT a"),
              "0A000 unsupported transaction statement: SAVEPOINT");
    EXPECT_EQ(PQtransactionStatus(client.get()), PQTRANS_INERROR);
    EXPECT_EQ(client.execute("SELECT 1").substr(0, 5), "25P02");
    EXPECT_EQ(client.query("COMMIT"), "ROLLBACK");
  }
}

TEST_F(StandinStatementTest, AnIndexIsAJob) {
  open();
  Client client = connect();
  client.query("DROP TABLE IF EXISTS shelf");
  ASSERT_EQ(client.query("CREATE TABLE shelf (id int PRIMARY KEY, a int, b int)"), "CREATE TABLE");
  for (const bool is_extended : {false, true}) {
    const std::string sql = is_extended ? "CREATE INDEX ASYNC shelf_b ON shelf (b)"
                                        : "CREATE INDEX ASYNC shelf_a ON shelf (a)";
    PGresult* const result = is_extended ? PQexecParams(client.get(), sql.c_str(), 0, nullptr,
                                                        nullptr, nullptr, nullptr, 0)
                                         : PQexec(client.get(), sql.c_str());
    ASSERT_EQ(PQresultStatus(result), PGRES_TUPLES_OK) << PQerrorMessage(client.get());
    EXPECT_STREQ(PQcmdStatus(result), "CREATE INDEX");
    EXPECT_STREQ(PQfname(result, 0), "job_id");
    const std::string job = PQgetvalue(result, 0, 0);
    PQclear(result);
    EXPECT_EQ(job.size(), 26U);
    EXPECT_EQ(client.query("SELECT status FROM sys.jobs WHERE job_id = '" + job + "'"),
              "completed");
    EXPECT_EQ(client.query("CALL sys.wait_for_job('" + job + "')"), "CALL");
  }
  EXPECT_EQ(client.query("SELECT count(*) FROM pg_indexes WHERE tablename = 'shelf'"), "3");
  EXPECT_EQ(client.query("CREATE INDEX shelf_c ON shelf (a, b)"),
            "0A000 unsupported mode. please use CREATE INDEX ASYNC.");
}

TEST_F(StandinStatementTest, AMappingIsNoted) {
  open();
  Client client = connect();
  ASSERT_EQ(client.query("CREATE ROLE reader WITH LOGIN"), "CREATE ROLE");
  EXPECT_EQ(client.query("AWS IAM GRANT reader TO 'arn:aws:iam::123456789012:role/app'"),
            "AWS IAM GRANT");
  EXPECT_EQ(client.query("SELECT arn FROM sys.iam_pg_role_mappings WHERE pg_role_name = 'reader'"),
            "arn:aws:iam::123456789012:role/app");
  EXPECT_EQ(client.query("AWS IAM REVOKE reader FROM 'arn:aws:iam::123456789012:role/app'"),
            "AWS IAM REVOKE");
  EXPECT_EQ(client.query("DROP ROLE reader"), "DROP ROLE");
}

TEST_F(StandinStatementTest, ARuleCanBeSwitchedOff) {
  open([](cli::StandinSettings& settings) {
    settings.options.rules = RuleBook(std::string(kRulesKnownOn), {"listen"}, TransactionLimits());
  });
  Client client = connect();
  EXPECT_EQ(client.query("LISTEN news"), "LISTEN");
}

}  // namespace
}  // namespace forebay::standin
