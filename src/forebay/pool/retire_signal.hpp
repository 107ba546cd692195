// RetireSignal: one word to all pools that have joined that what they have open must go: all of it,
// or some that are ready.
//
// A process that may lose its lease on the cluster's connections raises it. Pools join when they
// are made and leave when they die; the one that raises it promises to wait `notice` before it
// counts on the connections being gone, and the pools keep their time limits within that. What a
// caller holds for longer is closed when it comes back, and not before; how long a close takes is
// the server's. Thread-safe. It outlives its pools.
#pragma once

#include <vector>

#include "forebay/core/discard_reason.hpp"
#include "forebay/detail/base/mutex.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

class Exchange;

class RetireSignal {
 public:
  explicit RetireSignal(Duration notice) : notice_(notice) {}
  RetireSignal(const RetireSignal&) = delete;
  RetireSignal& operator=(const RetireSignal&) = delete;
  ~RetireSignal();  // REQUIRES: all have left

  void raise(DiscardReason reason);
  // Closes ready connections, for other processes, and says how many.
  int shed(int most);
  Duration notice() const { return notice_; }

  // For pools.
  void join(Exchange& exchange);
  void leave(Exchange& exchange);

 private:
  template <class Word>
  void call_each(Word word);

  const Duration notice_;
  Mutex mutex_;
  std::vector<Exchange*> pools_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay
