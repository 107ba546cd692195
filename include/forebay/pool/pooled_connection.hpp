// PooledConnection: the handle a caller holds. Its destructor gives the connection back.
//
// Move-only. It may be used and dropped on any thread, by one at a time. The pool outlives it.
#pragma once

#include <cstdint>
#include <source_location>
#include <utility>

#include "forebay/env/time.hpp"

namespace forebay {

class Connection;
class Exchange;
struct ConnectionSlot;

// Who took a connection: a thread may be slowed down a little when it gives connections back faster
// than they can be cleared, an event loop never.
enum class Holder : std::uint8_t { loop, thread };

class [[nodiscard]] PooledConnection {
 public:
  PooledConnection() = default;  // holds nothing
  inline PooledConnection(Exchange& exchange, ConnectionSlot& slot, Holder holder);
  PooledConnection(PooledConnection&& other) noexcept
      : exchange_(other.exchange_),
        slot_(std::exchange(other.slot_, nullptr)),
        holder_(other.holder_),
        why_empty_(std::exchange(other.why_empty_, WhyEmpty::moved)),
        place_(other.place_) {}
  PooledConnection& operator=(PooledConnection&& other) noexcept {
    PooledConnection moved(std::move(other));
    std::swap(exchange_, moved.exchange_);
    std::swap(slot_, moved.slot_);
    std::swap(holder_, moved.holder_);
    std::swap(why_empty_, moved.why_empty_);
    std::swap(place_, moved.place_);
    return *this;
  }
  ~PooledConnection() {
    if (slot_ != nullptr) give_back_slot(*exchange_, *slot_, holder_);
  }

  explicit operator bool() const { return slot_ != nullptr; }
  // All of these stop the process, with a sentence, if it holds none.
  Connection& connection() const;
  std::uint64_t id() const;
  Instant stale_at() const;  // from then on it would not be handed out
  Instant taken_at() const;  // when it was lent

  // Each of these leaves the handle empty.
  // Cleaned, mostly in the background, then ready for the next caller.
  void give_back(std::source_location from = std::source_location::current());
  // Closed in the background.
  void discard(std::source_location from = std::source_location::current());
  // As discard, and the pool looks at its other connections too.
  void mark_broken(std::source_location from = std::source_location::current());

 private:
  enum class WhyEmpty : std::uint8_t { never_held, moved, given_back };

  static void give_back_slot(Exchange& exchange, ConnectionSlot& slot, Holder holder);
  [[noreturn]] void stop_for_emptiness() const;
  ConnectionSlot& slot() const {
    if (slot_ == nullptr) stop_for_emptiness();
    return *slot_;
  }
  ConnectionSlot& let_go(const std::source_location& from);

  Exchange* exchange_ = nullptr;
  ConnectionSlot* slot_ = nullptr;
  Holder holder_ = Holder::loop;
  WhyEmpty why_empty_ = WhyEmpty::never_held;
  std::source_location place_;  // where it was acquired; once given back, where that was
};

}  // namespace forebay
