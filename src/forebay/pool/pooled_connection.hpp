// PooledConnection: the handle a caller holds. Its destructor gives the connection back.
//
// Move-only. It may be used and dropped on any thread, by one at a time. The pool outlives it.
#pragma once

#include <cstdint>
#include <utility>

#include "forebay/core/discard_reason.hpp"
#include "forebay/pool/connection_slot.hpp"

namespace forebay {

class Exchange;

// Who took a connection: a thread may be slowed down a little when it gives connections back faster
// than they can be cleared, an event loop never.
enum class Holder : std::uint8_t { loop, thread };

class [[nodiscard]] PooledConnection {
 public:
  PooledConnection() = default;  // holds nothing
  PooledConnection(Exchange& exchange, ConnectionSlot& slot, Holder holder)
      : exchange_(&exchange), slot_(&slot), holder_(holder) {}
  PooledConnection(PooledConnection&& other) noexcept
      : exchange_(other.exchange_),
        slot_(std::exchange(other.slot_, nullptr)),
        holder_(other.holder_) {}
  PooledConnection& operator=(PooledConnection&& other) noexcept {
    PooledConnection moved(std::move(other));
    std::swap(exchange_, moved.exchange_);
    std::swap(slot_, moved.slot_);
    std::swap(holder_, moved.holder_);
    return *this;
  }
  ~PooledConnection() {
    if (slot_ != nullptr) give_back_slot(*exchange_, *slot_, holder_);
  }

  explicit operator bool() const { return slot_ != nullptr; }
  Connection& connection() const { return *slot_->connection; }  // REQUIRES: it holds one
  std::uint64_t id() const { return slot_->id; }
  Instant stale_at() const { return slot_->stale_at; }  // from then on it would not be handed out

  // Each of these leaves the handle empty.
  void give_back();    // cleaned, mostly in the background, then ready for the next caller
  void discard();      // closed in the background
  void mark_broken();  // as discard, and the pool looks at its other connections too

 private:
  static void give_back_slot(Exchange& exchange, ConnectionSlot& slot, Holder holder);

  Exchange* exchange_ = nullptr;
  ConnectionSlot* slot_ = nullptr;
  Holder holder_ = Holder::loop;
};

}  // namespace forebay
