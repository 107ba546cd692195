// Waiter: a caller who found nothing ready, as the pool's line knows it. It lives in the frame of
// the caller, so that waiting allocates nothing.
#pragma once

#include <cstdint>
#include <source_location>

#include "forebay/detail/base/intrusive_list.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

struct Slot;

enum class WaitOutcome : std::uint8_t { waiting, granted, timed_out, cancelled, refused, closed };

struct Waiter {
  using Wake = void (*)(Waiter&);  // called once, without a lock, after the outcome is set
  Waiter(Wake wake_action, Instant arrival, Instant wait_deadline, std::source_location caller)
      : wake(wake_action), since(arrival), deadline(wait_deadline), from(caller) {}
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  Wake wake;
  Instant since;
  Instant deadline;
  std::source_location from;
  WaitOutcome outcome = WaitOutcome::waiting;
  bool has_lacked_room = false;  // when it timed out, a shared budget kept the pool from opening
  int home = -1;                 // of whoever waits, if there is one (kNoHome)
  Slot* slot = nullptr;          // when granted
  ListLink<Waiter> link;
};

}  // namespace forebay
