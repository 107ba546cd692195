#include "forebay/core/capacity.hpp"

#include <algorithm>

#include "forebay/base/check.hpp"

namespace forebay {

Approval::~Approval() {
  if (capacity_ != nullptr) capacity_->give_back();
}

Capacity::Capacity(int max, Capacity* parent, std::function<void()> on_room)
    : parent_(parent), on_room_(std::move(on_room)), max_(max) {
  FOREBAY_CHECK(max >= 0);
}

Capacity::~Capacity() { FOREBAY_CHECK(approved() == 0, "a capacity died before its approvals"); }

std::optional<Approval> Capacity::try_approve() {
  if (!try_add()) return std::nullopt;
  if (parent_ != nullptr && !parent_->try_add()) {
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
  return parent_ != nullptr ? std::min(own_room(), parent_->room()) : own_room();
}

bool Capacity::is_starved() const {
  return parent_ != nullptr && own_room() > 0 && parent_->room() == 0;
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

void Capacity::give_back() {
  const int before = approved_.fetch_sub(1, std::memory_order_relaxed);
  FOREBAY_CHECK(before > 0, "an approval was given back twice");
  if (parent_ != nullptr) parent_->give_back();
  if (on_room_) on_room_();
}

}  // namespace forebay
