#include "forebay/pool/pooled_connection.hpp"

#include "forebay/base/check.hpp"
#include "forebay/pool/exchange.hpp"

namespace forebay {

void PooledConnection::give_back_slot(Exchange& exchange, ConnectionSlot& slot, Holder holder) {
  exchange.give_back(slot, holder);
}

void PooledConnection::give_back() {
  FOREBAY_CHECK(slot_ != nullptr, "an empty handle was given back");
  exchange_->give_back(*std::exchange(slot_, nullptr), holder_);
}

void PooledConnection::discard() {
  FOREBAY_CHECK(slot_ != nullptr, "an empty handle was discarded");
  exchange_->discard(*std::exchange(slot_, nullptr), DiscardReason::discarded);
}

void PooledConnection::mark_broken() {
  FOREBAY_CHECK(slot_ != nullptr, "an empty handle was marked broken");
  exchange_->discard(*std::exchange(slot_, nullptr), DiscardReason::broken);
}

}  // namespace forebay
