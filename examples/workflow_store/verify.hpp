// Asks the database whether it holds what the owners were told.
#pragma once

#include <string>
#include <vector>

#include <forebay/ids/uuid.hpp>

#include "ledger.hpp"
#include "workflow_store.hpp"

namespace workflow {

struct OwnerCount {
  Uuid owner_id;
  std::uint64_t acquisitions = 0;
};

struct Verification {
  std::vector<std::string> broken;  // one sentence each
  std::uint64_t events_left = 0;    // appended, and not taken yet
};

// In one snapshot:
//   each shard's range_id is the number of acquisitions on record, those of other processes too;
//   each owner's acquisitions on record are those it counted;
//   each execution's version is the number of updates that succeeded;
//   each event was taken once, in order, or is still there.
// After an unknown outcome the counts cannot be exact: then only the first is looked at.
Result<Verification> verify(WorkflowStore& store, int shards, const std::vector<OwnerCount>& owners,
                            const Ledger& all);

}  // namespace workflow
