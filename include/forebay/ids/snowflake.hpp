// SnowflakeGenerator: 63-bit ids that grow with time and need no round trip: 41 bits of
// milliseconds since an epoch, 10 bits of the node, 12 bits of a sequence, so 4,096 a millisecond
// and node.
//
//   FixedNode node(7);
//   SnowflakeGenerator ids(wall_clock, node);
//   Result<std::int64_t> id = ids.next();
//
// Each id is greater than all that this generator made before, and no two are the same as long as
// each node number belongs to one generator (NodeSource). With a FixedNode the clock must also be
// past all ids that were made with the number before this process began: nobody remembers them.
// Many processes get their numbers from NodeLease, which does.
//
// When the clock goes back, ids go on from the last time, and when its sequence is used up from the
// milliseconds after it. They are then ahead of the clock, by max_ahead at most: after that there
// is an error, until the clock has caught up. Thread-safe. It has no lock of its own; a NodeLease
// has one, which each id takes for as long as it takes to copy a term.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "forebay/base/error.hpp"
#include "forebay/env/wall_clock.hpp"
#include "forebay/ids/node_source.hpp"

namespace forebay {

struct SnowflakeOptions {
  // 2024-01-01 00:00:00 UTC; 41 bits end on 2093-09-06. All processes that share a table have the
  // same, for ever.
  WallTime epoch{std::chrono::milliseconds(1'704'067'200'000)};
  // How far ids may be ahead of a clock that went back. Clocks that are set right by stepping do
  // so by less than a second, mostly.
  Duration max_ahead = std::chrono::seconds(10);
};

// What an id is made of.
struct SnowflakeParts {
  std::chrono::sys_time<std::chrono::milliseconds> time;
  int node = 0;
  int sequence = 0;
};

class SnowflakeGenerator {
 public:
  static constexpr int kSequenceBits = 12;
  static constexpr int kNodeBits = 10;
  static constexpr int kTimeBits = 41;
  static constexpr std::int64_t kPerMillisecond = std::int64_t{1} << kSequenceBits;

  // Both outlive it. REQUIRES: no other generator has that node.
  SnowflakeGenerator(const WallClock& clock, NodeSource& node, SnowflakeOptions options = {});
  SnowflakeGenerator(const SnowflakeGenerator&) = delete;
  SnowflakeGenerator& operator=(const SnowflakeGenerator&) = delete;

  // When the millisecond is used up, it yields the processor until the next. Errors: as try_next(),
  // but for limit_reached.
  Result<std::int64_t> next();
  // Never waits. Errors: limit_reached (4,096 ids have this millisecond), invalid (the clock is
  // before the epoch, after its end, or too far back: it says by how much), connect_failed (the
  // times of the node's term are over, or too far ahead), and those of the node.
  Result<std::int64_t> try_next();

  SnowflakeParts decode(std::int64_t id) const;

 private:
  Result<std::int64_t> first_place(const NodeTerm& term, std::int64_t used, std::int64_t now) const;
  std::unexpected<Error> refuse_time(std::int64_t now) const;
  std::unexpected<Error> refuse_ahead(std::int64_t time, std::int64_t now) const;
  std::unexpected<Error> refuse_begin(const NodeTerm& term, std::int64_t now) const;

  const WallClock& clock_;
  NodeSource& node_;
  const std::int64_t epoch_;  // in milliseconds, as all times here
  const std::int64_t max_ahead_;
  // The last place that was given out: milliseconds since the epoch, then the sequence. One number,
  // so that one exchange takes the next.
  std::atomic<std::int64_t> used_{-1};
};

}  // namespace forebay
