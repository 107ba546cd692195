// LastCalls: lets threads make one more call on an object after they have let go of its lock, when
// that lock was all that kept it alive. Its destructor waits for them, for the few instructions
// that they need.
//
// Always: begin() under the lock, end() as the last touch of the object.
#pragma once

#include <atomic>

#include "forebay/detail/env/thread_parker.hpp"

namespace forebay {

class LastCalls {
 public:
  void begin() { leaving_.fetch_add(1, std::memory_order_relaxed); }
  void end() { leaving_.fetch_sub(1, std::memory_order_release); }
  // For a destructor. REQUIRES: nobody begins any more.
  void wait() const {
    while (leaving_.load(std::memory_order_acquire) != 0) ThreadParker::offer_turn();
  }

 private:
  std::atomic<int> leaving_{0};
};

}  // namespace forebay
