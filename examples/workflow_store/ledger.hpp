// Ledger: what one owner did, by the answers it got. At the end the database must say the same.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include <forebay/base/error.hpp>

#include "rows.hpp"

namespace workflow {

// Sorted, events of one run stand in the order in which they were taken.
struct TakenEvent {
  Uuid run_id;
  std::int64_t version = 0;  // of the update that took it
  std::int64_t place = 0;    // in that update
  std::int64_t id = 0;

  friend auto operator<=>(const TakenEvent&, const TakenEvent&) = default;
};

struct Ledger {
  std::uint64_t acquisitions = 0;
  std::uint64_t lost_shards = 0;  // noticed: somebody else has the shard
  std::uint64_t shard_updates = 0;
  std::uint64_t given_up = 0;  // conflicts without end, no connection in time
  std::uint64_t unknown_outcomes = 0;
  std::map<Uuid, std::int64_t> updates;  // of each run; 0 for one that was only started
  std::vector<std::int64_t> appended;    // ids of events
  std::vector<TakenEvent> taken;
  std::optional<forebay::Error> broken;  // what should never happen, and ended the work

  void add(const Ledger& other) {
    acquisitions += other.acquisitions;
    lost_shards += other.lost_shards;
    shard_updates += other.shard_updates;
    given_up += other.given_up;
    unknown_outcomes += other.unknown_outcomes;
    for (const auto& [run_id, count] : other.updates) updates[run_id] += count;
    appended.insert(appended.end(), other.appended.begin(), other.appended.end());
    taken.insert(taken.end(), other.taken.begin(), other.taken.end());
    if (!broken) broken = other.broken;
  }
  std::int64_t update_count() const {
    std::int64_t sum = 0;
    for (const auto& [run_id, count] : updates) sum += count;
    return sum;
  }
};

}  // namespace workflow
