// What statements leave in a session is cleared before the next user, however they came to leave
// it; and what leaves nothing costs no reset.
#include <algorithm>

#include "forebay/postgres/postgres_pool.hpp"
#include "forebay/wire/builtin_functions.hpp"
#include "postgres/postgres_fixture.hpp"

namespace forebay::postgres {
namespace {

using Texts = std::vector<std::string>;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

// Everything in which sessions of one database can differ.
const char* const kState = R"(
  SELECT concat_ws(' | ',
    (SELECT string_agg(name || '=' || setting, ',' ORDER BY name)
     FROM pg_settings WHERE source = 'session' AND name NOT LIKE 'transaction%'),
    'mark ' || nullif(current_setting('mine.mark', true), ''),
    current_user, session_user,
    (SELECT string_agg('prepared ' || name, ',') FROM pg_prepared_statements WHERE from_sql),
    (SELECT string_agg('cursor ' || name, ',') FROM pg_cursors WHERE name <> ''),
    (SELECT string_agg('listens ' || name, ',') FROM pg_listening_channels() AS name),
    (SELECT string_agg('locks ' || objid, ',') FROM pg_locks
     WHERE locktype = 'advisory' AND pid = pg_backend_pid()),
    (SELECT string_agg('temporary ' || relname, ',') FROM pg_class
     WHERE relnamespace = pg_my_temp_schema())))";

// Expressions that leave something.
const Texts kLeaving{
    "set_config('work_mem', '123kB', false)",
    "set_config('mine.mark', 'x', false)",
    "set_config('search_path', 'pg_catalog', false)",
    "pg_advisory_lock(99)",
    "pg_try_advisory_lock(98)",
    "pg_advisory_lock_shared(97)",
    "pg_try_advisory_lock_shared(96, 5)",
    "nextval('public.leftover_seq')",
    "setval('public.leftover_seq', 5)",
    "public.leave_setting()",
    "public.leave_role()",
    "public.leave_table()",
    "public.leave_prepared()",
    "public.leave_listening()",
};
// Ways in which an expression can be run.
const Texts kWays{
    "SELECT @",
    "SELECT 1 WHERE (@)::text IS DISTINCT FROM 'never'",
    "SELECT (SELECT (@)::text)",
    "SELECT x FROM (SELECT (@)::text AS x) AS s",
    "WITH c AS MATERIALIZED (SELECT (@)::text AS v) SELECT v FROM c",
    "SELECT CASE WHEN true THEN (@)::text END",
    "VALUES ((@)::text)",
    "INSERT INTO public.sink SELECT (@)::text",
    "INSERT INTO public.sink VALUES ('x') RETURNING (@)::text",
    "UPDATE public.one SET v = (@)::text",
    "DELETE FROM public.one WHERE (@)::text = 'never'",
    "EXPLAIN (ANALYZE, COSTS off) SELECT @",
    "SELECT 1; SELECT @; SELECT 2",
    "BEGIN; SELECT @; COMMIT",
    "PREPARE left_behind AS SELECT @; EXECUTE left_behind",
    "DO $do$ BEGIN PERFORM @; END $do$",
    "DO $do$ BEGIN EXECUTE $e$SELECT @$e$; END $do$",
};
const Texts kLeavingStatements{
    "SET work_mem = '123kB'",
    "SET SESSION work_mem TO '123kB'",
    "SET TIME ZONE 'Asia/Tokyo'",
    "SET ROLE app",
    "SET SESSION AUTHORIZATION app",
    "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
    "SET mine.mark = 'x'",
    "BEGIN; SET work_mem = '123kB'; COMMIT",
    "PREPARE p AS SELECT 1",
    "LISTEN c",
    "BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT 1; COMMIT",
    "CREATE TEMP TABLE t (n int)",
    "CREATE TABLE pg_temp.t (n int)",
    "CREATE TEMP VIEW v AS SELECT 1 AS n",
    "CREATE TEMP SEQUENCE s",
    "CREATE TEMP TABLE t AS SELECT 1 AS n",
    "SELECT 1 AS n INTO TEMP t",
    "ALTER SEQUENCE public.leftover_seq RESTART; SELECT nextval('public.leftover_seq')",
};

// Expressions that leave nothing.
const Texts kNeutral{
    "now()",
    "clock_timestamp()",
    "random()",
    "gen_random_uuid()",
    "lower('A')",
    "md5('x')",
    "version()",
    "pg_backend_pid()",
    "current_setting('work_mem')",
    "set_config('work_mem', '123kB', true)",
    "pg_advisory_xact_lock(5)",
    "pg_try_advisory_xact_lock_shared(6)",
    "json_build_object('a', 1)",
    "jsonb_set('{}'::jsonb, '{a}', '1')",
    "to_char(now(), 'YYYY')",
    "date_trunc('day', now())",
    "extract(year FROM now())",
    "regexp_replace('a', 'b', 'c')",
    "coalesce(NULL, 1)",
    "array_length(ARRAY[1, 2], 1)",
    "substring('abc' FROM 1 FOR 2)",
    "trim(both ' ' FROM ' x ')",
    "pg_sleep(0)",
    "public.harmless()",
};
const Texts kNeutralWays{
    "SELECT @",
    "SELECT 1 WHERE (@)::text IS DISTINCT FROM 'never'",
    "WITH c AS MATERIALIZED (SELECT (@)::text AS v) SELECT v FROM c",
    "VALUES ((@)::text)",
    "INSERT INTO public.sink SELECT (@)::text",
    "UPDATE public.one SET v = (@)::text",
    "DELETE FROM public.one WHERE (@)::text = 'never'",
    "SELECT 1; SELECT @",
    "BEGIN; SELECT @; COMMIT",
};
const Texts kNeutralStatements{
    "BEGIN; ROLLBACK",
    "BEGIN; SAVEPOINT a; RELEASE a; COMMIT",
    "BEGIN; SET LOCAL work_mem = '123kB'; COMMIT",
    "BEGIN; SET TRANSACTION READ ONLY; COMMIT",
    "BEGIN; DECLARE c CURSOR FOR SELECT 1; FETCH c; COMMIT",
    "BEGIN; LOCK TABLE public.sink IN SHARE MODE; COMMIT",
    "NOTIFY c, 'x'",
    "UNLISTEN *",
    "SHOW work_mem",
    "TRUNCATE public.sink",
    "SELECT count(*), array_agg(v), string_agg(v, ',') FROM public.sink",
    "SELECT row_number() OVER () FROM public.sink",
    "SELECT * FROM generate_series(1, 3)",
    "MERGE INTO public.one USING (VALUES ('a')) AS n(v) ON one.v = n.v "
    "WHEN NOT MATCHED THEN DO NOTHING",
    "EXPLAIN SELECT 1",
};

Texts all_of(const Texts& ways, const Texts& expressions, const Texts& statements) {
  Texts all = statements;
  for (const std::string& expression : expressions) {
    for (const std::string& way : ways) all.push_back(replaced(way, "@", expression));
  }
  return all;
}

class SmartResetTest : public SessionTest {
 protected:
  static void SetUpTestSuite() {
    launch(PostgresServerOptions{});
    Runtime runtime;
    Client superuser(runtime, server_->superuser_url());
    const auto made = superuser.connect()->exec_blocking(
        "CREATE SEQUENCE leftover_seq; CREATE TABLE sink (v text); CREATE TABLE one (v text);"
        "INSERT INTO one VALUES ('a');"
        "CREATE FUNCTION harmless() RETURNS int LANGUAGE sql AS 'SELECT 1';"
        "CREATE FUNCTION leave(sql text) RETURNS int LANGUAGE plpgsql AS"
        " $$ BEGIN EXECUTE sql; RETURN 1; END $$;"
        "CREATE FUNCTION leave_setting() RETURNS int LANGUAGE sql AS"
        " $$ SELECT leave('SET work_mem = 321') $$;"
        "CREATE FUNCTION leave_role() RETURNS int LANGUAGE sql AS $$ SELECT leave('SET ROLE app') "
        "$$;"
        "CREATE FUNCTION leave_table() RETURNS int LANGUAGE sql AS"
        " $$ SELECT leave('CREATE TEMP TABLE IF NOT EXISTS t (n int)') $$;"
        "CREATE FUNCTION leave_prepared() RETURNS int LANGUAGE sql AS"
        " $$ SELECT leave('PREPARE of_function AS SELECT 1') $$;"
        "CREATE FUNCTION leave_listening() RETURNS int LANGUAGE sql AS"
        " $$ SELECT leave('LISTEN of_function') $$",
        kPatience);
    ASSERT_TRUE(made) << made.error().text();
  }

  void connect(SessionOptions options) {
    connection_.reset();
    LibpqSettings settings;
    settings.session = std::move(options);
    as_superuser_ = std::make_unique<Client>(runtime_, server_->superuser_url(), nullptr,
                                             ServerProfile::postgresql(), settings);
    connection_ = as_superuser_->connect();
    clean_ = state();
  }
  void TearDown() override { connection_.reset(); }

  static std::string state_of(LibpqConnection& connection) {
    const auto sequence =
        connection.exec_blocking("SELECT currval('public.leftover_seq')", kPatience);
    return first_value(connection.exec_blocking(kState, kPatience)) +
           (sequence ? " | sequence" : "");
  }
  std::string state() { return state_of(*connection_); }
  // COPY needs a sink; everything else is one text.
  void perform(const std::string& sql) {
    const auto done = connection_->exec_blocking(sql, kPatience);
    ASSERT_TRUE(done) << sql << ": " << done.error().text();
  }
  void expect_cleared(const std::string& what) {
    EXPECT_NE(state(), clean_) << what << " left nothing: this case shows nothing";
    ASSERT_TRUE(connection_->needs_reset()) << what;
    ASSERT_TRUE(as_superuser_->reset(*connection_)) << what;
    EXPECT_FALSE(connection_->needs_reset()) << what;
    EXPECT_EQ(state(), clean_) << what;
  }

  std::unique_ptr<Client> as_superuser_;
  std::string clean_;
};

TEST_F(SmartResetTest, WhateverIsLeftIsClearedHoweverItWasLeft) {
  connect(SessionOptions());
  const Texts statements = all_of(kWays, kLeaving, kLeavingStatements);
  ASSERT_GE(statements.size(), 200u);

  for (const std::string& sql : statements) {
    perform(sql);
    if (HasFatalFailure()) return;
    expect_cleared(sql);
    if (HasFatalFailure()) return;
  }
}

TEST_F(SmartResetTest, WhatACopyLeavesIsClearedToo) {
  connect(SessionOptions());
  const CopySink nowhere = [](std::string_view) { return Result<void>(); };

  for (const std::string& expression : kLeaving) {
    const std::string sql = "COPY (SELECT (" + expression + ")::text) TO STDOUT";
    const auto copied = connection_->copy_out_blocking(sql, nowhere, kPatience);
    ASSERT_TRUE(copied) << sql << ": " << copied.error().text();
    expect_cleared(sql);
  }
}

TEST_F(SmartResetTest, WhatAPipelineLeavesIsClearedToo) {
  connect(SessionOptions());
  Texts statements;
  std::ranges::copy_if(kLeavingStatements, std::back_inserter(statements),
                       [](const std::string& sql) { return !sql.contains(';'); });
  for (const std::string& expression : kLeaving) statements.push_back("SELECT " + expression);

  for (const std::string& sql : statements) {
    Batch batch;
    batch.add("SELECT 1");
    batch.add(sql);
    batch.add("SELECT 2");
    const auto done = connection_->exec_batch_blocking(batch, kPatience);
    ASSERT_TRUE(done) << sql << ": " << done.error().text();
    expect_cleared(sql);
    if (HasFatalFailure()) return;
  }
}

TEST_F(SmartResetTest, WhatAStreamLeavesIsClearedToo) {
  connect(SessionOptions());

  for (const std::string& expression : kLeaving) {
    const std::string sql = "SELECT (" + expression + ")::text";
    auto rows = connection_->stream_blocking<std::string>(sql, kPatience);
    ASSERT_TRUE(rows) << sql << ": " << rows.error().text();
    for (const Result<std::string>& row : *rows)
      ASSERT_TRUE(row) << sql << ": " << to_string(row.error());
    expect_cleared(sql);
    if (HasFatalFailure()) return;
  }
}

// The pool has one connection, so each loan meets what the one before has left.
TEST_F(SmartResetTest, TheNextLoanSeesNothingOfIt) {
  PoolOptions options;
  options.size.max = 1;
  const auto pool = PostgresPool::open(runtime_, server_->superuser_url(), options);
  ASSERT_TRUE(pool) << pool.error().text();
  const auto next_loan = [&] {
    const auto session = (*pool)->acquire_blocking(kPatience);
    if (!session) return session.error().text();
    return state_of(**session) + first_value((*session)->exec_blocking("SELECT pg_backend_pid()"));
  };
  const std::string clean = next_loan();

  for (const std::string& sql : all_of(kWays, kLeaving, kLeavingStatements)) {
    const auto done = (*pool)->exec_blocking(sql);
    ASSERT_TRUE(done) << sql << ": " << done.error().text();
    ASSERT_EQ(next_loan(), clean) << sql;
  }
}

TEST_F(SmartResetTest, WhatLeavesNothingNeedsNoReset) {
  SessionOptions options;
  options.trusted_functions = {"public.harmless"};
  connect(options);
  const Texts statements = all_of(kNeutralWays, kNeutral, kNeutralStatements);
  ASSERT_GE(statements.size(), 200u);

  for (const std::string& sql : statements) {
    for (int use = 0; use < 3; ++use) perform(sql);  // the third of one that is prepared: Dialogue
    if (HasFatalFailure()) return;
    EXPECT_FALSE(connection_->needs_reset()) << sql;
    EXPECT_EQ(state(), clean_) << sql;
  }
}

TEST_F(SmartResetTest, AnOpenTransactionNeedsOneAndNothingElseIsSent) {
  connect(SessionOptions());
  perform("BEGIN");
  EXPECT_TRUE(connection_->needs_reset());
  perform("COMMIT");
  EXPECT_FALSE(connection_->needs_reset());

  perform("BEGIN");
  ASSERT_FALSE(connection_->exec_blocking("SELECT 1/0", kPatience));
  EXPECT_TRUE(connection_->needs_reset());
  ASSERT_TRUE(as_superuser_->reset(*connection_));
  EXPECT_EQ(connection_->transaction_state(), TransactionState::none);
}

TEST_F(SmartResetTest, AlwaysResetsAfterEverything) {
  SessionOptions options;
  options.reset = ResetMode::always;
  connect(options);

  EXPECT_TRUE(connection_->needs_reset());  // the question for the state was a statement, too
  ASSERT_TRUE(as_superuser_->reset(*connection_));
  perform("SELECT 1");
  EXPECT_TRUE(connection_->needs_reset());
  perform("SET work_mem = '123kB'");
  expect_cleared("SET");
}

TEST_F(SmartResetTest, NeverResetsButRollsBack) {
  SessionOptions options;
  options.reset = ResetMode::never;
  connect(options);

  perform("SET work_mem = '123kB'");
  EXPECT_FALSE(connection_->needs_reset());
  perform("BEGIN");
  ASSERT_TRUE(connection_->needs_reset());
  ASSERT_TRUE(as_superuser_->reset(*connection_));
  EXPECT_EQ(connection_->transaction_state(), TransactionState::none);
  EXPECT_EQ(ask("SHOW work_mem"), "123kB");
}

TEST_F(SmartResetTest, RawAccessMayLeaveAnything) {
  connect(SessionOptions());
  connection_->native();
  perform("SELECT 1");

  EXPECT_TRUE(connection_->needs_reset());
}

TEST_F(SmartResetTest, TheListOfBuiltInFunctionsIsTheServers) {
  connect(SessionOptions());
  Parameters names = parameters(std::string());
  std::string& list = *names.front();
  for (const std::string_view name : wire::neutral_builtins())
    list += (list.empty() ? "" : ",") + std::string(name);

  const auto unknown = connection_->query_blocking<std::string>(
      "SELECT name FROM unnest(string_to_array($1, ',')) AS name WHERE NOT EXISTS (SELECT 1 FROM "
      "pg_proc WHERE proname = name AND pronamespace = 'pg_catalog'::regnamespace)",
      names, kPatience);
  const auto dangerous = connection_->query_blocking<std::string>(
      "SELECT DISTINCT proname::text FROM pg_proc WHERE proname = ANY (string_to_array($1, ',')) "
      "AND proname ~ '^(set_config|setseed|nextval|setval|query_to|cursor_to|ts_stat|ts_rewrite|"
      "pg_(try_)?advisory_lock|pg_replication_origin_(session|xact)|pg_reload|lo_import|lo_export)"
      "'",
      names, kPatience);

  ASSERT_TRUE(unknown) << unknown.error().text();
  EXPECT_EQ(*unknown, Texts());
  ASSERT_TRUE(dangerous) << dangerous.error().text();
  EXPECT_EQ(*dangerous, Texts());
}

}  // namespace
}  // namespace forebay::postgres
