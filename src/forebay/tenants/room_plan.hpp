// Who makes room when tenants want more connections than there are: a pure function of how each
// tenant stands.
//
// A tenant's share is the budget divided by the tenants that want something, at least one. Room is
// made for tenants that stand in line, in this order:
//
//   1. For one below its share: the least recently used idle pools are closed; then what is
//      ready in busy pools is closed; then connections that come back are called for: from pools
//      that have nobody waiting for them, and from those above their share even then. If nobody is
//      above the share and somebody has nothing at all, those who have had theirs for a
//      stint give it up in turn.
//   2. For one with its share, or to be ready ahead of demand: idle pools that have not been used
//      for a stint are closed; for the sake of being ready only if they were used less recently.
//
// What cannot be done now is looked at again after a stint.
#pragma once

#include <cstddef>
#include <vector>

#include "forebay/env/time.hpp"

namespace forebay {

struct TenantStanding {
  int held = 0;  // connections, open or being opened, but for those that are being closed
  int ready = 0;
  int lent = 0;
  int waiters = 0;
  bool is_pinned = false;   // somebody is about to take or to wait
  bool lacks_room = false;  // it stands in line
  Instant last_used{};
  Instant stint_began{};  // since when it has had something

  bool is_wanting() const { return lent > 0 || waiters > 0 || is_pinned; }
  bool is_idle() const { return !is_wanting() && held > 0; }
};

struct RoomRule {
  int budget = 0;
  Duration stint{};
};

struct Shedding {
  std::size_t pool = 0;
  int connections = 0;
};

struct RoomPlan {
  std::vector<std::size_t> close;  // whole pools
  std::vector<Shedding> shed;      // ready connections of pools
  std::vector<int> yields;         // of each: how many it gives up although somebody waits for them
  int calls = 0;                   // how many are to go as they come back
  Instant wake_at = kNever;
};

// The standings are in the order of use, least recent first; coming is room that there is or
// soon will be.
RoomPlan plan_room(const std::vector<TenantStanding>& standings, const RoomRule& rule, int coming,
                   Instant now);

}  // namespace forebay
