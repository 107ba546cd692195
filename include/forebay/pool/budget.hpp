// Budget: one cap over many pools of a process.
//
// Every connection of every pool that shares it holds one of its approvals, so their sum never
// exceeds max. A pool that finds no room stands in line here; room that comes back is granted to
// the first in line before it is woken, so nobody who comes later can take it. Pools
// without any connection go first, those that only want to be ready for later come last.
// Thread-safe. It outlives its pools.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace forebay {

class Capacity;
enum class RoomNeed : std::uint8_t;

class Budget {
 public:
  // on_short is called when somebody has begun to stand in line, or needs room more than before,
  // without a lock, on the thread of the pool.
  explicit Budget(int max, std::function<void()> on_short = {});
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;
  ~Budget();

  // To less: nothing is opened until enough are gone; what is open above it lives on.
  void set_max(int max);
  int max() const;
  int in_use() const;

  // For pools.
  class Place;  // in line
  Capacity& capacity();
  // Once more: keeps its place, unless the need is another. Its signal is notified when it has been
  // granted room; then it is no longer in line.
  void stand_in_line(Place& place, RoomNeed need);
  void leave_line(Place& place);

  // For the code that makes room.
  int in_line(RoomNeed need) const;
  // Room, and approvals that are about to come back.
  int coming() const;
  // How many connections that come back where they are not needed, or have to be yielded, go away.
  // Never more than there are in line.
  void call(int approvals);
  std::uint64_t grants() const;  // since it was made

 private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace forebay
