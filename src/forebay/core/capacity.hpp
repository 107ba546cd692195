// Capacity: how many connections may exist. Approval: the right to one of them, open
// or being opened.
//
// Always: approvals in existence <= max, except that after set_max() made it smaller those above it
// live on until they are given back, and none is minted meanwhile. A capacity with a parent draws
// every approval from it as well, so many pools can share one budget.
//
// A parent without room can serve its children in turn: room that it has for one of them it grants
// ahead, and counts as used from then on. And it can call for a number of approvals back, from
// those that can spare one.
//
// Thread-safe without a lock, because an approval gives itself back from whatever thread
// drops it last.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace forebay {

class Capacity;

// Why a pool stands in line for room of its parent, the most pressing first.
enum class RoomNeed : std::uint8_t {
  empty_handed,  // somebody waits, and it has no connection at all
  waiting,       // somebody waits
  ahead,         // nobody waits yet: it wants to be ready
};
inline constexpr std::size_t kRoomNeeds = 3;

// Move-only; its destructor gives the capacity back, so no early return and no lost task
// can leak it.
class Approval {
 public:
  Approval(Approval&& other) noexcept : capacity_(std::exchange(other.capacity_, nullptr)) {}
  Approval& operator=(Approval&& other) noexcept {
    Approval moved(std::move(other));
    std::swap(capacity_, moved.capacity_);
    return *this;
  }
  ~Approval();

  // Gives back the pool's own part now, in memory. What is left is that of the parent, if it has
  // one, which may have to wake somebody when it comes back: for after the pool's lock.
  void give_back_to_pool() noexcept;

 private:
  friend class Capacity;
  explicit Approval(Capacity& capacity) noexcept : capacity_(&capacity) {}

  Capacity* capacity_;
};

class Capacity {
 public:
  // on_room is called after each approval that comes back, on whatever thread dropped it.
  explicit Capacity(int max, Capacity* parent = nullptr, std::function<void()> on_room = {});
  Capacity(const Capacity&) = delete;
  Capacity& operator=(const Capacity&) = delete;
  ~Capacity();  // REQUIRES: every approval is back

  std::optional<Approval> try_approve();
  void set_max(int max);

  int max() const { return max_.load(std::memory_order_relaxed); }
  int approved() const { return approved_.load(std::memory_order_relaxed); }
  // How many more could be approved now; another pool may take them first if the parent is shared.
  int room() const;
  // The same, as if the parent had room without end.
  int own_room() const;

  // ---- between a parent and its children

  // The parent's: false if it has no room itself.
  bool try_grant(Capacity& child);
  // The child's: what it was granted and does not want after all.
  void return_grants();

  // How many approvals of all children are on their way back: their connections are being closed.
  int going() const { return going_.load(std::memory_order_relaxed); }
  void note_going(int change) {  // a child's
    if (parent_ != nullptr) parent_->going_.fetch_add(change, std::memory_order_relaxed);
  }

  void call(int approvals) { calls_.store(approvals, std::memory_order_relaxed); }
  int calls() const { return calls_.load(std::memory_order_relaxed); }
  // A child's: whether its parent calls, and that it now gives one back.
  bool is_called() const { return parent_ != nullptr && parent_->calls() > 0; }
  void answer_call();

 private:
  friend class Approval;
  bool try_add();
  bool try_take_grant();
  void subtract();
  void give_back();

  Capacity* const parent_;
  const std::function<void()> on_room_;
  std::atomic<int> max_;
  std::atomic<int> approved_{0};
  std::atomic<int> granted_{0};  // by the parent, which counts them as approved
  std::atomic<int> going_{0};
  std::atomic<int> calls_{0};
};

}  // namespace forebay
