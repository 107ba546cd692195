// ThreadParker: lets one thread sleep until another wakes it or a deadline passes.
//
// For callers that have a thread and no event loop. One park per object. unpark() makes the last
// touch of the object before the parked thread may go on and destroy it.
#pragma once

#include <atomic>
#include <cstdint>

#include "forebay/env/time.hpp"

namespace forebay {

class ThreadParker {
 public:
  // Sleeps until unpark() or until the deadline on the monotonic clock. True: unparked.
  bool park_until(Instant deadline);
  // Returns only when unpark() has been called: for a parker that lost the race
  // against its deadline.
  void park() { park_until(kNever); }
  void unpark();

  // Lets another thread have the processor for a moment.
  static void offer_turn();

 private:
  enum : std::uint32_t { kWaiting = 0, kSleeping = 1, kUnparked = 2 };
  std::atomic<std::uint32_t> state_{kWaiting};
};

}  // namespace forebay
