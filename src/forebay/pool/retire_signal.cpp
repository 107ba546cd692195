#include "forebay/pool/retire_signal.hpp"

#include "forebay/base/check.hpp"
#include "forebay/pool/exchange.hpp"

namespace forebay {

RetireSignal::~RetireSignal() {
  MutexLock lock(mutex_);
  FOREBAY_CHECK(pools_.empty(), "a retire signal died before its pools");
}

// Under the lock, so that no pool dies while it is being told.
void RetireSignal::raise(DiscardReason reason) {
  MutexLock lock(mutex_);
  for (Exchange* pool : pools_) pool->condemn_all(reason);
}

void RetireSignal::join(Exchange& exchange) {
  MutexLock lock(mutex_);
  pools_.push_back(&exchange);
}

void RetireSignal::leave(Exchange& exchange) {
  MutexLock lock(mutex_);
  std::erase(pools_, &exchange);
}

}  // namespace forebay
