// PoolLog: all that a pool says of itself in the log, in the words that operators of reservoirs
// know. docs/logs.md explains each event.
//
// Every event has the pool's name, and its service's if it has one. Those of a reservoir begin with
// "Reservoir", those of a standard pool with "Pool"; there, what belongs to everyday life is told
// as debug. How a standard pool starts is told in DSQL's name where that is the server. Never
// called under the pool's lock, nor by callers who acquire, but for open(): the supplier tells what
// has happened to them.
#pragma once

#include <algorithm>
#include <string_view>

#include "forebay/base/log.hpp"
#include "forebay/base/server_kind.hpp"
#include "forebay/core/open_failure.hpp"
#include "forebay/core/pool_rules.hpp"
#include "forebay/core/slot.hpp"
#include "forebay/pool/leak_report.hpp"
#include "forebay/pool/options.hpp"
#include "forebay/pool/statistics.hpp"

namespace forebay {

class PoolLog {
 public:
  // REQUIRES: the options are completed. Pools that share a budget may be many, and come and go:
  // how they start is everyday life.
  PoolLog(const PoolOptions& options, ServerKind server, bool has_budget)
      : options_(options),
        is_reservoir_(options.supply == Supply::reservoir),
        is_dsql_(server == ServerKind::dsql),
        start_level_(has_budget ? log::Level::debug : log::Level::info) {}

  // The level of events that are news of a reservoir, and everyday life of a standard pool.
  log::Level news(log::Level of_reservoir) const {
    return is_reservoir_ ? of_reservoir : log::Level::debug;
  }

  // How many a fill is to reach.
  int target(const PoolGauges& gauges) const {
    return is_reservoir_ ? gauges.target_ready
                         : std::max(gauges.target_ready, *options_.size.keep_open);
  }

  void started() const;
  void warm_up_started(const PoolGauges& gauges) const;
  // One connection, with all its retries.
  void warm_up_failed(std::string_view error) const;
  void warm_up_done(const PoolGauges& gauges, int created, int failed) const;
  void keeper_started() const;
  // By open(); the n-th that got one.
  void checked_out(const PoolGauges& gauges, std::uint64_t opens) const;
  void stopped() const;
  void created(const PoolGauges& gauges) const;
  void filled(const PoolGauges& gauges, Duration elapsed) const;
  void fill_timed_out(const PoolStatistics& statistics, Duration elapsed) const;
  // The keeper goes on.
  void warm_up_gave_up(const PoolStatistics& statistics, Duration elapsed) const;
  // A slot that never opened has no life left to tell of.
  void discarding(const Slot& slot, DiscardReason reason, Instant now) const;
  // One attempt failed, the n-th in a row.
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
  void configured(const PoolRules& rules) const;

  // An event's message for both kinds of pools.
  struct Words {
    std::string_view reservoir;
    std::string_view pool;
  };
  std::string_view choose(const Words& words) const {
    return is_reservoir_ ? words.reservoir : words.pool;
  }
  // And for both kinds of servers.
  struct ServerWords {
    std::string_view dsql;
    std::string_view other;
  };
  std::string_view choose(const ServerWords& words) const {
    return is_dsql_ ? words.dsql : words.other;
  }
  log::Field name() const { return log::field("pool", options_.name); }
  log::Field service() const {
    const bool has_none = options_.service.empty();
    return has_none ? log::Field{"service", {}} : log::field("service", options_.service);
  }

  const PoolOptions& options_;
  const bool is_reservoir_;
  const bool is_dsql_;
  const log::Level start_level_;
};

}  // namespace forebay
