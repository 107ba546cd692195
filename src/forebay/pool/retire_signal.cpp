#include "forebay/pool/retire_signal.hpp"

#include "forebay/detail/base/check.hpp"
#include "forebay/pool/exchange.hpp"

namespace forebay {

RetireSignal::~RetireSignal() {
  MutexLock lock(mutex_);
  FOREBAY_CHECK(pools_.empty(), "a retire signal died before its pools");
}

// No pool is told under the lock, and none dies before it has been told.
template <class Word>
void RetireSignal::call_each(Word word) {
  std::vector<Exchange*> told;
  {
    MutexLock lock(mutex_);
    told = pools_;
    for (Exchange* pool : told) pool->last_calls().begin();
  }
  for (Exchange* pool : told) {
    word(*pool);
    pool->last_calls().end();
  }
}

void RetireSignal::raise(DiscardReason reason) {
  call_each([reason](Exchange& pool) { pool.condemn_all(reason); });
}

int RetireSignal::shed(int most) {
  int shed = 0;
  call_each([&shed, most](Exchange& pool) {
    if (shed < most) shed += pool.shed(most - shed, DiscardReason::shrunk);
  });
  return shed;
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
