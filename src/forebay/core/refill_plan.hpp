// What a pool should open now, as a pure function of its counts. A supply mode is this
// and nothing else.
//
// Two ways to want connections. Bulk brings the number of ready ones up to a target, all at once;
// the pacer is its only throttle. Trickle answers callers who wait, and is careful, because a
// connection in use may come back sooner than a new one opens:
//
//   ramp = 1 + floor(longest wait / observed connect time)
//   law  = ceil(waiters * observed hold / observed connect time) - open
//   in flight = min(waiters, max(ramp, law), room)
//
// The law is Little's: that many connections serve the line within the time of one connect. It
// needs to know how long loans last; the ramp does not, and goes on where the law has erred.
//
// The ramp also holds for min_idle while its connections are only lent, not lost: they come back.
//
// Fifty callers who will be served by five returning connections within 20 ms open one; two hundred
// with statements of 5 ms, and connects of 50 ms, open twenty at once, not two hundred and not one
// by one.
#pragma once

#include <limits>
#include <optional>

#include "forebay/core/supply.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

struct SupplyRule {
  Supply mode = Supply::standard;
  int target_ready = 0;  // reservoir
  int min_idle = 0;      // standard
  int keep_open = 0;     // standard: the size that warm-up reaches and the keeper holds
  int max_opening = 0;   // most connects in flight at once

  int target() const { return mode == Supply::reservoir ? target_ready : min_idle; }
};

struct SupplyCounts {
  int ready = 0;
  int lent = 0;
  int cleaning = 0;  // given back or being checked: ready again in a moment
  int opening = 0;
  int leaving = 0;       // of ready and cleaning: about to be retired
  int leaving_lent = 0;  // of lent
  int waiters = 0;
  int room = 0;  // approvals to be had
  // What a full server has for us beside those on their way, and how many above that may be tried
  // from then on.
  int server_room = std::numeric_limits<int>::max();
  int beyond = 0;
  Instant beyond_from{};
  Duration longest_wait{};
  Duration short_for{};  // how long fewer than min_idle have been ready
  Duration connect_time = Duration(1);
  std::optional<Duration> hold_time;  // how long a loan lasts; nothing: none has ended yet
  Instant backoff_until{};            // after failures nothing is opened before
  bool is_probing = false;            // the last connects failed: one at a time until one succeeds
  int replaceable = 0;                // so many all the same: a full cluster has them for us
  Instant keeper_from{};              // the keeper opens nothing before
};

struct RefillDecision {
  int open = 0;
  int opened_by_keeper = 0;  // of these; each use of the keeper starts a new tick
  Instant wake_at = kNever;  // when the answer may change although nothing happened
};

// The keeper replaces what lifetimes took, slowly: ceil(size / 120) a tick, at most ten.
inline constexpr Duration kKeeperTick = std::chrono::seconds(1);
int keeper_quota(int size);

RefillDecision plan_refill(const SupplyRule& rule, const SupplyCounts& counts, Instant now);

// How many more would be wanted if nothing limited the pace, when counts.opening are on
// their way already.
int unmet_demand(const SupplyRule& rule, const SupplyCounts& counts);

}  // namespace forebay
