#include "forebay/standin/statements/statement_rules.hpp"

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/places.hpp"

namespace forebay::standin {
namespace {

using enum StatementKind;

const StatementRules& todays_rules() {
  static const StatementRules kRules{RuleBook()};
  return kRules;
}

StatementJudgement judged(const std::string& sql) {
  const Judgement judgement = todays_rules().judge(sql);
  EXPECT_EQ(judgement.statements.size(), 1u) << sql;
  return judgement.statements.empty() ? StatementJudgement() : judgement.statements.front();
}

struct KindCase {
  const char* sql;
  StatementKind kind;
};

TEST(StatementRulesTest, KnowsTheKindOfAStatement) {
  const std::vector<KindCase> cases{
      {"SELECT 1", select},
      {"VALUES (1)", select},
      {"TABLE t", select},
      {"WITH x AS (SELECT 1) SELECT * FROM x", select},
      {"EXPLAIN DELETE FROM t", select},
      {"COPY t TO STDOUT", select},
      {"INSERT INTO t VALUES (1)", dml},
      {"UPDATE t SET a = 1", dml},
      {"DELETE FROM t", dml},
      {"WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d", dml},
      {"EXPLAIN ANALYZE DELETE FROM t", dml},
      {"COPY t FROM STDIN", dml},
      {"CREATE TABLE t (a int)", ddl},
      {"CREATE VIEW v AS SELECT 1", ddl},
      {"CREATE INDEX i ON t (a)", ddl},
      {"ALTER TABLE t ADD a int", ddl},
      {"ALTER TABLE t RENAME TO u", ddl},
      {"ALTER TABLE ASYNC t VALIDATE CONSTRAINT c", ddl},
      {"DROP TABLE t", ddl},
      {"GRANT SELECT ON t TO r", ddl},
      {"REVOKE a FROM b", ddl},
      {"COMMENT ON TABLE t IS 'x'", ddl},
      {"CREATE ROLE r", ddl},
      {"CREATE INDEX ASYNC i ON t (a)", index_async},
      {"AWS IAM GRANT r TO 'arn'", iam_grant},
      {"AWS IAM REVOKE r FROM 'arn'", iam_grant},
      {"BEGIN", begin},
      {"START TRANSACTION", begin},
      {"COMMIT", commit},
      {"END TRANSACTION", commit},
      {"ROLLBACK", rollback},
      {"ABORT", rollback},
      {"SET application_name = 'x'", set},
      {"RESET ALL", set},
      {"SHOW ALL", show},
      {"ANALYZE t", other},
      {"CALL sys.wait_for_job('x')", other},
      {"SET CONSTRAINTS ALL DEFERRED", other},
      {"SAVEPOINT s", other},
  };

  for (const KindCase& known : cases) EXPECT_EQ(judged(known.sql).kind, known.kind) << known.sql;
}

TEST(StatementRulesTest, EveryStatementOfATextIsJudged) {
  const Judgement judgement =
      todays_rules().judge("BEGIN; CREATE INDEX ASYNC i ON t (a); TRUNCATE t;; /* x */ COMMIT");

  ASSERT_EQ(judgement.statements.size(), 4u);
  EXPECT_EQ(judgement.statements[0].sql, "BEGIN");
  EXPECT_EQ(judgement.statements[1].kind, index_async);
  EXPECT_EQ(judgement.statements[1].sql, " CREATE INDEX       i ON t (a)");
  EXPECT_EQ(judgement.statements[1].begin, 6u);
  EXPECT_EQ(judgement.statements[2].refusal->rule, "truncate");
  EXPECT_EQ(judgement.statements[3].kind, commit);
}

TEST(StatementRulesTest, WhatIsEmptyHasNoStatements) {
  for (const char* sql : {"", " ", ";", "-- nothing", "/* nothing */ ;;"}) {
    const Judgement judgement = todays_rules().judge(sql);
    EXPECT_TRUE(judgement.statements.empty()) << sql;
    EXPECT_TRUE(judgement.is_understood) << sql;
  }
}

TEST(StatementRulesTest, WhatTheParserCannotReadIsLeftToPostgres) {
  const std::string deep = "SELECT " + std::string(100'000, '(') + "1" + std::string(100'000, ')');
  std::string chain = "UPDATE t SET a = 1";
  for (int i = 0; i < 100'000; ++i) chain += "+1";
  // As long as the parser is given one, and deeper than trees are read.
  const std::string shorter = chain.substr(0, 3900);
  std::string sets = "SELECT 1, 2";
  for (int i = 0; i < 20'000; ++i) sets += " UNION SELECT 1, 2";
  for (const KindCase& known : std::vector<KindCase>{
           {"SELECT FROM WHERE; COMMIT", select},
           {"CREATE INDEX ASYNC s.i ON t (a)", ddl},
           {"ALTER TABLE t ADD COLUMN c text STORAGE PLAIN", ddl},
           {"nonsense", other},
           {"'", other},
           {deep.c_str(), select},
           {sets.c_str(), select},
           {chain.c_str(), dml},
           {shorter.c_str(), dml},
       }) {
    const std::string sql = known.sql;
    const Judgement judgement = todays_rules().judge(sql);

    EXPECT_FALSE(judgement.is_understood) << sql.substr(0, 80);
    ASSERT_EQ(judgement.statements.size(), 1u);
    EXPECT_EQ(judgement.statements.front().kind, known.kind) << sql.substr(0, 80);
    EXPECT_FALSE(judgement.statements.front().refusal.has_value());
    EXPECT_EQ(judgement.statements.front().sql.size(), sql.size());
  }
}

// The rows of a load are not nested, however many they are.
TEST(StatementRulesTest, LongLoadsAreRead) {
  std::string rows = "INSERT INTO t VALUES (0, 'x', now() + interval '1 day')";
  for (int i = 1; i < 3000; ++i) rows += ", (" + std::to_string(i) + ", 'x', now() - f(1, 2))";

  const Judgement judgement = todays_rules().judge(rows);

  EXPECT_TRUE(judgement.is_understood);
  EXPECT_EQ(judgement.statements.front().kind, dml);
}

TEST(StatementRulesTest, TablesThatAreWrittenAreNamed) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(judged("INSERT INTO App.T SELECT * FROM u").writes, Names{"app.t"});
  EXPECT_EQ(judged("WITH d AS (DELETE FROM a RETURNING *) UPDATE b SET x = 1").writes,
            (Names{"b", "a"}));
  EXPECT_EQ(judged("COPY t FROM STDIN").writes, Names{"t"});
  EXPECT_EQ(judged("SELECT * FROM t").writes, Names{});
  EXPECT_EQ(judged("COPY t TO STDOUT").writes, Names{});
  EXPECT_EQ(judged("ALTER TABLE s.t ADD a int").writes, Names{"s.t"});
  EXPECT_EQ(judged("DROP TABLE a, s.b").writes, (Names{"a", "s.b"}));
}

TEST(StatementRulesTest, LockingRowsIsKnownWhereverItStands) {
  EXPECT_TRUE(judged("SELECT 1 FROM t FOR UPDATE").locks_rows);
  EXPECT_TRUE(judged("SELECT * FROM (SELECT 1 FROM t FOR KEY SHARE) AS x").locks_rows);
  EXPECT_FALSE(judged("SELECT 1 FROM t").locks_rows);
}

TEST(StatementRulesTest, AnAsynchronousIndexIsMadeAtOnceAndNotedAsAJob) {
  const StatementJudgement named = judged("CREATE UNIQUE INDEX ASYNC i ON \"App\".t (a)");
  EXPECT_EQ(named.sql, "CREATE UNIQUE INDEX       i ON \"App\".t (a)");
  EXPECT_EQ(named.job_sql,
            "SELECT * FROM sys.note_job('INDEX_BUILD', to_regclass('\"App\".\"t\"'), 'i')");
  const StatementJudgement unnamed = judged("CREATE INDEX ASYNC ON t (a)");
  EXPECT_EQ(unnamed.job_sql,
            "SELECT * FROM sys.note_job('INDEX_BUILD', to_regclass('\"t\"'), NULL)");
  const StatementJudgement validation = judged("ALTER TABLE ASYNC t VALIDATE CONSTRAINT c");
  EXPECT_EQ(validation.sql, "ALTER TABLE       t VALIDATE CONSTRAINT c");
  EXPECT_EQ(validation.job_sql,
            "SELECT * FROM sys.note_job('VALIDATE_CONSTRAINT', to_regclass('\"t\"'), NULL)");
  EXPECT_EQ(judged("DROP INDEX i").job_sql, "");
}

TEST(StatementRulesTest, ThingsCalledAsyncAreNotTakenForTheWord) {
  EXPECT_EQ(judged("SELECT async FROM t").sql, "SELECT async FROM t");
  EXPECT_EQ(judged("CREATE TABLE async (id int)").sql, "CREATE TABLE async (id int)");
  EXPECT_EQ(judged("SELECT 'CREATE INDEX ASYNC i ON t (a)'").kind, select);
  EXPECT_EQ(judged("CREATE INDEX \"async\" ON t (a)").refusal->rule, "sync_index");
}

TEST(StatementRulesTest, IamGrantsAreWrittenIntoATable) {
  const StatementJudgement grant =
      judged("aws iam grant \"App'\" to 'arn:aws:iam::123456789012:role/o''neil' -- yes");
  ASSERT_TRUE(grant.iam_grant.has_value());
  EXPECT_FALSE(grant.iam_grant->is_revoke);
  EXPECT_EQ(grant.iam_grant->role, "App'");
  EXPECT_EQ(grant.iam_grant->arn, "arn:aws:iam::123456789012:role/o'neil");
  EXPECT_EQ(grant.sql, "SELECT sys.iam_grant('App''', 'arn:aws:iam::123456789012:role/o''neil')");
  EXPECT_EQ(grant.tag, "AWS IAM GRANT");

  const StatementJudgement revoke = judged("AWS IAM REVOKE App FROM 'x'");
  EXPECT_TRUE(revoke.iam_grant->is_revoke);
  EXPECT_EQ(revoke.sql, "SELECT sys.iam_revoke('app', 'x')");
  EXPECT_EQ(revoke.tag, "AWS IAM REVOKE");

  for (const char* sql : {"AWS IAM GRANT", "AWS IAM GRANT r FROM 'x'", "AWS IAM GRANT r TO x",
                          "AWS IAM GRANT r TO 'x' WITH ADMIN OPTION", "AWS IAM GRANT r TO 'x"}) {
    EXPECT_FALSE(todays_rules().judge(sql).is_understood) << sql;
  }
}

TEST(StatementRulesTest, DsqlsOwnParameterGetsANameThatPostgresTakes) {
  EXPECT_EQ(judged("SET disable_sync_create_index = off").sql,
            "SET standin.disable_sync_create_index = off");
  EXPECT_EQ(judged("SET LOCAL \"disable_sync_create_index\" TO 'off'").sql,
            "SET LOCAL standin.\"disable_sync_create_index\" TO 'off'");
  EXPECT_EQ(judged("set session Disable_Sync_Create_Index to on").sql,
            "set session standin.Disable_Sync_Create_Index to on");
  EXPECT_EQ(judged("RESET disable_sync_create_index").sql,
            "RESET standin.disable_sync_create_index");
  EXPECT_EQ(judged("SHOW disable_sync_create_index").sql, "SHOW standin.disable_sync_create_index");
  EXPECT_EQ(judged("SET search_path = disable_sync_create_index").sql,
            "SET search_path = disable_sync_create_index");
}

TEST(StatementRulesTest, ParametersOfTheStartAreJudgedAsThoseOfSet) {
  EXPECT_FALSE(todays_rules().refuse_parameter("application_name").has_value());
  EXPECT_FALSE(todays_rules().refuse_parameter("TimeZone").has_value());
  const std::optional<Refusal> refusal = todays_rules().refuse_parameter("lc_numeric");
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->sqlstate, "0A000");
  EXPECT_EQ(refusal->message, "setting configuration parameter \"lc_numeric\" not supported");
  EXPECT_EQ(todays_rules().refuse_parameter("role")->rule, "set_role");
}

TEST(StatementRulesTest, WhatOnlyTheCatalogKnowsIsAskedBefore) {
  const auto guards_of = [](const std::string& sql) {
    std::vector<std::string> rules;
    for (const Guard& guard : judged(sql).guards) rules.push_back(guard.refusal.rule);
    return rules;
  };
  using Rules = std::vector<std::string>;
  EXPECT_EQ(guards_of("ALTER TABLE t DROP COLUMN c"), Rules{"drop_key_column"});
  EXPECT_EQ(judged("ALTER TABLE t DROP COLUMN c").guards.front().refusal.message,
            "cannot drop primary key column c");
  EXPECT_EQ(guards_of("CREATE INDEX ASYNC i ON t (a)"),
            (Rules{"key_type", "key_type", "table_indexes"}));
  EXPECT_EQ(guards_of("CREATE TABLE t (a int)"), Rules{"tables"});
  EXPECT_EQ(guards_of("CREATE VIEW v AS SELECT 1"), Rules{"views"});
  EXPECT_EQ(guards_of("CREATE SEQUENCE s CACHE 1"), Rules{"sequences"});
  EXPECT_EQ(guards_of("CREATE SCHEMA s"), Rules{"schemas"});
  EXPECT_EQ(guards_of("SELECT 1"), Rules{});

  const StatementRules without(RuleBook("2026-11-15", {"tables"}, {}));
  EXPECT_TRUE(without.judge("CREATE TABLE t (a int)").statements.front().guards.empty());
}

// The schema of an example that was written for DSQL, as its program runs it.
TEST(StatementRulesTest, TheSchemaOfTheWorkflowStoreIsAccepted) {
  std::ifstream file(forebay::test::source_file("examples/workflow_store/schema.sql"));
  const std::string schema{std::istreambuf_iterator<char>(file), {}};

  const Judgement judgement = todays_rules().judge(schema);

  EXPECT_EQ(judgement.statements.size(), 6u);
  for (const StatementJudgement& statement : judgement.statements)
    EXPECT_FALSE(statement.refusal.has_value()) << statement.sql;
  EXPECT_EQ(judgement.statements.back().kind, index_async);
}

}  // namespace
}  // namespace forebay::standin
