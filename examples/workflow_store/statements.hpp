// The statements of the store, one function each. None of them begins or ends a transaction: what
// belongs together is put together by WorkflowStore.
//
// Errors are those of StatementScope. Errc::condition_failed: somebody else owns the shard
// (kShardKind) or has updated the execution (kExecutionKind).
#pragma once

#include <string_view>
#include <vector>

#include <forebay/ids/timestamp.hpp>
#include <forebay/postgres/sql/statement_scope.hpp>

#include "rows.hpp"

namespace workflow {

using forebay::Result;
using forebay::postgres::StatementScope;

// Nobody owns it yet: range_id 0. No error if it exists.
Result<void> insert_shard(StatementScope& scope, int shard_id);
// The next range_id, and with it the shard, is the owner's.
Result<Shard> bump_range(StatementScope& scope, int shard_id, const Uuid& owner_id,
                         forebay::Timestamp now);
// Fails unless this is still the owner, and makes sure that it is so until the COMMIT.
Result<void> require_shard(StatementScope& scope, const Shard& shard);
Result<void> update_shard_data(StatementScope& scope, const Shard& shard, std::string_view data);
// For those who do not own it.
Result<void> update_shard_note(StatementScope& scope, int shard_id, const std::string& note);

Result<void> insert_execution(StatementScope& scope, const Execution& execution,
                              std::int64_t range_id);
Result<std::vector<Execution>> list_executions(StatementScope& scope, int shard_id,
                                               const Uuid& namespace_id);
Result<CurrentExecution> lock_current_execution(StatementScope& scope, const WorkflowKey& workflow);
// From execution.version to the next.
Result<void> update_execution(StatementScope& scope, const Execution& execution,
                              std::int64_t next_event_id, std::int64_t range_id);

Result<void> append_buffered_event(StatementScope& scope, const Execution& execution,
                                   std::int64_t id, std::string_view data);
// All there are, in their order, and out of the table.
Result<std::vector<BufferedEvent>> take_buffered_events(StatementScope& scope,
                                                        const Execution& execution);

}  // namespace workflow
