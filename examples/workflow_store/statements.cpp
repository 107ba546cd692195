#include "statements.hpp"

#include <span>
#include <utility>

#include <forebay/postgres/sql/sql_types.hpp>
#include <forebay/postgres/transaction/fenced_update.hpp>

namespace workflow {
namespace {

using forebay::ConditionFailed;
using forebay::Error;
using forebay::failure;
using forebay::postgres::FencedUpdate;
using forebay::postgres::Parameters;
using forebay::postgres::parameters;
using forebay::postgres::to_sql;

constexpr const char* kEncoding = "text";

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

FencedUpdate shard_update(int shard_id) {
  FencedUpdate update(kShardKind, "shards", "range_id");
  update.key = {{"shard_id", to_sql(shard_id)}};
  return update;
}

Parameters key_of(const WorkflowKey& workflow) {
  return parameters(workflow.shard_id, workflow.namespace_id, workflow.workflow_id);
}
Parameters key_of(const Execution& execution) {
  Parameters key = key_of(execution.workflow);
  key.push_back(to_sql(execution.run_id));
  return key;
}

}  // namespace

Result<void> insert_shard(StatementScope& scope, int shard_id) {
  const auto inserted = scope.modify_blocking(
      "INSERT INTO shards (shard_id, range_id, data, data_encoding, note) "
      "VALUES ($1, 0, $2, $3, '') ON CONFLICT (shard_id) DO NOTHING",
      parameters(shard_id, bytes_of("nobody"), kEncoding));
  if (!inserted) return failure(inserted.error());
  return inserted->at_most(1);
}

// Two owners who bump at once read the same range_id. In a transaction that sees one snapshot the
// second gets a conflict (40001), is run again and reads what the first has made of it.
Result<Shard> bump_range(StatementScope& scope, int shard_id, const Uuid& owner_id,
                         forebay::Timestamp now) {
  FencedUpdate update = shard_update(shard_id);
  update.next_token_after = [](const std::string& found) {
    return std::to_string(std::stoll(found) + 1);
  };
  const Result<std::string> found = update_auto_fenced_blocking(scope, update);
  if (!found) return failure(found.error());
  const Shard shard{shard_id, std::stoll(*found) + 1};
  const Result<void> noted = scope.exec_exactly_blocking(
      1,
      "INSERT INTO shard_acquisitions (shard_id, range_id, owner_id, acquired_at) "
      "VALUES ($1, $2, $3, $4)",
      parameters(shard_id, shard.range_id, owner_id, now));
  if (!noted) return failure(noted.error());
  return shard;
}

// DSQL has no FOR SHARE. A plain read would not do: under snapshots it does not conflict with the
// bump of a new owner, and both could commit. FOR UPDATE makes the row part of what is written.
Result<void> require_shard(StatementScope& scope, const Shard& shard) {
  const auto found = scope.query_one_blocking<std::int64_t>(
      "SELECT range_id FROM shards WHERE shard_id = $1 FOR UPDATE", parameters(shard.id));
  if (!found) return failure(found.error());
  if (*found == shard.range_id) return {};
  return failure(Error(ConditionFailed(kShardKind),
                       "shard " + std::to_string(shard.id) + " went from range " +
                           std::to_string(shard.range_id) + " to " + std::to_string(*found)));
}

// The token is expected and stays: it says who the owner is, not how often the row was written.
Result<void> update_shard_data(StatementScope& scope, const Shard& shard, std::string_view data) {
  FencedUpdate update = shard_update(shard.id);
  update.values = {{"data", to_sql(bytes_of(data))}, {"data_encoding", kEncoding}};
  return update_fenced_blocking(scope, update, std::to_string(shard.range_id));
}

Result<void> update_shard_note(StatementScope& scope, int shard_id, const std::string& note) {
  FencedUpdate update = shard_update(shard_id);
  update.values = {{"note", note}};
  const auto found = update_auto_fenced_blocking(scope, update);
  if (!found) return failure(found.error());
  return {};
}

Result<void> insert_execution(StatementScope& scope, const Execution& execution,
                              std::int64_t range_id) {
  Parameters current = key_of(execution);
  current.push_back(to_sql(range_id));
  const Result<void> is_current = scope.exec_exactly_blocking(
      1,
      "INSERT INTO current_executions (shard_id, namespace_id, workflow_id, run_id, start_version) "
      "VALUES ($1, $2, $3, $4, $5)",
      current);
  if (!is_current) return failure(is_current.error());

  Parameters values = current;
  values.push_back(to_sql(execution.next_event_id));
  values.push_back(to_sql(execution.version));
  return scope.exec_exactly_blocking(
      1,
      "INSERT INTO executions (shard_id, namespace_id, workflow_id, run_id, last_write_version, "
      "next_event_id, db_record_version) VALUES ($1, $2, $3, $4, $5, $6, $7)",
      values);
}

Result<std::vector<Execution>> list_executions(StatementScope& scope, int shard_id,
                                               const Uuid& namespace_id) {
  const auto rows = scope.query_blocking<std::string, Uuid, std::int64_t, std::int64_t>(
      "SELECT workflow_id, run_id, next_event_id, db_record_version FROM executions "
      "WHERE shard_id = $1 AND namespace_id = $2 ORDER BY workflow_id",
      parameters(shard_id, namespace_id));
  if (!rows) return failure(rows.error());
  std::vector<Execution> executions;
  for (const auto& [workflow_id, run_id, next_event_id, version] : *rows) {
    executions.push_back({{shard_id, namespace_id, workflow_id}, run_id, next_event_id, version});
  }
  return executions;
}

// One table in the statement that locks, and the read of the other by itself: DSQL refuses a join
// with FOR UPDATE (0A000). Both see the same snapshot.
Result<CurrentExecution> lock_current_execution(StatementScope& scope,
                                                const WorkflowKey& workflow) {
  const auto run_id = scope.query_one_blocking<Uuid>(
      "SELECT run_id FROM current_executions "
      "WHERE shard_id = $1 AND namespace_id = $2 AND workflow_id = $3 FOR UPDATE",
      key_of(workflow));
  if (!run_id) return failure(run_id.error());
  const auto last_write_version = scope.query_one_blocking<std::int64_t>(
      "SELECT last_write_version FROM executions "
      "WHERE shard_id = $1 AND namespace_id = $2 AND workflow_id = $3 AND run_id = $4",
      key_of(Execution{workflow, *run_id}));
  if (!last_write_version) return failure(last_write_version.error());
  return CurrentExecution{*run_id, *last_write_version};
}

Result<void> update_execution(StatementScope& scope, const Execution& execution,
                              std::int64_t next_event_id, std::int64_t range_id) {
  FencedUpdate update(kExecutionKind, "executions", "db_record_version");
  update.key = {{"shard_id", to_sql(execution.workflow.shard_id)},
                {"namespace_id", to_sql(execution.workflow.namespace_id)},
                {"workflow_id", execution.workflow.workflow_id},
                {"run_id", to_sql(execution.run_id)}};
  update.values = {{"next_event_id", to_sql(next_event_id)},
                   {"last_write_version", to_sql(range_id)}};
  update.next_token = to_sql(execution.version + 1);
  return update_fenced_blocking(scope, update, std::to_string(execution.version));
}

Result<void> append_buffered_event(StatementScope& scope, const Execution& execution,
                                   std::int64_t id, std::string_view data) {
  Parameters values = key_of(execution);
  values.push_back(to_sql(id));
  values.push_back(to_sql(bytes_of(data)));
  values.push_back(kEncoding);
  return scope.exec_exactly_blocking(
      1,
      "INSERT INTO buffered_events (shard_id, namespace_id, workflow_id, run_id, id, data, "
      "data_encoding) VALUES ($1, $2, $3, $4, $5, $6, $7)",
      values);
}

Result<std::vector<BufferedEvent>> take_buffered_events(StatementScope& scope,
                                                        const Execution& execution) {
  const auto rows = scope.query_blocking<std::int64_t, std::vector<std::byte>>(
      "SELECT id, data FROM buffered_events WHERE shard_id = $1 AND namespace_id = $2 "
      "AND workflow_id = $3 AND run_id = $4 ORDER BY id",
      key_of(execution));
  if (!rows) return failure(rows.error());
  std::vector<BufferedEvent> events;
  for (const auto& [id, data] : *rows) events.push_back({id, data});
  if (events.empty()) return events;

  Parameters up_to = key_of(execution);
  up_to.push_back(to_sql(events.back().id));
  const Result<void> deleted = scope.exec_exactly_blocking(
      events.size(),
      "DELETE FROM buffered_events WHERE shard_id = $1 AND namespace_id = $2 "
      "AND workflow_id = $3 AND run_id = $4 AND id <= $5",
      up_to);
  if (!deleted) return failure(deleted.error());
  return events;
}

}  // namespace workflow
