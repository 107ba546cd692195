// Refusals of statements, sessions and queries: what is sent, what a
// cluster answers, and on which day, if not today. The texts are written down here by hand, from
// what was recorded or documented; where the words are only presumed they are ours, and the book
// says so.
#pragma once

#include <string>
#include <vector>

namespace forebay::standin::test {

struct RefusedStatement {
  std::string sql;
  std::string rule;
  std::string sqlstate;
  std::string message;
  std::string date = "2026-11-15";
};

inline constexpr const char* kLocks =
    "locking clauses other than FOR UPDATE/FOR KEY SHARE are not supported";
inline constexpr const char* kDropped = "unsupported object in DROP statement";
inline constexpr const char* kRenamed = "unsupported object in RENAME statement";
inline constexpr const char* kEnglish = "text search configuration \"english\" does not exist";

inline std::string no_parameter(const std::string& name) {
  return "setting configuration parameter \"" + name + "\" not supported";
}

inline std::string no_type(const std::string& shown) {
  return "datatype " + shown + " not supported";
}

inline const std::vector<RefusedStatement> kRefusedStatements{
    // Statements.
    {"TRUNCATE TABLE t", "truncate", "0A000", "unsupported statement: Truncate"},
    {"TRUNCATE a, b CASCADE", "truncate", "0A000", "unsupported statement: Truncate"},
    {"VACUUM t", "vacuum", "0A000", "unsupported VACUUM statement"},
    {"VACUUM (ANALYZE)", "vacuum", "0A000", "unsupported VACUUM statement"},
    {"MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN DELETE", "merge", "0A000",
     "unsupported statement type: MERGE"},
    {"CREATE EXTENSION IF NOT EXISTS pgcrypto", "create_extension", "0A000",
     "unsupported statement: CreateExtension"},
    {"CREATE TRIGGER g AFTER INSERT ON t EXECUTE FUNCTION f()", "create_trigger", "0A000",
     "CREATE TRIGGER not supported"},
    {"CREATE DATABASE other", "create_database", "0A000", "unsupported statement: Createdb"},
    {"CREATE TABLESPACE s LOCATION '/tmp/s'", "create_tablespace", "0A000",
     "unsupported statement: CreateTableSpace"},
    {"CREATE FOREIGN TABLE t (id int) SERVER s", "foreign_table", "0A000",
     "unsupported statement: CreateForeignTable"},
    {"CREATE TABLE t AS SELECT 1 AS x", "create_table_as", "0A000",
     "unsupported statement: CreateTableAs"},
    {"EXPLAIN CREATE TABLE t AS SELECT 1", "create_table_as", "0A000",
     "unsupported statement: CreateTableAs"},
    {"CREATE MATERIALIZED VIEW v AS SELECT 1 AS x", "materialized_view", "0A000",
     "unsupported statement: CreateTableAs"},
    {"SELECT 1 AS x INTO t", "select_into", "0A000", "unsupported statement: CreateTableAs"},
    {"CREATE TYPE mood AS ENUM ('sad', 'ok')", "enum_type", "0A000", "CREATE TYPE not supported"},
    {"CREATE TYPE pair AS (a int, b int)", "composite_type", "0A000",
     "unsupported statement: CompositeType"},
    {"CREATE TYPE r AS RANGE (subtype = int4)", "range_type", "0A000",
     "unsupported statement: CreateRange"},
    {"ALTER TYPE mood ADD VALUE 'meh'", "alter_type", "0A000", "ALTER TYPE not supported"},
    {"ALTER TYPE mood RENAME TO temper", "rename_object", "0A000", kRenamed},
    {"ALTER MATERIALIZED VIEW v RENAME TO w", "rename_object", "0A000", kRenamed},
    {"DROP TYPE IF EXISTS mood", "drop_object", "0A000", kDropped},
    {"DROP MATERIALIZED VIEW v", "drop_object", "0A000", kDropped},
    {"DROP POLICY p ON t", "drop_object", "0A000", kDropped},
    {"DROP EXTENSION pgcrypto", "drop_object", "0A000", kDropped},
    {"CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$",
     "function_language", "0A000", "CREATE FUNCTION with language plpgsql not supported"},
    {"CREATE OR REPLACE FUNCTION f() RETURNS int AS 'x' LANGUAGE c", "function_language", "0A000",
     "CREATE FUNCTION with language c not supported"},
    {"CREATE PROCEDURE p() LANGUAGE sql AS $$ SELECT 1 $$", "procedure", "0A000",
     "PROCEDURE is not supported"},
    {"ALTER FUNCTION f() IMMUTABLE", "alter_function", "0A000",
     "unsupported statement: AlterFunction"},
    {"ALTER SYSTEM SET work_mem = '4MB'", "alter_system", "0A000",
     "unsupported statement: AlterSystem"},
    {"LISTEN c", "listen", "0A000", "unsupported statement: Listen"},
    {"NOTIFY c, 'x'", "notify", "0A000", "unsupported statement: Notify"},
    {"UNLISTEN *", "unlisten", "0A000", "unsupported statement: Unlisten"},
    {"LOCK TABLE t IN ACCESS EXCLUSIVE MODE", "lock_table", "0A000", "unsupported statement: Lock"},
    {"DECLARE c CURSOR FOR SELECT 1", "declare_cursor", "0A000",
     "unsupported statement: DeclareCursor"},
    {"DISCARD ALL", "discard", "0A000", "unsupported statement: Discard"},
    {"DISCARD PLANS", "discard", "0A000", "unsupported statement: Discard"},
    {"PREPARE p AS SELECT 1", "prepare", "0A000", "unsupported statement: Prepare"},
    {"DEALLOCATE p", "deallocate", "0A000", "unsupported statement: Deallocate"},
    {"DEALLOCATE PREPARE p", "deallocate", "0A000", "unsupported statement: Deallocate"},
    {"COPY t FROM '/tmp/x.csv'", "copy_file", "0A000", "COPY FROM a file not supported"},
    {"COPY t TO PROGRAM 'cat'", "copy_file", "0A000", "COPY TO a program not supported"},
    {"EXECUTE p", "statement_kind", "0A000", "unsupported statement: Execute"},
    {"FETCH 1 FROM c", "statement_kind", "0A000", "unsupported statement: Fetch"},
    {"CLOSE c", "statement_kind", "0A000", "unsupported statement: ClosePortal"},
    {"LOAD 'auto_explain'", "statement_kind", "0A000", "unsupported statement: Load"},
    {"DO $$ BEGIN END $$", "statement_kind", "0A000", "unsupported statement: Do"},
    {"REINDEX TABLE t", "statement_kind", "0A000", "unsupported statement: Reindex"},
    {"CLUSTER t", "statement_kind", "0A000", "unsupported statement: Cluster"},
    {"CHECKPOINT", "statement_kind", "0A000", "unsupported statement: CheckPoint"},
    {"CREATE POLICY p ON t USING (true)", "statement_kind", "0A000",
     "unsupported statement: CreatePolicy"},
    {"CREATE SERVER s FOREIGN DATA WRAPPER w", "statement_kind", "0A000",
     "unsupported statement: CreateForeignServer"},
    {"REFRESH MATERIALIZED VIEW v", "statement_kind", "0A000",
     "unsupported statement: RefreshMatView"},
    {"CREATE PUBLICATION p FOR ALL TABLES", "statement_kind", "0A000",
     "unsupported statement: CreatePublication"},
    {"CREATE RULE r AS ON INSERT TO t DO NOTHING", "statement_kind", "0A000",
     "unsupported statement: Rule"},
    {"CREATE AGGREGATE a(int) (sfunc = f, stype = int)", "statement_kind", "0A000",
     "unsupported statement: Define"},
    {"ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO r", "default_privileges", "0A000",
     "unsupported statement: AlterDefaultPrivileges", "2026-04-23"},
    {"CREATE STATISTICS s ON a, b FROM t", "statistics", "0A000",
     "unsupported statement: CreateStats", "2026-08-26"},
    {"ALTER ROLE r PASSWORD 'x'", "alter_role", "0A000", "unsupported ALTER ROLE statement"},
    {"ALTER USER r WITH PASSWORD 'x'", "alter_role", "0A000", "unsupported ALTER ROLE statement"},
    {"CREATE ROLE r LOGIN PASSWORD 'x'", "alter_role", "0A000", "unsupported ALTER ROLE statement"},
    {"ALTER ROLE r SET work_mem = '64MB'", "alter_role", "0A000",
     "unsupported ALTER ROLE statement"},
    {"GRANT USAGE ON SCHEMA public TO r", "schema_public", "0A000",
     "feature not supported on system entity"},
    {"REVOKE ALL ON SCHEMA public FROM r", "schema_public", "0A000",
     "feature not supported on system entity"},

    // Transactions and sessions.
    {"BEGIN ISOLATION LEVEL SERIALIZABLE", "isolation_level", "0A000",
     "Unsupported isolation level: SERIALIZABLE"},
    {"START TRANSACTION ISOLATION LEVEL READ COMMITTED", "isolation_level", "0A000",
     "Unsupported isolation level: READ COMMITTED"},
    {"BEGIN ISOLATION LEVEL READ UNCOMMITTED, READ ONLY", "isolation_level", "0A000",
     "Unsupported isolation level: READ UNCOMMITTED"},
    {"SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", "isolation_level", "0A000",
     "Unsupported isolation level: SERIALIZABLE"},
    {"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", "set_transaction", "0A000",
     no_parameter("TRANSACTION")},
    {"SET TRANSACTION READ ONLY", "set_transaction", "0A000", no_parameter("TRANSACTION")},
    {"SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", "set_transaction", "0A000",
     no_parameter("SESSION CHARACTERISTICS")},
    {"SET default_transaction_isolation = 'repeatable read'", "parameter", "0A000",
     no_parameter("default_transaction_isolation")},
    {"SET statement_timeout = '5s'", "parameter", "0A000", no_parameter("statement_timeout")},
    {"SET LOCAL lock_timeout = 100", "parameter", "0A000", no_parameter("lock_timeout")},
    {"SET SESSION client_min_messages TO notice", "parameter", "0A000",
     no_parameter("client_min_messages")},
    {"SET work_mem TO DEFAULT", "parameter", "0A000", no_parameter("work_mem")},
    {"SET SESSION AUTHORIZATION r", "parameter", "0A000", no_parameter("session_authorization")},
    {"SELECT set_config('statement_timeout', '5s', false)", "parameter", "0A000",
     no_parameter("statement_timeout")},
    {"SELECT pg_catalog.set_config('row_security'::text, 'off', true)", "parameter", "0A000",
     no_parameter("row_security")},
    {"SET ROLE r", "set_role", "0A000", no_parameter("role")},
    {"SET role = 'r'", "set_role", "0A000", no_parameter("role")},
    {"SHOW lc_collate", "show_collation", "42704",
     "unrecognized configuration parameter \"lc_collate\""},
    {"SAVEPOINT s", "savepoint", "0A000", "unsupported transaction statement: SAVEPOINT"},
    {"RELEASE SAVEPOINT s", "savepoint", "0A000", "unsupported transaction statement: RELEASE"},
    {"ROLLBACK TO SAVEPOINT s", "savepoint", "0A000",
     "unsupported transaction statement: ROLLBACK TO"},
    {"COMMIT AND CHAIN", "transaction_chain", "0A000",
     "unsupported transaction statement: COMMIT AND CHAIN"},
    {"ROLLBACK AND CHAIN", "transaction_chain", "0A000",
     "unsupported transaction statement: ROLLBACK AND CHAIN"},
    {"PREPARE TRANSACTION 'x'", "two_phase", "0A000",
     "unsupported transaction statement: PREPARE TRANSACTION"},
    {"COMMIT PREPARED 'x'", "two_phase", "0A000",
     "unsupported transaction statement: COMMIT PREPARED"},

    // Queries.
    {"SELECT id FROM t WHERE id = 1 FOR SHARE", "locking_clause", "0A000", kLocks},
    {"SELECT id FROM t WHERE id = 1 FOR NO KEY UPDATE", "locking_clause", "0A000", kLocks},
    {"WITH x AS (SELECT id FROM t FOR SHARE) SELECT * FROM x", "locking_clause", "0A000", kLocks},
    {"(SELECT 1 FROM t FOR SHARE) UNION SELECT 2", "locking_clause", "0A000", kLocks},
    {"SELECT id FROM t WHERE id = 1 FOR KEY SHARE", "locking_clause", "0A000",
     "locking clauses other than FOR UPDATE are not supported", "2026-08-24"},
    {"SELECT id FROM t FOR UPDATE", "locking_key", "0A000",
     "locking clause such as FOR UPDATE can be applied only on tables with equality predicates "
     "on the key",
     "2026-08-23"},
    {"SELECT 1 FROM t, u WHERE t.id = u.id FOR UPDATE", "locking_tables", "0A000",
     "locking clause such as FOR UPDATE can be applied on a single table", "2026-08-23"},
    {"SELECT name FROM t TABLESAMPLE SYSTEM (1)", "tablesample", "0A000",
     "TABLESAMPLE clause not supported"},
    {"SELECT pg_try_advisory_lock(1)", "advisory_lock", "0A000",
     "function pg_try_advisory_lock not supported"},
    {"SELECT pg_catalog.pg_advisory_unlock_all()", "advisory_lock", "0A000",
     "function pg_advisory_unlock_all not supported"},
    {"INSERT INTO t SELECT pg_advisory_xact_lock(1)", "advisory_lock", "0A000",
     "function pg_advisory_xact_lock not supported"},
    {"SELECT to_tsvector('english', 'hello world')", "text_search", "42704", kEnglish},
    {"SELECT 1 WHERE to_tsvector('english', 'a') @@ to_tsquery('english', 'a')", "text_search",
     "42704", kEnglish},
    {"SELECT websearch_to_tsquery('english', 'hello world')", "text_search", "42704", kEnglish},
    {"SELECT line('{1,2,3}')", "geometry", "0A000", no_type("line")},
    {"SELECT circle('<(0,0),1>'::text)", "geometry", "0A000", no_type("circle")},
};

}  // namespace forebay::standin::test
