#include "forebay/wire/statement_reading.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace forebay::wire {
namespace {

using enum Leftover;

Leftovers left_by(const std::string& sql, const TrustedFunctions& trusted = {}) {
  return read_statement(sql, trusted).leftovers;
}

struct Case {
  const char* sql;
  Leftovers leftovers;
};

TEST(StatementReadingTest, WhatEachKindOfStatementLeaves) {
  const std::vector<Case> cases{
      {"SELECT 1", {}},
      {"", {}},
      {"INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING RETURNING id", {}},
      {"UPDATE t SET a = lower(b) WHERE c = $1", {}},
      {"DELETE FROM t USING u WHERE t.id = u.id", {}},
      {"MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN DELETE", {}},
      {"BEGIN ISOLATION LEVEL REPEATABLE READ", {}},
      {"SAVEPOINT a", {}},
      {"COPY t FROM STDIN", {}},
      {"SELECT * FROM t FOR UPDATE SKIP LOCKED", {}},
      {"SET LOCAL work_mem = '1MB'", {}},
      {"SET TRANSACTION READ ONLY", {}},
      {"SHOW work_mem", {}},
      {"NOTIFY c, 'x'", {}},
      {"DECLARE c CURSOR FOR SELECT 1", {}},
      {"CREATE TABLE t (id int DEFAULT 1)", {}},
      {"TRUNCATE t", {}},
      {"SELECT count(*), pg_catalog.now() FROM t", {}},
      {"SELECT set_config('work_mem', '1MB', true)", {}},
      {"SELECT pg_advisory_xact_lock(1)", {}},
      {"SET work_mem = '1MB'", {settings}},
      {"RESET ALL", {settings}},
      {"SET ROLE other", {settings}},
      {"SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", {settings}},
      {"SELECT set_config('work_mem', '1MB', false)", {settings}},
      {"SELECT set_config('work_mem', '1MB', $1)", {settings}},
      {"PREPARE p AS SELECT 1", {prepared}},
      {"DEALLOCATE ALL", {prepared}},
      {"DECLARE c CURSOR WITH HOLD FOR SELECT 1", {cursors}},
      {"LISTEN c", {channels}},
      {"SELECT pg_try_advisory_lock(1)", {locks}},
      {"CREATE TEMP TABLE t (n int)", {temporary}},
      {"CREATE TABLE pg_temp.t (n int)", {temporary}},
      {"SELECT 1 AS n INTO TEMP t", {temporary}},
      {"CREATE TEMP TABLE t AS SELECT 1", {temporary}},
      {"SELECT nextval('s')", {sequences}},
      {"SELECT setval('s', 1), pg_advisory_lock(1)", {sequences, locks}},
      {"BEGIN; SET x.y = 1; COMMIT", {settings}},
      {"EXPLAIN ANALYZE SELECT nextval('s')", {sequences}},
      {"EXECUTE p", {everything}},
      {"DISCARD ALL", {everything}},
      {"LOAD 'x'", {everything}},
      {"DO $$ BEGIN END $$", {everything}},
      {"SELECT mine()", {everything}},
      {"SELECT app.lower('x')", {everything}},
      {"CALL mine()", {everything}},
      {"SELECT * FROM mine(1)", {everything}},
      {"INSERT INTO t SELECT mine()", {everything}},
      {"WITH c AS (DELETE FROM t RETURNING mine()) SELECT 1", {everything}},
      {"SELECT 1 ORDER BY mine()", {everything}},
      {"COPY (SELECT mine()) TO STDOUT", {everything}},
      {"SELECT FROM WHERE", {everything}},
      {"SELECT query_to_xml('SET work_mem = 1', true, true, '')", {everything}},
  };

  for (const Case& known : cases) EXPECT_EQ(left_by(known.sql), known.leftovers) << known.sql;
}

TEST(StatementReadingTest, TrustIsGivenToAFunctionAsItIsCalled) {
  const TrustedFunctions trusted{"mine", "app.price"};

  EXPECT_TRUE(left_by("SELECT mine(), app.price(1)", trusted).empty());
  EXPECT_TRUE(left_by("SELECT MINE()", trusted).empty());
  EXPECT_TRUE(left_by("SELECT other.mine()", trusted).has(everything));
  EXPECT_TRUE(left_by("SELECT price(1)", trusted).has(everything));
}

TEST(StatementReadingTest, OneStatementOnRowsIsWorthBeingPrepared) {
  for (const char* sql : {"SELECT 1", "VALUES (1)", "WITH a AS (SELECT 1) SELECT * FROM a",
                          "DELETE FROM t", "INSERT INTO t VALUES ($1)", "UPDATE t SET a = 1"}) {
    EXPECT_TRUE(read_statement(sql, {}).is_preparable) << sql;
  }
  for (const char* sql : {"SELECT 1; SELECT 2", "BEGIN", "SET a.b = 1", "SELECT 1 INTO t", "",
                          "COPY t FROM STDIN", "SELECT FROM WHERE"}) {
    EXPECT_FALSE(read_statement(sql, {}).is_preparable) << sql;
  }
}

TEST(StatementReadingTest, OneStatementThatIsNoCopyCanTravelWithOthers) {
  for (const char* sql : {"SELECT 1", "SELECT 1;", "SET a.b = 1", "BEGIN", "SAVEPOINT a",
                          "CREATE TABLE t (id int)", "DO $$ BEGIN END $$", "SELECT 1 INTO t"}) {
    EXPECT_TRUE(read_statement(sql, {}).is_single) << sql;
    EXPECT_TRUE(read_statement(sql, {}).is_understood) << sql;
  }
  for (const char* sql : {"", ";", "-- nothing", "SELECT 1; SELECT 2", "COPY t FROM STDIN",
                          "COPY (SELECT 1) TO STDOUT", "COPY t FROM '/tmp/x'"}) {
    EXPECT_FALSE(read_statement(sql, {}).is_single) << sql;
    EXPECT_TRUE(read_statement(sql, {}).is_understood) << sql;
  }
  EXPECT_FALSE(read_statement("SELECT FROM WHERE", {}).is_single);
  EXPECT_FALSE(read_statement("SELECT FROM WHERE", {}).is_understood);
}

TEST(StatementReadingTest, WhatBeginsOrEndsATransactionIsKnown) {
  for (const char* sql : {"BEGIN", "START TRANSACTION READ ONLY", "COMMIT", "END", "ROLLBACK",
                          "ABORT", "PREPARE TRANSACTION 'a'", "COMMIT PREPARED 'a'",
                          "SELECT 1; COMMIT", "ROLLBACK AND CHAIN"}) {
    EXPECT_TRUE(read_statement(sql, {}).is_transaction_control) << sql;
  }
  for (const char* sql : {"SAVEPOINT a", "RELEASE a", "ROLLBACK TO SAVEPOINT a", "SELECT 1",
                          "SET TRANSACTION READ ONLY", "PREPARE a AS SELECT 1"}) {
    EXPECT_FALSE(read_statement(sql, {}).is_transaction_control) << sql;
  }
}

TEST(StatementReadingTest, WhatIsTooLongOrTooDeepIsNotRead) {
  const std::string long_text = "SELECT '" + std::string(40'000, 'x') + "'";
  std::string deep = "1";
  for (int level = 0; level < 1'000; ++level) deep = "(" + deep + " + 1)";
  const std::string cut("SELECT 1\0; SET a.b = 1", 22);

  EXPECT_TRUE(left_by(long_text).has(everything));
  EXPECT_TRUE(left_by("SELECT " + deep).has(everything));
  EXPECT_TRUE(left_by(cut).has(everything));
}

RC_GTEST_PROP(StatementReadingProperty, AnyTextIsRead, (const std::string& text)) {
  read_statement(text, {});
}

// Whatever stands around it, a call of an unknown function is found.
RC_GTEST_PROP(StatementReadingProperty, NoExpressionHidesACall, ()) {
  std::string expression = "mine(1)";
  const int depth = *rc::gen::inRange(0, 12);
  for (int level = 0; level < depth; ++level) {
    const auto shape = *rc::gen::element<std::string>(
        "lower(@)", "(SELECT @)", "CASE WHEN true THEN @ END", "ARRAY[@]", "coalesce(@, 1)",
        "(@)::text", "(@) + 1", "NOT EXISTS (SELECT 1 FROM t WHERE a = @)", "@ IN (1, 2)",
        "(WITH c AS (SELECT @ AS v) SELECT v FROM c)", "count(*) FILTER (WHERE @)",
        "sum(@) OVER (PARTITION BY @)", "(SELECT x FROM generate_series(1, @) x)", "ROW(@, 2)",
        "(SELECT a FROM t ORDER BY @ LIMIT 1)", "@ AT TIME ZONE 'UTC'");
    std::string next;
    for (const char letter : shape) next += letter == '@' ? expression : std::string(1, letter);
    if (next.size() > 4'000) break;
    expression = next;
  }

  const StatementReading reading = read_statement("SELECT " + expression, {});

  RC_ASSERT(reading.leftovers.has(everything));
}

TEST(StatementReadingTest, WhatSettingsAndStatementsItIsAbout) {
  const auto settings = [](const char* sql) {
    std::string told;
    for (const SettingChange& change : read_statement(sql, {}).settings)
      told += (change.is_reset ? "-" : "+") + change.name + " ";
    return told;
  };

  EXPECT_EQ(settings("SET TIME ZONE 'CET'; SET DateStyle TO DEFAULT; RESET ALL"),
            "+timezone -datestyle - ");
  EXPECT_EQ(settings("SELECT set_config('Work_Mem', '1', false), set_config($1, '1', false)"),
            "+work_mem + ");
  EXPECT_EQ(settings("SET LOCAL a.b = 1; SELECT set_config('a.b', '1', true)"), "");
  EXPECT_EQ(read_statement("DEALLOCATE a; DEALLOCATE \"B\"", {}).deallocates,
            (std::vector<std::string>{"a", "B"}));
  EXPECT_TRUE(read_statement("DEALLOCATE ALL", {}).deallocates_all);
  EXPECT_TRUE(read_statement("DISCARD ALL", {}).discards_all);
  EXPECT_FALSE(read_statement("DISCARD TEMP", {}).discards_all);
  EXPECT_EQ(read_statement("EXECUTE a(1)", {}).executes, std::vector<std::string>{"a"});
  EXPECT_EQ(read_statement("EXPLAIN EXECUTE a", {}).executes, std::vector<std::string>{"a"});
  EXPECT_TRUE(read_statement("PREPARE a AS SELECT 1", {}).prepares);
  EXPECT_TRUE(read_statement("LOAD 'x'", {}).loads);
  EXPECT_TRUE(read_statement("ROLLBACK TO a", {}).is_transaction_exit);
  EXPECT_FALSE(read_statement("ROLLBACK; SELECT 1", {}).is_transaction_exit);
  EXPECT_FALSE(read_statement("BEGIN", {}).is_transaction_exit);
}

}  // namespace
}  // namespace forebay::wire
