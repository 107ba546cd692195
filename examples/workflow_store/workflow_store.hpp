// WorkflowStore: shards, each with one owner at a time, and the workflows in them.
//
// Each function is one transaction, run again after a conflict. Acquiring a shard takes it away
// from the owner it had; that one is told so by its next call, which changes nothing and is
// Errc::condition_failed with the kind "shard". Nobody has to ask whether it still owns what it
// owned. Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <forebay/ids/snowflake.hpp>
#include <forebay/postgres/transaction/session_source.hpp>
#include <forebay/retry/transaction_metrics.hpp>

#include "rows.hpp"

namespace workflow {

using forebay::Result;

struct AdvancedExecution {
  Execution execution;  // as it is now
  std::vector<BufferedEvent> events;
};

class WorkflowStore {
 public:
  // All of them outlive it. Workflows are those of one namespace; shards belong to all.
  WorkflowStore(forebay::postgres::SessionSource& sessions, forebay::SnowflakeGenerator& event_ids,
                forebay::Random& secure_random, const Uuid& namespace_id)
      : sessions_(sessions),
        event_ids_(event_ids),
        secure_random_(secure_random),
        namespace_id_(namespace_id) {}
  WorkflowStore(const WorkflowStore&) = delete;
  WorkflowStore& operator=(const WorkflowStore&) = delete;

  Result<void> create_shard(int shard_id);
  Result<Shard> acquire_shard(int shard_id, const Uuid& owner_id);
  // Those in the shard are the owner's to change, so it can keep them in memory.
  Result<std::vector<Execution>> load_executions(const Shard& shard);
  Result<void> update_shard(const Shard& shard, std::string_view data);
  // By an operator, who owns no shard, on whatever the shard is now. If the owner changes at that
  // very moment: Errc::condition_failed.
  Result<void> note_on_shard(int shard_id, const std::string& note);

  Result<Execution> start_workflow(const Shard& shard, const std::string& workflow_id);
  // The id of the event.
  Result<std::int64_t> append_event(const Shard& shard, const Execution& execution,
                                    std::string_view data);
  // Takes in all events that have come. Errc::condition_failed with the kind "execution": somebody
  // has updated it since it was read, which no former owner can have done.
  Result<AdvancedExecution> advance(const Shard& shard, const Execution& execution);

  forebay::postgres::SessionSource& sessions() { return sessions_; }
  const Uuid& namespace_id() const { return namespace_id_; }
  const forebay::TransactionMetrics& metrics() const { return metrics_; }

 private:
  template <class Body>
  auto transact(const char* operation, Body&& body);

  forebay::postgres::SessionSource& sessions_;
  forebay::SnowflakeGenerator& event_ids_;
  forebay::Random& secure_random_;  // thread-safe
  const Uuid namespace_id_;
  forebay::TransactionMetrics metrics_;
};

}  // namespace workflow
