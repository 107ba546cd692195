// What a schema for DSQL avoids, beside what is said at the tables: CHECK, DEFAULT with an
// expression, and UNIQUE in a table (an index of its own can be built while the table is in use).
#include "schema.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

#include <forebay/retry/attempts.hpp>

namespace workflow {
namespace {

using namespace std::chrono_literals;
using forebay::failure;
using forebay::Result;
using forebay::postgres::PostgresPool;
using forebay::postgres::ServerProfile;

constexpr forebay::Duration kStatementTime = 30s;
// How PostgreSQL says that another process has just created the same: by the catalog's own unique
// index, or as a duplicate table (42P07) or type (42710).
constexpr std::array<std::string_view, 3> kAlreadyThere{"23505", "42P07", "42710"};

constexpr const char* kShardsTable = R"(CREATE TABLE IF NOT EXISTS shards (
  shard_id      INTEGER NOT NULL,
  range_id      BIGINT NOT NULL,
  data          BYTEA NOT NULL,
  data_encoding VARCHAR(16) NOT NULL,
  note          VARCHAR(255) NOT NULL,
  PRIMARY KEY (shard_id)
))";

// Who got which range_id. It is written together with the shard, so that whoever doubts the
// fencing can count.
constexpr const char* kShardAcquisitionsTable = R"(CREATE TABLE IF NOT EXISTS shard_acquisitions (
  shard_id    INTEGER NOT NULL,
  range_id    BIGINT NOT NULL,
  owner_id    UUID NOT NULL,
  acquired_at TIMESTAMPTZ NOT NULL,
  PRIMARY KEY (shard_id, range_id)
))";

// Ids are UUID where PostgreSQL's schema has BYTEA: DSQL has its limits with BYTEA in keys.
constexpr const char* kExecutionsTable = R"(CREATE TABLE IF NOT EXISTS executions (
  shard_id           INTEGER NOT NULL,
  namespace_id       UUID NOT NULL,
  workflow_id        VARCHAR(255) NOT NULL,
  run_id             UUID NOT NULL,
  next_event_id      BIGINT NOT NULL,
  last_write_version BIGINT NOT NULL,
  db_record_version  BIGINT NOT NULL,
  PRIMARY KEY (shard_id, namespace_id, workflow_id, run_id)
))";

constexpr const char* kCurrentExecutionsTable = R"(CREATE TABLE IF NOT EXISTS current_executions (
  shard_id      INTEGER NOT NULL,
  namespace_id  UUID NOT NULL,
  workflow_id   VARCHAR(255) NOT NULL,
  run_id        UUID NOT NULL,
  start_version BIGINT NOT NULL,
  PRIMARY KEY (shard_id, namespace_id, workflow_id)
))";

// id is no BIGSERIAL: a counter that all writers share is what DSQL's writers would fight over.
// The program makes the ids (SnowflakeGenerator).
constexpr const char* kBufferedEventsTable = R"(CREATE TABLE IF NOT EXISTS buffered_events (
  shard_id      INTEGER NOT NULL,
  namespace_id  UUID NOT NULL,
  workflow_id   VARCHAR(255) NOT NULL,
  run_id        UUID NOT NULL,
  id            BIGINT NOT NULL,
  data          BYTEA NOT NULL,
  data_encoding VARCHAR(16) NOT NULL,
  PRIMARY KEY (shard_id, namespace_id, workflow_id, run_id, id)
))";

// DSQL builds an index in the background and answers at once; it has no other way. PostgreSQL does
// not know the word, and its plain form is fine for a table that is empty.
std::string create_index(const ServerProfile& profile, const std::string& definition) {
  const bool is_dsql = profile.name == ServerProfile::dsql().name;
  return (is_dsql ? "CREATE INDEX ASYNC IF NOT EXISTS " : "CREATE INDEX IF NOT EXISTS ") +
         definition;
}

// A statement without BEGIN is a transaction of its own, and DSQL wants each DDL statement to be
// one. Others that change the catalog make it fail (OC001), and then it is run again.
Result<void> run_ddl(PostgresPool& pool, const std::string& statement) {
  const forebay::RetryOptions options("create_schema");
  forebay::Scheduler& scheduler = pool.env().scheduler;
  const forebay::Instant now = scheduler.now();
  forebay::AttemptBook book(options, pool.thread_random(), now + kStatementTime, now);
  const auto attempt = [&](int) -> Result<void> {
    auto session = pool.acquire_blocking(kStatementTime);
    if (!session) return failure(session.error());
    const auto done = (*session)->exec_blocking(statement, kStatementTime);
    // PostgreSQL's IF NOT EXISTS does not see what another process is about to create.
    if (done || std::ranges::find(kAlreadyThere, done.error().sqlstate()) != kAlreadyThere.end()) {
      return {};
    }
    return failure(done.error());
  };
  return forebay::run_attempts_blocking<void>(scheduler, book, attempt);
}

}  // namespace

std::vector<std::string> schema_statements(const ServerProfile& profile) {
  return {kShardsTable,
          kShardAcquisitionsTable,
          kExecutionsTable,
          kCurrentExecutionsTable,
          kBufferedEventsTable,
          create_index(profile, "shard_acquisitions_by_owner ON shard_acquisitions (owner_id)")};
}

Result<void> create_schema(PostgresPool& pool, const ServerProfile& profile) {
  for (const std::string& statement : schema_statements(profile)) {
    const Result<void> done = run_ddl(pool, statement);
    if (!done) return failure(done.error());
  }
  return {};
}

}  // namespace workflow
