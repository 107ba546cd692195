#include "workflow_store.hpp"

#include <chrono>
#include <utility>

#include <forebay/postgres/transaction/run_transaction.hpp>

#include "statements.hpp"

namespace workflow {
namespace {

using namespace std::chrono_literals;
using forebay::failure;
using forebay::Timestamp;
using forebay::postgres::Isolation;
using forebay::postgres::run_transaction_blocking;
using forebay::postgres::Transaction;
using forebay::postgres::TransactionOptions;

constexpr forebay::Duration kTransactionTime = 30s;

}  // namespace

template <class Body>
auto WorkflowStore::transact(const char* operation, Body&& body) {
  TransactionOptions options(operation);
  // What DSQL has, and nothing else. PostgreSQL, told so, gives the same conflicts.
  options.isolation = Isolation::repeatable_read;
  // The default starts at 100 ms, for conflicts in a cluster far away. Here they are wanted.
  options.policy.max_retries = 10;
  options.policy.backoff = forebay::BackoffRule{2ms, 200ms, 50};
  options.timeout = kTransactionTime;
  options.metrics = &metrics_;
  return run_transaction_blocking(sessions_, options, std::forward<Body>(body));
}

Result<void> WorkflowStore::create_shard(int shard_id) {
  return transact("create_shard",
                  [&](Transaction& transaction) { return insert_shard(transaction, shard_id); });
}

Result<Shard> WorkflowStore::acquire_shard(int shard_id, const Uuid& owner_id) {
  return transact("acquire_shard", [&](Transaction& transaction) {
    const Timestamp now = forebay::timestamp_of(sessions_.env().wall_clock.now());
    return bump_range(transaction, shard_id, owner_id, now);
  });
}

// Not in the transaction of the bump: its snapshot is older than what the former owner commits
// while the bump waits for that one's lock. On DSQL the bump would conflict with the lock; on
// PostgreSQL it conflicts only with what was written.
Result<std::vector<Execution>> WorkflowStore::load_executions(const Shard& shard) {
  return transact("load_executions",
                  [&](Transaction& transaction) -> Result<std::vector<Execution>> {
                    const Result<void> owned = require_shard(transaction, shard);
                    if (!owned) return failure(owned.error());
                    return list_executions(transaction, shard.id, namespace_id_);
                  });
}

// A single fenced update proves the ownership by itself.
Result<void> WorkflowStore::update_shard(const Shard& shard, std::string_view data) {
  return transact("update_shard", [&](Transaction& transaction) {
    return update_shard_data(transaction, shard, data);
  });
}

// Read and swap are two transactions here, so that an owner can come in between: that is a failed
// condition and not a conflict, and the operator looks again before repeating it.
Result<void> WorkflowStore::note_on_shard(int shard_id, const std::string& note) {
  auto session = sessions_.acquire_blocking(kTransactionTime, std::source_location::current());
  if (!session) return failure(session.error());
  StatementScope scope(**session, sessions_.env().scheduler.now() + kTransactionTime);
  return update_shard_note(scope, shard_id, note);
}

Result<Execution> WorkflowStore::start_workflow(const Shard& shard,
                                                const std::string& workflow_id) {
  const Execution execution{{shard.id, namespace_id_, workflow_id},
                            forebay::make_uuid_v4(secure_random_)};
  return transact("start_workflow", [&](Transaction& transaction) -> Result<Execution> {
    const Result<void> owned = require_shard(transaction, shard);
    if (!owned) return failure(owned.error());
    const Result<void> inserted = insert_execution(transaction, execution, shard.range_id);
    if (!inserted) return failure(inserted.error());
    return execution;
  });
}

Result<std::int64_t> WorkflowStore::append_event(const Shard& shard, const Execution& execution,
                                                 std::string_view data) {
  return transact("append_event", [&](Transaction& transaction) -> Result<std::int64_t> {
    const Result<void> owned = require_shard(transaction, shard);
    if (!owned) return failure(owned.error());
    // Made when the shard is known to be ours: so ids of later owners are greater.
    const Result<std::int64_t> id = event_ids_.next();
    if (!id) return failure(id.error());
    const Result<void> appended = append_buffered_event(transaction, execution, *id, data);
    if (!appended) return failure(appended.error());
    return *id;
  });
}

Result<AdvancedExecution> WorkflowStore::advance(const Shard& shard, const Execution& execution) {
  return transact("advance", [&](Transaction& transaction) -> Result<AdvancedExecution> {
    const Result<void> owned = require_shard(transaction, shard);
    if (!owned) return failure(owned.error());
    const Result<CurrentExecution> current =
        lock_current_execution(transaction, execution.workflow);
    if (!current) return failure(current.error());
    if (current->run_id != execution.run_id || current->last_write_version > shard.range_id) {
      return failure(forebay::Error(
          forebay::ConditionFailed(kExecutionKind),
          "workflow " + execution.workflow.workflow_id + " has another run, or a later writer"));
    }
    Result<std::vector<BufferedEvent>> events = take_buffered_events(transaction, execution);
    if (!events) return failure(events.error());
    AdvancedExecution advanced{execution, std::move(*events)};
    advanced.execution.next_event_id += static_cast<std::int64_t>(advanced.events.size());
    ++advanced.execution.version;
    const Result<void> updated =
        update_execution(transaction, execution, advanced.execution.next_event_id, shard.range_id);
    if (!updated) return failure(updated.error());
    return advanced;
  });
}

}  // namespace workflow
