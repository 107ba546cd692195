// Rules about one pool's metrics.
#include <algorithm>

#include <fmt/format.h>

#include "forebay/doctor/instance_check.hpp"
#include "forebay/doctor/reason_advice.hpp"
#include "forebay/env/duration_text.hpp"

namespace forebay::doctor {
namespace {

constexpr double kLow = 0.5;
constexpr double kHealthy = 0.9;
constexpr double kDiscardsToNote = 1;  // a second
constexpr double kDiscardsToWarn = 5;
constexpr double kManyDiscards = 20;  // since the start, before their share says anything
constexpr double kLargeShare = 0.5;   // of all connections opened

struct PoolFacts {
  const InstancePages& pages;
  const Labels& labels;
  std::string name;

  Reading read(Metric metric) const { return pages.read(metric, labels); }
  double now(Metric metric) const { return read(metric).total; }
};

bool is_failing(const PoolFacts& pool) {
  return std::ranges::any_of(pool.pages.reasons(Metric::reservoir_refill_failures, pool.labels),
                             [](const auto& failure) { return failure.second.increase > 0; });
}

std::string seen_for(const PoolFacts& pool) { return duration_text(pool.pages.between()); }

// What is lent cannot be ready as well. Processes of an older version do not tell.
double wanted_ready(const PoolFacts& pool) {
  const Reading wanted = pool.read(Metric::pool_wanted_ready);
  return wanted.is_told ? wanted.total : pool.now(Metric::reservoir_target);
}

void check_size(const PoolFacts& pool, Notebook& notebook) {
  const double size = pool.now(Metric::reservoir_size);
  const double target = pool.now(Metric::reservoir_target);
  const double wanted = wanted_ready(pool);
  const Reading filled = pool.read(Metric::pool_filled);
  const std::string what =
      fmt::format("{} has {} of {} connections ready", pool.name, size, target);
  if (filled.is_told && filled.total == 0) {
    const bool is_moving = pool.now(Metric::keeper_opening) > 0 && !is_failing(pool);
    notebook.add(
        is_moving ? Severity::warning : Severity::error,
        fmt::format("{}: its initial fill is not done", what),
        is_moving ? "it is still being filled" : "it does not fill: requests wait and fail",
        is_moving ? "wait; if it takes longer than a minute, see the rate of connects"
                  : "see the refill failures; check the database, the credentials, the "
                    "rate and the cluster's limit with the service's configuration");
    return;
  }
  if (target <= 0) return;
  if (size < wanted * kLow) {
    notebook.warning(what, "below half of the target callers soon find none ready",
                     is_failing(pool)
                         ? "see the refill failures"
                         : "increase the target (DSQL_RESERVOIR_TARGET_READY) or add instances; "
                           "check the rate of connects");
  } else if (size < target * kLow) {
    notebook.warning(fmt::format("{}, and {} of {} are lent", what, pool.now(Metric::pool_in_use),
                                 pool.now(Metric::pool_max_open)),
                     "callers hold the rest: a spike will find none ready",
                     "raise pool.max (FOREBAY_POOL_MAX), add instances, or make transactions "
                     "shorter");
  } else if (size < wanted * kHealthy) {
    notebook.note(what, "more than 90 % is healthy", "look again in a minute");
  } else {
    notebook.ok(what);
  }
}

void check_empty(const PoolFacts& pool, Notebook& notebook) {
  const Reading empty = pool.read(Metric::reservoir_empty);
  if (empty.increase > 0) {
    const double checkouts = pool.pages.per_second(pool.read(Metric::reservoir_checkouts).increase);
    const double refills = pool.pages.per_second(pool.read(Metric::reservoir_refills).increase);
    notebook.warning(
        fmt::format("{}: {} callers found no connection ready within {}", pool.name, empty.increase,
                    seen_for(pool)),
        fmt::format("{:.1f} checkouts and {:.1f} refills a second; who finds none waits", checkouts,
                    refills),
        is_failing(pool)
            ? "see the refill failures: what keeps connections from being opened"
            : "increase the target (DSQL_RESERVOIR_TARGET_READY), add instances, or reduce the "
              "guard window (DSQL_RESERVOIR_GUARD_WINDOW)");
  } else if (empty.total > 0) {
    notebook.note(fmt::format("{}: {} callers found no connection ready since the start, none now",
                              pool.name, empty.total),
                  "at the start and in spikes that is normal");
  }
}

void check_waiting(const PoolFacts& pool, Notebook& notebook) {
  const Reading timeouts = pool.read(Metric::pool_timeouts);
  const double max = pool.now(Metric::pool_max_open);
  const bool is_all_lent = max > 0 && pool.now(Metric::pool_in_use) >= max;
  const std::string more = is_all_lent
                               ? "all connections are lent: raise pool.max (FOREBAY_POOL_MAX), add "
                                 "instances, or make transactions shorter"
                               : "see why no more connections are opened: refill failures, rate, "
                                 "limit";
  if (timeouts.increase > 0) {
    notebook.error(fmt::format("{}: {} callers gave up waiting within {}", pool.name,
                               timeouts.increase, seen_for(pool)),
                   "their requests fail", more);
  } else if (timeouts.total > 0) {
    notebook.note(fmt::format("{}: {} callers gave up waiting since the start, none now", pool.name,
                              timeouts.total));
  }
  if (const double waiters = pool.now(Metric::pool_waiters); waiters > 0) {
    notebook.warning(fmt::format("{}: {} callers wait for a connection now", pool.name, waiters),
                     "demand is above what is open", more);
  }
}

void check_failures(const PoolFacts& pool, Notebook& notebook) {
  const bool is_empty = pool.now(Metric::reservoir_size) == 0;
  for (const auto& [reason, count] :
       pool.pages.reasons(Metric::reservoir_refill_failures, pool.labels)) {
    const ReasonAdvice& told = refill_failure_advice(reason);
    if (count.increase > 0) {
      notebook.add(is_empty ? Severity::error : Severity::warning,
                   fmt::format("{}: {} refills failed within {}: {}", pool.name, count.increase,
                               seen_for(pool), reason),
                   std::string(told.why), std::string(told.advice));
    } else {
      notebook.note(fmt::format("{}: {} refills failed since the start, none now: {}", pool.name,
                                count.total, reason),
                    std::string(told.why));
    }
  }
}

void check_discards(const PoolFacts& pool, Notebook& notebook) {
  const double opened = pool.now(Metric::reservoir_refills);
  for (const auto& [reason, count] : pool.pages.reasons(Metric::reservoir_discards, pool.labels)) {
    if (is_planned_discard(reason)) continue;
    const ReasonAdvice& told = discard_advice(reason);
    const double rate = pool.pages.per_second(count.increase);
    if (rate > kDiscardsToNote) {
      notebook.add(
          rate > kDiscardsToWarn ? Severity::warning : Severity::note,
          fmt::format("{}: {:.1f} connections a second are discarded: {}", pool.name, rate, reason),
          std::string(told.why), std::string(told.advice));
    } else if (count.total >= kManyDiscards && count.total > opened * kLargeShare) {
      notebook.note(fmt::format("{}: {} of {} connections opened were discarded: {}", pool.name,
                                count.total, opened, reason),
                    std::string(told.why), std::string(told.advice));
    }
  }
}

}  // namespace

void check_pool(const InstancePages& pages, const Labels& pool_labels, Notebook& notebook) {
  const PoolFacts pool{pages, pool_labels, shown(pool_labels)};
  check_size(pool, notebook);
  check_failures(pool, notebook);
  check_empty(pool, notebook);
  check_waiting(pool, notebook);
  check_discards(pool, notebook);
  if (const double leaks = pool.now(Metric::pool_leaks); leaks > 0) {
    notebook.warning(
        fmt::format("{}: {} connections were lent for longer than allowed", pool.name, leaks),
        "a connection that is not given back is missing for everybody else",
        "the log names the line of code that took it");
  }
}

}  // namespace forebay::doctor
