// Capacity: how many connections may exist. Approval: the right to one of them, open
// or being opened.
//
// Always: approvals in existence <= max, except that after set_max() made it smaller those above it
// live on until they are given back, and none is minted meanwhile. A capacity with a parent draws
// every approval from it as well, so many pools can share one budget.
//
// Thread-safe without a lock, because an approval gives itself back from whatever thread
// drops it last.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <utility>

namespace forebay {

class Capacity;

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
  // True: this capacity would approve, and the parent has nothing left.
  bool is_starved() const;

 private:
  friend class Approval;
  bool try_add();
  void give_back();

  int own_room() const;

  Capacity* const parent_;
  const std::function<void()> on_room_;
  std::atomic<int> max_;
  std::atomic<int> approved_{0};
};

}  // namespace forebay
