// What the tables hold, as the program sees it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <forebay/ids/uuid.hpp>

namespace workflow {

using forebay::Uuid;

// The words for what is fenced: ConditionFailed::kind.
inline constexpr const char* kShardKind = "shard";
inline constexpr const char* kExecutionKind = "execution";

// A shard as its owner knows it. The owner is the one with the greatest range_id; the others were.
struct Shard {
  int id = 0;
  std::int64_t range_id = 0;
};

struct WorkflowKey {
  int shard_id = 0;
  Uuid namespace_id;
  std::string workflow_id;
};

// One run of a workflow.
struct Execution {
  WorkflowKey workflow;
  Uuid run_id;
  std::int64_t next_event_id = 1;
  std::int64_t version = 0;  // db_record_version: how often it was updated
};

// The run of a workflow that counts, with what was read beside its lock.
struct CurrentExecution {
  Uuid run_id;
  std::int64_t last_write_version = 0;  // range_id of the owner who wrote last
};

struct BufferedEvent {
  std::int64_t id = 0;  // a Snowflake: later events have greater ones
  std::vector<std::byte> data;
};

}  // namespace workflow
