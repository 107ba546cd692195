#include "forebay/pool/pooled_connection.hpp"

#include "forebay/base/misuse.hpp"
#include "forebay/pool/exchange.hpp"

namespace forebay {

void PooledConnection::give_back_slot(Exchange& exchange, ConnectionSlot& slot, Holder holder) {
  exchange.give_back(slot, holder);
}

void PooledConnection::stop_for_emptiness() const {
  switch (why_empty_) {
    case WhyEmpty::never_held:
      stop_for_misuse("a session was used that never held a connection; acquire one first");
    case WhyEmpty::moved:
      stop_for_misuse(
          "the session acquired here was used after it had been moved away; use the one it was "
          "moved to",
          place_);
    case WhyEmpty::given_back:
      stop_for_misuse("the session that was given back here was used again; acquire another one",
                      place_);
  }
  std::unreachable();
}

ConnectionSlot& PooledConnection::let_go(const std::source_location& from) {
  ConnectionSlot& held = slot();
  slot_ = nullptr;
  why_empty_ = WhyEmpty::given_back;
  place_ = from;
  return held;
}

Connection& PooledConnection::connection() const {
  ConnectionSlot& held = slot();
  held.user.store(thread_mark(), std::memory_order_relaxed);
  held.connection->set_held(true);
  return *held.connection;
}

std::uint64_t PooledConnection::id() const { return slot().id; }

Instant PooledConnection::stale_at() const { return slot().stale_at; }

Instant PooledConnection::taken_at() const { return slot().taken_at; }

void PooledConnection::give_back(std::source_location from) {
  exchange_->give_back(let_go(from), holder_);
}

void PooledConnection::discard(std::source_location from) {
  exchange_->discard(let_go(from), DiscardReason::discarded);
}

void PooledConnection::mark_broken(std::source_location from) {
  exchange_->discard(let_go(from), DiscardReason::broken);
}

}  // namespace forebay
