#include "owner.hpp"

#include <string>
#include <utility>

#include <forebay/base/error.hpp>

namespace workflow {
namespace {

using forebay::ErrorClass;
using forebay::failure;

constexpr std::uint64_t kMostSteps = 40;
constexpr std::size_t kWorkflowsPerShard = 5;

bool is_lost_shard(const forebay::Error& error) {
  return error.condition() != nullptr && error.condition()->kind == kShardKind;
}

}  // namespace

void Owner::run(std::atomic<bool>& is_over) {
  while (!is_over) {
    Result<HeldShard> held = take();
    const std::uint64_t steps = 1 + random_.below(kMostSteps);
    const Result<void> done = held ? hold(std::move(*held), steps, is_over) : failure(held.error());
    // What is in memory may be out of date, whatever it was: the shard is left, and read
    // anew by the next to acquire it.
    if (!done) note(done.error(), is_over);
  }
}

Result<Owner::HeldShard> Owner::take() {
  const int shard_id = 1 + static_cast<int>(random_.below(static_cast<std::uint64_t>(shards_)));
  const Result<Shard> shard = store_.acquire_shard(shard_id, id_);
  if (!shard) return failure(shard.error());
  ++ledger_.acquisitions;
  Result<std::vector<Execution>> executions = store_.load_executions(*shard);
  if (!executions) return failure(executions.error());
  return HeldShard{*shard, std::move(*executions)};
}

Result<void> Owner::hold(HeldShard held, std::uint64_t steps, const std::atomic<bool>& is_over) {
  for (std::uint64_t i = 0; i < steps && !is_over; ++i) {
    const Result<void> done = step(held);
    if (!done) return done;
  }
  return {};
}

Result<void> Owner::step(HeldShard& held) {
  const std::uint64_t choice = random_.below(100);
  if (choice < 10) {
    const std::string data = std::to_string(held.executions.size()) + " workflows";
    const Result<void> updated = store_.update_shard(held.shard, data);
    if (updated) ++ledger_.shard_updates;
    return updated;
  }
  if (held.executions.empty() || (choice < 20 && held.executions.size() < kWorkflowsPerShard)) {
    return start(held);
  }
  Execution& execution = held.executions[random_.below(held.executions.size())];
  return choice < 60 ? append(held, execution) : advance(held, execution);
}

Result<void> Owner::start(HeldShard& held) {
  const std::string workflow_id =
      "order-" + std::to_string(held.shard.range_id) + "-" + std::to_string(held.executions.size());
  Result<Execution> started = store_.start_workflow(held.shard, workflow_id);
  if (!started) return failure(started.error());
  ledger_.updates.emplace(started->run_id, 0);
  held.executions.push_back(std::move(*started));
  return {};
}

Result<void> Owner::append(const HeldShard& held, const Execution& execution) {
  const std::string data = "signal at version " + std::to_string(execution.version);
  const Result<std::int64_t> id = store_.append_event(held.shard, execution, data);
  if (!id) return failure(id.error());
  ledger_.appended.push_back(*id);
  return {};
}

Result<void> Owner::advance(const HeldShard& held, Execution& execution) {
  Result<AdvancedExecution> advanced = store_.advance(held.shard, execution);
  if (!advanced) return failure(advanced.error());
  execution = std::move(advanced->execution);
  ++ledger_.updates[execution.run_id];
  for (std::int64_t place = 0; const BufferedEvent& event : advanced->events) {
    ledger_.taken.push_back({execution.run_id, execution.version, place++, event.id});
  }
  return {};
}

void Owner::note(const forebay::Error& error, std::atomic<bool>& is_over) {
  if (is_lost_shard(error)) {
    ++ledger_.lost_shards;
    return;
  }
  switch (error.error_class()) {
    case ErrorClass::unknown_outcome: ++ledger_.unknown_outcomes; return;
    case ErrorClass::retryable:
    case ErrorClass::connection_lost:
    case ErrorClass::connection_limit:
    case ErrorClass::transaction_timeout: ++ledger_.given_up; return;
    case ErrorClass::condition_failed:  // an execution was changed by somebody without the shard
    case ErrorClass::unsupported_feature:
    case ErrorClass::permanent:
    case ErrorClass::unknown: break;
  }
  ledger_.broken = error;
  is_over = true;
}

}  // namespace workflow
