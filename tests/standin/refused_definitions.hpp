// Refusals of tables, views, sequences and indexes: what is sent, what a
// cluster answers, and on which day, if not today. The texts are written down here by hand, from
// what was recorded or documented; where the words are only presumed they are ours, and the book
// says so.
#pragma once

#include <string>
#include <vector>

#include "standin/refused_statements.hpp"

namespace forebay::standin::test {

inline constexpr const char* kIndexMode = "unsupported mode. please use CREATE INDEX ASYNC.";
inline constexpr const char* kIdentityCache =
    "identity column is not supported without an explicit cache size. please define CACHE greater "
    "than or equal to 65536 or equal to 1";
inline constexpr const char* kSequenceCache =
    "CREATE SEQUENCE is not supported without an explicit cache size. please define CACHE greater "
    "than or equal to 65536 or equal to 1";
inline constexpr const char* kNewColumn = "ALTER TABLE ADD COLUMN with constraint not supported";
inline constexpr const char* kNewConstraint = "unsupported ALTER TABLE ADD CONSTRAINT statement";

inline std::string many_columns(int count, const std::string& definition) {
  std::string columns;
  for (int i = 0; i < count; ++i)
    columns += (i > 0 ? ", c" : "c") + std::to_string(i) + " " + definition;
  return columns;
}

inline const std::vector<RefusedStatement> kRefusedDefinitions{
    // Tables, views and sequences.
    {"CREATE TEMPORARY TABLE t (id int)", "temporary_table", "0A000",
     "TEMPORARY or TEMP table not supported for CREATE TABLE"},
    {"CREATE TEMP TABLE t (id int)", "temporary_table", "0A000",
     "TEMPORARY or TEMP table not supported for CREATE TABLE"},
    {"CREATE UNLOGGED TABLE t (id int)", "unlogged_table", "0A000",
     "UNLOGGED table not supported for CREATE TABLE"},
    {"CREATE TEMP VIEW v AS SELECT 1", "temporary_view", "0A000",
     "TEMPORARY or TEMP view not supported for CREATE VIEW"},
    {"CREATE TEMP SEQUENCE s CACHE 1", "temporary_sequence", "0A000",
     "TEMPORARY or TEMP sequence not supported for CREATE SEQUENCE"},
    {"CREATE TABLE t (id int, d date) PARTITION BY RANGE (d)", "table_clause", "0A000",
     "PARTITION BY not supported for CREATE TABLE"},
    {"CREATE TABLE p PARTITION OF t FOR VALUES FROM (1) TO (100)", "table_clause", "0A000",
     "PARTITION OF not supported for CREATE TABLE"},
    {"CREATE TABLE t (extra int) INHERITS (u)", "table_clause", "0A000",
     "INHERITS not supported for CREATE TABLE"},
    {"CREATE TABLE t (id int) WITH (autovacuum_enabled = false)", "table_clause", "0A000",
     "WITH not supported for CREATE TABLE"},
    {"CREATE TABLE t (id int) ON COMMIT DROP", "table_clause", "0A000",
     "ON COMMIT not supported for CREATE TABLE"},
    {"CREATE TABLE t (id int) TABLESPACE s", "table_clause", "0A000",
     "TABLESPACE not supported for CREATE TABLE"},
    {"CREATE TABLE t (id int) USING heap", "table_clause", "0A000",
     "USING not supported for CREATE TABLE"},
    {"CREATE TABLE t OF pair", "table_clause", "0A000", "OF not supported for CREATE TABLE"},
    {"CREATE TABLE t (name varchar(100) COLLATE \"en_US\")", "collation", "0A000",
     "COLLATE not supported for column name"},
    {"CREATE TABLE t (a int, EXCLUDE USING gist (a WITH =))", "exclusion_constraint", "0A000",
     "EXCLUDE constraint not supported"},
    {"CREATE TABLE t (id int, p int REFERENCES u(id))", "foreign_key", "0A000",
     "FOREIGN KEY constraint not supported", "2026-08-25"},
    {"CREATE TABLE t (p int, FOREIGN KEY (p) REFERENCES u(id))", "foreign_key", "0A000",
     "FOREIGN KEY constraint not supported", "2026-08-25"},
    {"CREATE TABLE t (id int UNIQUE DEFERRABLE)", "deferrable_constraint", "0A000",
     "DEFERRABLE not supported for UNIQUE constraint"},
    {"CREATE TABLE t (id int, PRIMARY KEY (id) DEFERRABLE)", "deferrable_constraint", "0A000",
     "DEFERRABLE not supported for PRIMARY KEY constraint"},
    {"CREATE TABLE t (id serial PRIMARY KEY)", "serial", "42704", "type \"serial\" does not exist"},
    {"CREATE TABLE t (id bigserial)", "serial", "42704", "type \"bigserial\" does not exist"},
    {"CREATE SCHEMA s CREATE TABLE t (id serial)", "serial", "42704",
     "type \"serial\" does not exist"},
    {"CREATE TABLE t (v money)", "column_type", "0A000", no_type("money")},
    {"CREATE TABLE t (v xml)", "column_type", "0A000", no_type("xml")},
    {"CREATE TABLE t (v inet)", "column_type", "0A000", no_type("inet")},
    {"CREATE TABLE t (v cidr)", "column_type", "0A000", no_type("cidr")},
    {"CREATE TABLE t (v macaddr)", "column_type", "0A000", no_type("macaddr")},
    {"CREATE TABLE t (v point)", "column_type", "0A000", no_type("point")},
    {"CREATE TABLE t (v line)", "column_type", "0A000", no_type("line")},
    {"CREATE TABLE t (v lseg)", "column_type", "0A000", no_type("lseg")},
    {"CREATE TABLE t (v box)", "column_type", "0A000", no_type("box")},
    {"CREATE TABLE t (v path)", "column_type", "0A000", no_type("path")},
    {"CREATE TABLE t (v polygon)", "column_type", "0A000", no_type("polygon")},
    {"CREATE TABLE t (v circle)", "column_type", "0A000", no_type("circle")},
    {"CREATE TABLE t (v tsvector)", "column_type", "0A000", no_type("tsvector")},
    {"CREATE TABLE t (v tsquery)", "column_type", "0A000", no_type("tsquery")},
    {"CREATE TABLE t (v int4range)", "column_type", "0A000", no_type("int4range")},
    {"CREATE TABLE t (v tsrange)", "column_type", "0A000", no_type("tsrange")},
    {"CREATE TABLE t (v bit(8))", "column_type", "0A000", no_type("bit")},
    {"CREATE TABLE t (v varbit(8))", "column_type", "0A000", no_type("bit varying")},
    {"CREATE TABLE t (v bit varying)", "column_type", "0A000", no_type("bit varying")},
    {"CREATE TABLE t (v pg_lsn)", "column_type", "0A000", no_type("pg_lsn")},
    {"CREATE TABLE t (v pg_catalog.money)", "column_type", "0A000", no_type("money")},
    {"CREATE TABLE t (v int[])", "column_type", "0A000", no_type("integer[]")},
    {"CREATE TABLE t (v text[])", "column_type", "0A000", no_type("text[]")},
    {"CREATE TABLE t (v text ARRAY)", "column_type", "0A000", no_type("text[]")},
    {"CREATE TABLE t (v timestamp with time zone [3])", "column_type", "0A000",
     no_type("timestamp with time zone[]")},
    {"CREATE TABLE t (v json)", "json_column", "0A000", no_type("json"), "2026-05-03"},
    {"CREATE TABLE t (v jsonb)", "jsonb_column", "0A000", no_type("jsonb"), "2026-06-07"},
    {"CREATE TABLE t (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY)", "identity_cache",
     "0A000", kIdentityCache},
    {"CREATE TABLE t (id bigint GENERATED ALWAYS AS IDENTITY (CACHE 100))", "identity_cache",
     "0A000", kIdentityCache},
    {"CREATE TABLE t (id integer GENERATED BY DEFAULT AS IDENTITY (CACHE 1))", "identity_type",
     "0A000", "datatype integer not supported, identity column type must be bigint"},
    {"CREATE TABLE t (id smallint GENERATED BY DEFAULT AS IDENTITY (CACHE 1))", "identity_type",
     "0A000", "datatype smallint not supported, identity column type must be bigint"},
    {"CREATE TABLE t (id bigint GENERATED ALWAYS AS IDENTITY (CACHE 1))", "identity", "0A000",
     "identity column is not supported", "2026-02-12"},
    {"CREATE SEQUENCE s", "sequence_cache", "0A000", kSequenceCache},
    {"CREATE SEQUENCE s CACHE 100", "sequence_cache", "0A000", kSequenceCache},
    {"CREATE SEQUENCE s CACHE 65535", "sequence_cache", "0A000", kSequenceCache},
    {"CREATE SEQUENCE s AS integer CACHE 1", "sequence_type", "0A000",
     "datatype integer not supported, sequence type must be bigint"},
    {"CREATE SEQUENCE s CACHE 1", "sequence", "0A000", "unsupported statement: CreateSeq",
     "2026-02-12"},

    // ALTER TABLE.
    {"ALTER TABLE t ADD COLUMN c int DEFAULT 7", "add_column_constraint", "0A000", kNewColumn},
    {"ALTER TABLE t ADD COLUMN c int NOT NULL DEFAULT 0", "add_column_constraint", "0A000",
     kNewColumn},
    {"ALTER TABLE t ADD COLUMN c int CHECK (c > 0)", "add_column_constraint", "0A000", kNewColumn},
    {"ALTER TABLE t ADD COLUMN c int UNIQUE", "add_column_constraint", "0A000", kNewColumn},
    {"ALTER TABLE t ADD c integer GENERATED BY DEFAULT AS IDENTITY (CACHE 1)",
     "add_column_constraint", "0A000", kNewColumn},
    {"ALTER TABLE t ADD c bigint GENERATED BY DEFAULT AS IDENTITY (CACHE 1)",
     "add_column_constraint", "0A000", kNewColumn},
    {"ALTER TABLE t ADD COLUMN c money", "column_type", "0A000", no_type("money")},
    {"ALTER TABLE t ADD COLUMN c text[]", "column_type", "0A000", no_type("text[]")},
    {"ALTER TABLE t ADD COLUMN c serial", "serial", "42704", "type \"serial\" does not exist"},
    {"ALTER TABLE t ALTER COLUMN a TYPE xml", "set_data_type", "0A000",
     "unsupported ALTER TABLE ALTER COLUMN ... SET DATA TYPE statement"},
    {"ALTER TABLE t ALTER a SET DATA TYPE varchar(20)", "set_data_type", "0A000",
     "unsupported ALTER TABLE ALTER COLUMN ... SET DATA TYPE statement"},
    {"ALTER TABLE t ALTER a SET STATISTICS 100", "set_statistics", "0A000",
     "unsupported ALTER TABLE ALTER COLUMN ... SET STATISTICS statement"},
    {"ALTER TABLE t ALTER a SET NOT NULL", "alter_column", "0A000",
     "unsupported ALTER TABLE ALTER COLUMN ... SET NOT NULL statement"},
    {"ALTER TABLE t ALTER a ADD GENERATED ALWAYS AS IDENTITY (CACHE 1)", "alter_column", "0A000",
     "unsupported ALTER TABLE ALTER COLUMN ... ADD GENERATED statement"},
    {"ALTER TABLE ONLY t ALTER a SET COMPRESSION lz4", "alter_column", "0A000",
     "unsupported ALTER TABLE ALTER COLUMN ... SET COMPRESSION statement"},
    {"ALTER TABLE t ALTER a SET DEFAULT 1", "column_default", "0A000",
     "unsupported ALTER TABLE ALTER COLUMN ... SET DEFAULT statement", "2026-07-05"},
    {"ALTER TABLE t ALTER a DROP DEFAULT", "column_default", "0A000",
     "unsupported ALTER TABLE ALTER COLUMN ... DROP DEFAULT statement", "2026-07-05"},
    {"ALTER TABLE t ALTER a DROP NOT NULL", "column_default", "0A000",
     "unsupported ALTER TABLE ALTER COLUMN ... DROP NOT NULL statement", "2026-07-05"},
    {"ALTER TABLE t DROP CONSTRAINT c", "drop_constraint", "0A000",
     "unsupported ALTER TABLE DROP CONSTRAINT statement", "2026-07-05"},
    {"ALTER TABLE t DROP COLUMN c", "drop_column", "0A000",
     "unsupported ALTER TABLE DROP COLUMN statement", "2026-08-02"},
    {"ALTER TABLE t ADD CONSTRAINT c PRIMARY KEY (id)", "add_constraint", "0A000", kNewConstraint},
    {"ALTER TABLE t ADD CONSTRAINT c PRIMARY KEY USING INDEX i", "add_constraint", "0A000",
     kNewConstraint},
    {"ALTER TABLE t ADD CONSTRAINT c UNIQUE (v)", "add_constraint", "0A000", kNewConstraint},
    {"ALTER TABLE t ADD CONSTRAINT c CHECK (a IS NOT NULL)", "add_constraint", "0A000",
     kNewConstraint},
    {"ALTER TABLE t ADD FOREIGN KEY (p) REFERENCES u(id)", "add_constraint", "0A000",
     kNewConstraint},
    {"ALTER TABLE t ADD FOREIGN KEY (p) REFERENCES u(id) NOT VALID", "foreign_key", "0A000",
     "FOREIGN KEY constraint not supported", "2026-08-25"},
    {"ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0) NOT VALID", "add_constraint", "0A000",
     kNewConstraint, "2026-08-02"},
    {"ALTER TABLE t VALIDATE CONSTRAINT c", "validate_constraint", "0A000",
     "unsupported ALTER TABLE VALIDATE CONSTRAINT statement"},
    {"ALTER TABLE t ENABLE ROW LEVEL SECURITY", "alter_table", "0A000",
     "unsupported ALTER TABLE ENABLE ROW LEVEL SECURITY statement"},
    {"ALTER TABLE t REPLICA IDENTITY FULL", "alter_table", "0A000",
     "unsupported ALTER TABLE REPLICA IDENTITY statement"},
    {"ALTER TABLE t DISABLE RULE r", "alter_table", "0A000",
     "unsupported ALTER TABLE DISABLE RULE statement"},
    {"ALTER TABLE t SET (fillfactor = 70)", "alter_table", "0A000",
     "unsupported ALTER TABLE SET statement"},
    {"ALTER TABLE t INHERIT u", "alter_table", "0A000",
     "unsupported ALTER TABLE INHERIT statement"},

    // Indexes.
    {"CREATE INDEX i ON t (a)", "sync_index", "0A000", kIndexMode},
    {"CREATE UNIQUE INDEX ON t (a)", "sync_index", "0A000", kIndexMode},
    {"CREATE INDEX CONCURRENTLY i ON t (a)", "concurrent_index", "0A000",
     "CONCURRENTLY not supported for CREATE INDEX"},
    {"CREATE INDEX ASYNC i ON t USING gin (a)", "index_clause", "0A000",
     "USING gin not supported for CREATE INDEX"},
    {"CREATE INDEX ASYNC i ON t (a) WITH (fillfactor = 70)", "index_clause", "0A000",
     "WITH not supported for CREATE INDEX"},
    {"CREATE INDEX ASYNC i ON t (a DESC)", "index_order", "0A000",
     "specifying sort order not supported for index keys"},
    {"CREATE INDEX ASYNC i ON t (a ASC NULLS FIRST)", "index_order", "0A000",
     "specifying sort order not supported for index keys"},
    {"CREATE INDEX ASYNC i ON t (a text_pattern_ops)", "index_operator_class", "0A000",
     "opclass not supported for index keys"},
    {"CREATE INDEX ASYNC i ON t (lower(a))", "index_expression", "0A000",
     "expressions not supported for index keys", "2026-08-12"},
    {"CREATE INDEX ASYNC i ON t (a) WHERE a > 0", "partial_index", "0A000",
     "WHERE not supported for CREATE INDEX", "2026-09-14"},
    {"CREATE TABLE t (id jsonb PRIMARY KEY)", "key_type", "0A000",
     "datatype jsonb is not supported in a key"},
    {"CREATE TABLE t (a int, b json, UNIQUE (a, b))", "key_type", "0A000",
     "datatype json is not supported in a key"},

    // Sizes and numbers.
    {"CREATE TABLE t (v char(4097))", "char_size", "54000",
     "Datatype limit greater than 4096 bytes not supported for char"},
    {"CREATE TABLE t (v varchar(65536))", "varchar_size", "54000",
     "Datatype limit greater than 65535 bytes not supported for varchar"},
    {"CREATE TABLE t (a varchar(1500), b varchar(501), PRIMARY KEY (a, b))", "key_size", "54000",
     "key size greater than 2000 bytes not supported"},
    {"CREATE TABLE t (" + many_columns(9, "int") +
         ", PRIMARY KEY (c0, c1, c2, c3, c4, c5, c6, c7, c8))",
     "key_columns", "54011", "more than 8 column keys in an index are not supported"},
    {"CREATE INDEX ASYNC i ON t (c0, c1, c2, c3, c4, c5, c6, c7, c8)", "key_columns", "54011",
     "more than 8 column keys in an index are not supported"},
    {"CREATE TABLE t (" + many_columns(257, "int") + ")", "table_columns", "54011",
     "tables can have at most 255 columns"},
    {"CREATE TABLE t (" + many_columns(257, "int") + ", PRIMARY KEY (c0))",
     "table_columns_with_key", "54011", "cannot use more than 256 columns in an index"},
};

// Both tables.
inline std::vector<RefusedStatement> all_refused() {
  std::vector<RefusedStatement> all = kRefusedStatements;
  all.insert(all.end(), kRefusedDefinitions.begin(), kRefusedDefinitions.end());
  return all;
}

}  // namespace forebay::standin::test
