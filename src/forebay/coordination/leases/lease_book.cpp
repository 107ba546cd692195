#include "forebay/coordination/leases/lease_book.hpp"

#include <algorithm>

#include "forebay/detail/base/check.hpp"

namespace forebay {

LeaseBook::LeaseBook(std::string name) : name_(std::move(name)) { next_lease(); }

void LeaseBook::hand_out() {
  ++in_use_;
  least_stock_ = std::min(least_stock_, stock());
}

void LeaseBook::take_back() {
  FOREBAY_CHECK(in_use_ > 0);
  --in_use_;
}

int LeaseBook::surplus() const { return std::min(least_stock_, stock()); }

LeaseChange LeaseBook::request() const {
  return LeaseChange(id_, sequence_ + 1, change_->connections);
}

void LeaseBook::begin(Change change) {
  FOREBAY_CHECK(!change_ && change.connections > 0);
  change_ = change;
}

void LeaseBook::begin_acquire(int connections, int limit, Instant now) {
  begin(Change{Change::Kind::acquire, connections, limit, now});
}

void LeaseBook::begin_release(int connections, Instant now) {
  FOREBAY_CHECK(connections <= stock());
  begin(Change{Change::Kind::release, connections, 0, now});
  held_ -= connections;
}

void LeaseBook::end_granted(int held) {
  FOREBAY_CHECK(change_ && change_->kind == Change::Kind::acquire);
  held_ = held;
  has_lease_ = true;
  end_change();
}

void LeaseBook::end_refused() {
  FOREBAY_CHECK(change_ && change_->kind == Change::Kind::acquire);
  change_.reset();
}

void LeaseBook::end_released(int held) {
  FOREBAY_CHECK(change_ && change_->kind == Change::Kind::release);
  held_ = held;
  end_change();
  if (held_ == 0) next_lease();
}

void LeaseBook::end_change() {
  change_.reset();
  ++sequence_;
}

void LeaseBook::lose() {
  held_ = 0;
  least_stock_ = 0;
  change_.reset();
  ++losses_;
  next_lease();
}

void LeaseBook::next_lease() {
  has_lease_ = false;
  sequence_ = 0;
  id_ = name_ + "." + std::to_string(++lease_number_);
}

}  // namespace forebay
