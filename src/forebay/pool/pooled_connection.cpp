#include "forebay/pool/pooled_connection.hpp"

#include "forebay/base/check.hpp"
#include "forebay/pool/exchange.hpp"

namespace forebay {

void PooledConnection::give_back() {
  FOREBAY_CHECK(slot_ != nullptr, "an empty handle was given back");
  exchange_->give_back(*std::exchange(slot_, nullptr));
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
