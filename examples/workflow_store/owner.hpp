// Owner: takes a shard from the owner it has, works in it for a while, and takes the next. It loses
// shards in the same way, and notices when it tries to change something.
//
// Confined to its thread; the ledger is for others when the thread has ended.
#pragma once

#include <atomic>
#include <cstdint>

#include <forebay/env/random.hpp>

#include "ledger.hpp"
#include "workflow_store.hpp"

namespace workflow {

class Owner {
 public:
  // The store outlives it. Shards are numbered from 1.
  Owner(WorkflowStore& store, int shards, const Uuid& id, std::uint64_t seed)
      : store_(store), shards_(shards), id_(id), random_(seed) {}

  // Until it is over, by somebody else's word or because something is broken.
  void run(std::atomic<bool>& is_over);

  const Uuid& id() const { return id_; }
  const Ledger& ledger() const { return ledger_; }

 private:
  // A shard with what is in it.
  struct HeldShard {
    Shard shard;
    std::vector<Execution> executions;
  };

  Result<HeldShard> take();
  // Works in it until it is lost, or for that many steps.
  Result<void> hold(HeldShard held, std::uint64_t steps, const std::atomic<bool>& is_over);
  Result<void> step(HeldShard& held);
  Result<void> start(HeldShard& held);
  Result<void> append(const HeldShard& held, const Execution& execution);
  Result<void> advance(const HeldShard& held, Execution& execution);
  void note(const forebay::Error& error, std::atomic<bool>& is_over);

  WorkflowStore& store_;
  const int shards_;
  const Uuid id_;
  forebay::SeededRandom random_;
  Ledger ledger_;
};

}  // namespace workflow
