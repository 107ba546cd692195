-- The tables of workflow_store, for Aurora DSQL. The program runs these statements one by one, each in a transaction of
-- its own, when it starts; on PostgreSQL it leaves out the word ASYNC. By hand: psql --file schema.sql
--
-- What it avoids, beside what is said at the tables: CHECK and DEFAULT with an expression, which not every DSQL takes, and
-- UNIQUE in a table (an index of its own can be built while the table is in use).

CREATE TABLE IF NOT EXISTS shards (
  shard_id      INTEGER NOT NULL,
  range_id      BIGINT NOT NULL,
  data          BYTEA NOT NULL,
  data_encoding VARCHAR(16) NOT NULL,
  note          VARCHAR(255) NOT NULL,
  PRIMARY KEY (shard_id)
);

-- Who got which range_id, written together with the shard: counting it shows whether the fencing held.
CREATE TABLE IF NOT EXISTS shard_acquisitions (
  shard_id    INTEGER NOT NULL,
  range_id    BIGINT NOT NULL,
  owner_id    UUID NOT NULL,
  acquired_at TIMESTAMPTZ NOT NULL,
  PRIMARY KEY (shard_id, range_id)
);

-- Ids are UUID where Temporal's schema for PostgreSQL has BYTEA: DSQL has its limits with BYTEA in keys.
CREATE TABLE IF NOT EXISTS executions (
  shard_id           INTEGER NOT NULL,
  namespace_id       UUID NOT NULL,
  workflow_id        VARCHAR(255) NOT NULL,
  run_id             UUID NOT NULL,
  next_event_id      BIGINT NOT NULL,
  last_write_version BIGINT NOT NULL,
  db_record_version  BIGINT NOT NULL,
  PRIMARY KEY (shard_id, namespace_id, workflow_id, run_id)
);

CREATE TABLE IF NOT EXISTS current_executions (
  shard_id      INTEGER NOT NULL,
  namespace_id  UUID NOT NULL,
  workflow_id   VARCHAR(255) NOT NULL,
  run_id        UUID NOT NULL,
  start_version BIGINT NOT NULL,
  PRIMARY KEY (shard_id, namespace_id, workflow_id)
);

-- id is no BIGSERIAL: a counter that all writers share is what DSQL's writers would fight over. The program makes the
-- ids (SnowflakeGenerator).
CREATE TABLE IF NOT EXISTS buffered_events (
  shard_id      INTEGER NOT NULL,
  namespace_id  UUID NOT NULL,
  workflow_id   VARCHAR(255) NOT NULL,
  run_id        UUID NOT NULL,
  id            BIGINT NOT NULL,
  data          BYTEA NOT NULL,
  data_encoding VARCHAR(16) NOT NULL,
  PRIMARY KEY (shard_id, namespace_id, workflow_id, run_id, id)
);

-- DSQL builds an index in the background and answers at once; it has no other way.
CREATE INDEX ASYNC IF NOT EXISTS shard_acquisitions_by_owner ON shard_acquisitions (owner_id);
