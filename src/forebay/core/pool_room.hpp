// PoolRoom: how many connections a pool may have, and its part in sharing that with others.
//
//  * Of its own: max, and how far a resize to less has left it above.
//  * Of a budget that it shares: whether it lacks room there and how badly, and what it owes when
//    the budget calls for connections back: one that comes back goes if nobody waits for it here;
//    and some do although somebody waits (yields), if they have served somebody here.
//
// Who stands in line for room, and who makes it, is decided elsewhere: by Budget and plan_room().
#pragma once

#include <optional>

#include "forebay/core/capacity.hpp"

namespace forebay {

class PoolRoom {
 public:
  PoolRoom(int max, Capacity* budget) : capacity_(max, budget) {}

  std::optional<Approval> try_approve() { return capacity_.try_approve(); }
  int approved() const { return capacity_.approved(); }
  int free() const { return capacity_.room(); }
  int free_of_own() const { return capacity_.own_room(); }  // as if the budget had room without end
  Capacity& capacity() { return capacity_; }                // for a budget to grant it room

  void resize(int max);
  // More than max, without those on their way out.
  bool is_over() const { return is_shrinking_ && approved() - going_ > capacity_.max(); }
  // All that could go for a resize has gone: it is over once no more than max are left.
  void note_shrunk() { is_shrinking_ = approved() > capacity_.max(); }

  // A connection is on its way out, or it is gone. Others of the budget count on it.
  void note_going(int change) {
    going_ += change;
    capacity_.note_going(change);
  }
  int going() const { return going_; }

  // Nothing is asked of what comes back.
  bool is_at_rest() const { return !is_shrinking_ && !capacity_.is_called(); }
  void set_yields(int yields) { yields_ = yields; }
  // Whether one that comes back goes for others. What has just been opened serves the caller that
  // waits for it before it can be yielded: with more tenants than connections nobody would ever be
  // served.
  bool is_called(bool is_awaited, bool has_served) const {
    return capacity_.is_called() && (!is_awaited || (yields_ > 0 && has_served));
  }
  // It goes.
  void answer_call(bool is_awaited) {
    capacity_.answer_call();
    if (is_awaited) --yields_;
  }

  // Whether the pool would have opened more when it last looked, but the budget had no room.
  void set_lacking(bool is_lacking) { is_lacking_ = is_lacking; }
  bool is_lacking() const { return is_lacking_; }
  // Why it should stand in line for room of the budget; nothing: it should not.
  std::optional<RoomNeed> need(bool is_awaited) const;

  void audit() const;

 private:
  Capacity capacity_;
  int going_ = 0;
  int yields_ = 0;
  int allowed_over_ = 0;       // how far a resize to less left us above max
  bool is_shrinking_ = false;  // there may be more than max
  bool is_lacking_ = false;
};

}  // namespace forebay
