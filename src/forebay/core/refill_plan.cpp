#include "forebay/core/refill_plan.hpp"

#include <algorithm>
#include <cmath>

namespace forebay {
namespace {

// How many connects a wait justifies, and when one more would be justified.
struct Ramp {
  int in_flight = 0;
  Instant steeper_at = kNever;
};

Ramp ramp(int wanted, Duration waited, Duration connect_time, Instant now) {
  Ramp result;
  if (wanted <= 0) return result;
  const std::int64_t steps = waited / connect_time;
  const std::int64_t allowed = std::min<std::int64_t>(wanted, steps + 1);
  result.in_flight = static_cast<int>(allowed);
  if (allowed < wanted) result.steeper_at = now + (connect_time * (steps + 1) - waited);
  return result;
}

// How many connects the length of the line justifies at once, by Little's law.
int justified_by_line(const SupplyCounts& counts) {
  if (!counts.hold_time) return 0;
  const double needed =
      std::ceil(counts.waiters * (static_cast<double>(counts.hold_time->count()) /
                                  static_cast<double>(counts.connect_time.count())));
  const int open = counts.ready + counts.cleaning + counts.lent;
  return static_cast<int>(std::clamp(needed - open, 0.0, static_cast<double>(counts.waiters)));
}

// Connections that are ready, or will be in a moment, and are going to stay.
int staying(const SupplyCounts& counts) { return counts.ready + counts.cleaning - counts.leaving; }

// How many connections the keeper misses, beside those that are on their way.
int keeper_deficit(const SupplyRule& rule, const SupplyCounts& counts, int opening) {
  if (rule.mode != Supply::standard) return 0;
  const int existing = staying(counts) + counts.lent - counts.leaving_lent + opening;
  return std::max(0, rule.keep_open - existing);
}

// How many more the server admits, as far as it has let on.
int admitted(const SupplyCounts& counts, Instant now) {
  if (counts.server_room == std::numeric_limits<int>::max()) return counts.server_room;
  return std::max(0, counts.server_room + (now >= counts.beyond_from ? counts.beyond : 0));
}

}  // namespace

int keeper_quota(int size) { return std::min(10, (size + 119) / 120); }

RefillDecision plan_refill(const SupplyRule& rule, const SupplyCounts& counts, Instant now) {
  RefillDecision decision;
  const int shortage = rule.target() - staying(counts);
  const bool is_reservoir = rule.mode == Supply::reservoir;
  const int bulk = is_reservoir ? shortage : shortage - (counts.lent - counts.leaving_lent);
  const Ramp demand = ramp(counts.waiters, counts.longest_wait, counts.connect_time, now);
  const Ramp idle = ramp(is_reservoir ? 0 : shortage, counts.short_for, counts.connect_time, now);
  const int in_flight =
      std::max({0, bulk, demand.in_flight, justified_by_line(counts), idle.in_flight});
  const int most_opening =
      counts.is_probing
          ? std::min(std::max(1, counts.opening + counts.replaceable), rule.max_opening)
          : rule.max_opening;
  const int own = std::min(counts.room, std::max(0, most_opening - counts.opening));
  const int allowed = std::min(own, admitted(counts, now));
  decision.open = std::clamp(in_flight - counts.opening, 0, allowed);

  const int missing = std::min(keeper_deficit(rule, counts, counts.opening + decision.open),
                               allowed - decision.open);
  if (missing > 0 && now >= counts.keeper_from) {
    decision.opened_by_keeper = std::min(missing, keeper_quota(rule.keep_open));
    decision.open += decision.opened_by_keeper;
    if (missing > decision.opened_by_keeper) decision.wake_at = now + kKeeperTick;
  } else if (missing > 0) {
    decision.wake_at = counts.keeper_from;
  }

  // In a full pool a longer wait changes nothing: then there is nothing to wake up for.
  if (allowed > decision.open) {
    decision.wake_at = std::min({decision.wake_at, demand.steeper_at, idle.steeper_at});
  }
  // What a full server keeps from us may be tried for then.
  if (allowed < own && now < counts.beyond_from)
    decision.wake_at = std::min(decision.wake_at, counts.beyond_from);
  if (decision.open > 0 && now < counts.backoff_until) {
    const int replaced = std::min(decision.open, counts.replaceable);
    decision = RefillDecision();
    decision.open = replaced;
    decision.wake_at = counts.backoff_until;
  }
  return decision;
}

int unmet_demand(const SupplyRule& rule, const SupplyCounts& counts) {
  const int ready_deficit =
      std::max(rule.target() - staying(counts), counts.waiters) - counts.opening;
  return std::max({0, ready_deficit, keeper_deficit(rule, counts, counts.opening)});
}

}  // namespace forebay
