#include "forebay/tenants/room_plan.hpp"

#include <algorithm>

namespace forebay {
namespace {

// How many tenants stand in line, by what they may ask of others.
struct Needs {
  int below_share = 0;
  int rest = 0;   // have their share
  int ahead = 0;  // nobody waits for it
  bool has_empty_handed = false;
};

class Planner {
 public:
  Planner(const std::vector<TenantStanding>& standings, const RoomRule& rule, Instant now)
      : standings_(standings), rule_(rule), now_(now) {
    plan_.yields.resize(standings.size());
    int wanting = 0;
    for (const TenantStanding& each : standings_) wanting += each.is_wanting() ? 1 : 0;
    share_ = std::max(1, rule.budget / std::max(1, wanting));
    for (const TenantStanding& each : standings_) count_need(each);
  }

  RoomPlan make(int coming) {
    int missing = needs_.below_share - coming;
    int left_over = std::max(0, -missing);
    if (missing > 0) {
      missing = close_idle(missing);
      left_over = std::max(0, -missing);
    }
    if (missing > 0) missing = shed_ready(missing);
    if (missing > 0) call_back(missing);
    const int for_rest = std::min(left_over, needs_.rest);
    needs_.rest -= for_rest;
    needs_.ahead -= std::min(left_over - for_rest, needs_.ahead);
    close_unused();
    if (missing > 0 || needs_.rest > 0 || needs_.ahead > 0) wake_no_later_than(now_ + rule_.stint);
    return std::move(plan_);
  }

 private:
  void count_need(const TenantStanding& each) {
    if (!each.lacks_room) return;
    if (each.waiters == 0) {
      ++needs_.ahead;
    } else if (each.held < share_) {
      ++needs_.below_share;
      if (each.held == 0) needs_.has_empty_handed = true;
    } else {
      ++needs_.rest;
    }
  }

  // Each of these makes room and says how much is missing still; negative: there is more.
  int close_idle(int missing) {
    for (std::size_t i = 0; i < standings_.size() && missing > 0; ++i) {
      if (standings_[i].is_idle()) missing -= close(i);
    }
    return missing;
  }
  int shed_ready(int missing) {
    for (std::size_t i = 0; i < standings_.size() && missing > 0; ++i) {
      const TenantStanding& each = standings_[i];
      if (each.ready == 0 || each.lent == 0) continue;
      Shedding shedding;
      shedding.pool = i;
      shedding.connections = std::min(each.ready, missing);
      missing -= shedding.connections;
      plan_.shed.push_back(shedding);
    }
    return missing;
  }

  void call_back(int missing) {
    plan_.calls = missing;
    bool is_anybody_above = false;
    for (std::size_t i = 0; i < standings_.size(); ++i) {
      const int above = standings_[i].held - share_;
      if (above <= 0) continue;
      plan_.yields[i] = above;
      is_anybody_above = true;
    }
    if (!is_anybody_above && needs_.has_empty_handed) take_turns();
  }
  void take_turns() {
    for (std::size_t i = 0; i < standings_.size(); ++i) {
      const TenantStanding& each = standings_[i];
      if (each.held == 0 || each.waiters == 0) continue;
      if (now_ - each.stint_began >= rule_.stint) {
        plan_.yields[i] = 1;
      } else {
        wake_no_later_than(each.stint_began + rule_.stint);
      }
    }
  }

  void close_unused() {
    for (std::size_t i = 0; i < standings_.size(); ++i) {
      if (needs_.rest + needs_.ahead <= 0) return;
      const TenantStanding& each = standings_[i];
      // To be ready ahead of demand, nothing is taken from tenants used more recently.
      if (each.lacks_room && each.waiters == 0 && needs_.ahead > 0) --needs_.ahead;
      if (!each.is_idle() || is_closed(i) || needs_.rest + needs_.ahead <= 0) continue;
      if (now_ - each.last_used < rule_.stint) {
        wake_no_later_than(each.last_used + rule_.stint);
        return;  // those behind it have been used more recently
      }
      const int made = close(i);
      const int for_rest = std::min(made, needs_.rest);
      needs_.rest -= for_rest;
      needs_.ahead = std::max(0, needs_.ahead - (made - for_rest));
    }
  }

  int close(std::size_t i) {
    plan_.close.push_back(i);
    return standings_[i].held;
  }
  bool is_closed(std::size_t i) const {
    return std::ranges::find(plan_.close, i) != plan_.close.end();
  }
  void wake_no_later_than(Instant time) { plan_.wake_at = std::min(plan_.wake_at, time); }

  const std::vector<TenantStanding>& standings_;
  const RoomRule& rule_;
  const Instant now_;
  int share_ = 1;
  Needs needs_;
  RoomPlan plan_;
};

}  // namespace

RoomPlan plan_room(const std::vector<TenantStanding>& standings, const RoomRule& rule, int coming,
                   Instant now) {
  return Planner(standings, rule, now).make(coming);
}

}  // namespace forebay
