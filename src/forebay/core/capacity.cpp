#include "forebay/core/capacity.hpp"

#include <algorithm>

#include "forebay/detail/base/check.hpp"

namespace forebay {

Approval::~Approval() {
  if (capacity_ != nullptr) capacity_->give_back();
}

void Approval::give_back_to_pool() noexcept {
  if (capacity_ == nullptr) return;
  capacity_->subtract();
  capacity_ = capacity_->parent_;
}

Capacity::Capacity(int max, Capacity* parent, std::function<void()> on_room)
    : parent_(parent), on_room_(std::move(on_room)), max_(max) {
  FOREBAY_CHECK(max >= 0);
}

Capacity::~Capacity() { FOREBAY_CHECK(approved() == 0, "a capacity died before its approvals"); }

std::optional<Approval> Capacity::try_approve() {
  if (!try_add()) return std::nullopt;
  if (parent_ != nullptr && !try_take_grant() && !parent_->try_add()) {
    approved_.fetch_sub(1, std::memory_order_relaxed);
    return std::nullopt;
  }
  return Approval(*this);
}

void Capacity::set_max(int max) {
  FOREBAY_CHECK(max >= 0);
  max_.store(max, std::memory_order_relaxed);
}

int Capacity::own_room() const { return std::max(0, max() - approved()); }

int Capacity::room() const {
  if (parent_ == nullptr) return own_room();
  return std::min(own_room(), parent_->room() + granted_.load(std::memory_order_relaxed));
}

bool Capacity::try_grant(Capacity& child) {
  if (!try_add()) return false;
  child.granted_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool Capacity::try_take_grant() {
  int granted = granted_.load(std::memory_order_relaxed);
  while (granted > 0) {
    if (granted_.compare_exchange_weak(granted, granted - 1, std::memory_order_relaxed))
      return true;
  }
  return false;
}

void Capacity::return_grants() {
  while (try_take_grant()) parent_->give_back();
}

void Capacity::answer_call() {
  int calls = parent_->calls_.load(std::memory_order_relaxed);
  while (calls > 0 &&
         !parent_->calls_.compare_exchange_weak(calls, calls - 1, std::memory_order_relaxed)) {
  }
}

// Order does not matter to anyone but the counter itself: what the approval protects is handed over
// by the pool's own lock.
bool Capacity::try_add() {
  int approved = approved_.load(std::memory_order_relaxed);
  while (approved < max()) {
    if (approved_.compare_exchange_weak(approved, approved + 1, std::memory_order_relaxed))
      return true;
  }
  return false;
}

void Capacity::subtract() {
  const int before = approved_.fetch_sub(1, std::memory_order_relaxed);
  FOREBAY_CHECK(before > 0, "an approval was given back twice");
}

void Capacity::give_back() {
  subtract();
  if (parent_ != nullptr) parent_->give_back();
  if (on_room_) on_room_();
}

}  // namespace forebay
