#include "forebay/pool/pool_log.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "forebay/core/refill_plan.hpp"
#include "forebay/pool/rules_of.hpp"

namespace forebay {
namespace {

using log::field;
using log::Level;

// What a healthy pool does all day is told only on request. The rest shows that something is set
// up badly or has gone wrong.
Level level_of(DiscardReason reason) {
  switch (reason) {
    case DiscardReason::insufficient_remaining_lifetime:
    case DiscardReason::expired_on_checkout:
    case DiscardReason::expired_on_return:
    case DiscardReason::expired_on_scan:
    case DiscardReason::broken:
    case DiscardReason::reset_failed:
    case DiscardReason::check_failed:
    case DiscardReason::hook_failed:
    case DiscardReason::lease_lost: return Level::warning;
    case DiscardReason::reservoir_full: return Level::info;
    case DiscardReason::expiring_soon_on_scan:
    case DiscardReason::replaced:
    case DiscardReason::idle:
    case DiscardReason::shrunk:
    case DiscardReason::discarded:
    case DiscardReason::evicted_tenant:
    case DiscardReason::closed: return Level::debug;
  }
  std::unreachable();
}

// As those who know these events have it.
Duration zero_if_never(Duration time) { return time == Duration::max() ? Duration::zero() : time; }

Duration longest_life(const ExpiryRule& rule) {
  const Duration cap = lifetime_cap(rule);
  return rule.lifetime >= cap ? cap : std::min(rule.lifetime + rule.jitter / 2, cap);
}

}  // namespace

void PoolLog::started() const {
  if (is_reservoir_) {
    log::info("Reservoir mode enabled", {name(), service(), field("max", options_.size.max)});
  }
  const PoolRules rules = rules_of(options_);
  if (!is_reservoir_) configured(rules);
  constexpr Words kStarted{"Reservoir refiller started", "Pool refiller started"};
  log::write(
      start_level_, choose(kStarted),
      {name(), service(), field("target_ready", rules.supply.target()),
       field("low_watermark", rules.low_watermark), field("base_lifetime", rules.expiry.lifetime),
       field("guard_window", rules.expiry.guard_window), field("max", rules.max)});
}

void PoolLog::configured(const PoolRules& rules) const {
  constexpr ServerWords kConfigured{"DSQL connection pool configured",
                                    "Connection pool configured"};
  log::write(start_level_, choose(kConfigured),
             {name(), service(), field("max_open_conns", rules.max), field("current_open", 0),
              field("max_conn_lifetime", zero_if_never(longest_life(rules.expiry))),
              field("max_conn_idle_time", zero_if_never(rules.idle_timeout))});
}

void PoolLog::warm_up_started(const PoolGauges& gauges) const {
  constexpr ServerWords kBegun{"Starting DSQL connection pool warmup",
                               "Starting connection pool warmup"};
  constexpr ServerWords kStarting{"Starting DSQL pool warmup", "Starting pool warmup"};
  log::write(start_level_, choose(kBegun), {name(), service()});
  const int wanted = *options_.size.keep_open;
  log::write(start_level_, choose(kStarting),
             {name(), service(), field("current_connections", gauges.open()),
              field("target_connections", wanted),
              field("connections_to_create", std::max(0, wanted - gauges.open()))});
}

void PoolLog::warm_up_failed(std::string_view error) const {
  log::warning("Pool warmup connection failed", {name(), service(), field("error", error)});
}

void PoolLog::warm_up_done(const PoolGauges& gauges, int created, int failed) const {
  constexpr ServerWords kDone{"DSQL pool warmup complete", "Pool warmup complete"};
  log::write(start_level_, choose(kDone),
             {name(), service(), field("connections_created", created),
              field("connections_failed", failed), field("final_open_connections", gauges.open())});
}

void PoolLog::keeper_started() const {
  constexpr ServerWords kKeeper{"DSQL pool keeper started", "Pool keeper started"};
  const int size = *options_.size.keep_open;
  log::write(
      start_level_, choose(kKeeper),
      {name(), service(), field("target_pool_size", size), field("tick_interval", kKeeperTick),
       field("max_conns_per_tick", keeper_quota(size))});
}

void PoolLog::checked_out(const PoolGauges& gauges, std::uint64_t opens) const {
  constexpr Words kCheckedOut{"Reservoir driver Open() - connection checked out",
                              "Pool driver Open() - connection checked out"};
  log::debug(choose(kCheckedOut), {name(), service(), field("open_count", opens),
                                   field("reservoir_ready", gauges.ready)});
}

void PoolLog::stopped() const {
  constexpr Words kStopped{"Reservoir refiller stopped", "Pool refiller stopped"};
  log::write(news(Level::info), choose(kStopped), {name(), service()});
}

void PoolLog::created(const PoolGauges& gauges) const {
  constexpr Words kCreated{"Reservoir refiller: created connection",
                           "Pool refiller: created connection"};
  log::debug(choose(kCreated), {name(), service(), field("reservoir_size", gauges.open()),
                                field("target", target(gauges))});
}

void PoolLog::filled(const PoolGauges& gauges, Duration elapsed) const {
  constexpr Words kFilled{"Reservoir initial fill complete", "Pool initial fill complete"};
  log::info(choose(kFilled), {name(), service(), field("size", gauges.open()),
                              field("target", target(gauges)), field("elapsed", elapsed)});
}

void PoolLog::fill_timed_out(const PoolStatistics& statistics, Duration elapsed) const {
  constexpr Words kTimeout{"Reservoir initial fill timeout", "Pool initial fill timeout"};
  std::optional<std::string_view> error;
  if (!statistics.last_connect_error.empty()) error = statistics.last_connect_error;
  log::warning(choose(kTimeout), {name(), service(), field("current", statistics.open()),
                                  field("target", target(statistics)), field("elapsed", elapsed),
                                  field("error", error)});
}

void PoolLog::warm_up_gave_up(const PoolStatistics& statistics, Duration elapsed) const {
  std::optional<std::string_view> error;
  if (!statistics.last_connect_error.empty()) error = statistics.last_connect_error;
  log::warning("Pool warmup gave up",
               {name(), field("size", statistics.open()), field("target", target(statistics)),
                field("elapsed", elapsed), field("error", error)});
}

void PoolLog::discarding(const Slot& slot, DiscardReason reason, Instant now) const {
  constexpr Words kDiscarding{"Reservoir: discarding connection", "Pool: discarding connection"};
  std::optional<Duration> remaining;
  if (slot.expires_at > slot.opened_at) remaining = slot.expires_at - now;
  log::write(
      level_of(reason), choose(kDiscarding),
      {name(), service(), field("reason", forebay::name(reason)), field("remaining", remaining),
       field("guard_window", options_.guard_window), field("connection", slot.id)});
}

void PoolLog::attempt_failed(const FailedOpen& failed, int attempt) const {
  constexpr Words kLease{"Reservoir refiller: lease acquire failed",
                         "Pool refiller: lease acquire failed"};
  constexpr Words kToken{"Reservoir refiller: token provider failed",
                         "Pool refiller: token provider failed"};
  constexpr Words kOpen{"Reservoir refiller: connection open failed",
                        "Pool refiller: connection open failed"};
  const auto report = [&](const Words& words) {
    log::error(choose(words),
               {name(), service(), field("error", failed.error.text()),
                field("reason", forebay::name(failed.reason)), field("attempt", attempt)});
  };
  if (failed.reason == OpenFailure::lease_acquire) report(kLease);
  if (failed.reason == OpenFailure::token_provider) report(kToken);
  if (failed.reason == OpenFailure::connection_open) report(kOpen);
}

void PoolLog::backed_off(const FailedOpen& failed, int attempt, Duration pause) const {
  constexpr Words kFailed{"Reservoir refiller: failed to create connection",
                          "Pool refiller: failed to create connection"};
  log::warning(choose(kFailed), {name(), service(), field("error", failed.error.text()),
                                 field("reason", forebay::name(failed.reason)),
                                 field("attempt", attempt), field("retry_in", pause)});
}

void PoolLog::lost(std::uint64_t connection, DiscardReason reason, const Error& error) const {
  constexpr Words kLost{"Reservoir: connection lost", "Pool: connection lost"};
  log::warning(choose(kLost), {name(), service(), field("reason", forebay::name(reason)),
                               field("error", error.text()), field("connection", connection)});
}

void PoolLog::empty(const PoolGauges& gauges, std::uint64_t total) const {
  constexpr Words kEmpty{"Reservoir empty", "Pool empty"};
  log::write(news(Level::warning), choose(kEmpty),
             {name(), service(), field("waiters", gauges.waiters), field("opening", gauges.opening),
              field("lent", gauges.lent), field("max", gauges.max), field("empty_total", total)});
}

void PoolLog::leak(const LeakReport& report) const {
  constexpr Words kLeak{"Reservoir: possible leak", "Pool: possible leak"};
  const std::string place =
      fmt::format("{}:{}", report.taken_from.file_name(), report.taken_from.line());
  log::warning(
      choose(kLeak),
      {name(), service(), field("connection", report.connection_id), field("held", report.held),
       field("function", report.taken_from.function_name()), field("place", place)});
}

void PoolLog::held(const PoolGauges& gauges) const {
  constexpr Words kHeld{"Reservoir: the server has not let go of a session",
                        "Pool: the server has not let go of a session"};
  log::warning(choose(kHeld),
               {name(), service(), field("held", gauges.held), field("max", gauges.max)});
}

void PoolLog::hook_threw(std::string_view hook, std::string_view text) const {
  constexpr Words kThrew{"Reservoir: a hook threw an exception", "Pool: a hook threw an exception"};
  log::error(choose(kThrew), {name(), service(), field("hook", hook), field("error", text)});
}

}  // namespace forebay
