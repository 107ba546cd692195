// PoolLog: all that a pool says of itself in the log, in the words that operators of reservoirs
// know. docs/logs.md explains each event.
//
// Every event has the pool's name. Those of a reservoir begin with "Reservoir", those of a standard
// pool with "Pool"; there, what belongs to everyday life is told as debug. Never called under the
// pool's lock, nor by callers who acquire: the supplier tells what has happened to them.
#pragma once

#include <algorithm>
#include <string_view>

#include "forebay/base/log.hpp"
#include "forebay/core/open_failure.hpp"
#include "forebay/core/slot.hpp"
#include "forebay/pool/leak_report.hpp"
#include "forebay/pool/options.hpp"
#include "forebay/pool/statistics.hpp"

namespace forebay {

class PoolLog {
 public:
  explicit PoolLog(const PoolOptions& options)
      : options_(options), is_reservoir_(options.supply == Supply::reservoir) {}

  // The level of events that are news of a reservoir, and everyday life of a standard pool.
  log::Level news(log::Level of_reservoir) const {
    return is_reservoir_ ? of_reservoir : log::Level::debug;
  }

  // How many a fill is to reach.
  int target(const PoolGauges& gauges) const {
    return is_reservoir_ ? gauges.target_ready
                         : std::max(gauges.target_ready, options_.size.keep_open);
  }

  void started() const;
  void stopped() const;
  void created(const PoolGauges& gauges) const;
  void filled(const PoolGauges& gauges, Duration elapsed) const;
  void fill_timed_out(const PoolStatistics& statistics, Duration elapsed) const;
  // A slot that never opened has no life left to tell of.
  void discarding(const Slot& slot, DiscardReason reason, Instant now) const;
  // One attempt failed, the so-manieth in a row.
  void attempt_failed(const FailedOpen& failed, int attempt) const;
  // What failed together counts once; the next attempt comes after the pause.
  void backed_off(const FailedOpen& failed, int attempt, Duration pause) const;
  void lost(std::uint64_t connection, DiscardReason reason, const Error& error) const;
  void empty(const PoolGauges& gauges, std::uint64_t total) const;
  void leak(const LeakReport& report) const;
  // The server has not let go of a session for long.
  void held(const PoolGauges& gauges) const;
  void hook_threw(std::string_view hook, std::string_view text) const;

 private:
  // An event's message for both kinds of pools.
  struct Words {
    std::string_view reservoir;
    std::string_view pool;
  };
  std::string_view choose(const Words& words) const {
    return is_reservoir_ ? words.reservoir : words.pool;
  }
  log::Field name() const { return log::field("pool", options_.name); }

  const PoolOptions& options_;
  const bool is_reservoir_;
};

}  // namespace forebay
