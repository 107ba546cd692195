// Budget: one cap over many pools of a process.
//
// Every connection of every pool that shares it holds one of its approvals, so their sum never
// exceeds max. A pool that finds no room stands in line here; room that comes back is granted to
// the first in line before it is woken, so nobody who comes later can take it. Who has no
// connection at all goes before who has some, and who only wants to be ready for later comes last.
// Thread-safe. It outlives its pools.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "forebay/base/intrusive_list.hpp"
#include "forebay/base/mutex.hpp"
#include "forebay/core/capacity.hpp"
#include "forebay/env/signal.hpp"

namespace forebay {

class Budget {
 public:
  // A pool's place in line.
  class Place {
   public:
    Place(Signal& attention, Capacity& capacity) : attention_(attention), capacity_(capacity) {}

   private:
    friend class Budget;
    Signal& attention_;
    Capacity& capacity_;
    RoomNeed need_ = RoomNeed::ahead;
    ListLink<Place> link_;
  };

  // on_short is called when somebody has begun to stand in line, or needs room more than before,
  // without a lock, on the thread of the pool.
  explicit Budget(int max, std::function<void()> on_short = {})
      : on_short_(std::move(on_short)), capacity_(max, nullptr, [this] { pass_on(); }) {}

  // To less: nothing is opened until enough are gone; what is open above it lives on.
  void set_max(int max);
  int max() const { return capacity_.max(); }
  int in_use() const { return capacity_.approved(); }

  // For pools.
  Capacity& capacity() { return capacity_; }
  // Once more: keeps its place, unless the need is another. Its signal is notified when it has been
  // granted room; then it is no longer in line.
  void stand_in_line(Place& place, RoomNeed need);
  void leave_line(Place& place);

  // For whoever makes room.
  int in_line(RoomNeed need) const;
  // Room, and approvals that are about to come back.
  int coming() const { return capacity_.room() + capacity_.going(); }
  // So many connections that come back where they are not needed, or have to be yielded, go away.
  // Never more than there are in line.
  void call(int approvals);
  std::uint64_t grants() const;  // since it was made

 private:
  using Line = IntrusiveList<Place, &Place::link_>;
  Line& line(RoomNeed need) FOREBAY_REQUIRES(mutex_) {
    return lines_[static_cast<std::size_t>(need)];
  }
  void pass_on();
  int all_in_line() const FOREBAY_REQUIRES(mutex_);
  void limit_calls() FOREBAY_REQUIRES(mutex_);

  const std::function<void()> on_short_;
  mutable Mutex mutex_;
  std::array<Line, kRoomNeeds> lines_ FOREBAY_GUARDED_BY(mutex_);
  std::uint64_t grants_ FOREBAY_GUARDED_BY(mutex_) = 0;
  Capacity capacity_;
};

}  // namespace forebay
