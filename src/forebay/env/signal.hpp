// Signal: wakes one task from any thread, or lets it go on at its deadline, whichever comes first.
//
// Notifications are remembered and merged: one that arrives while nobody waits ends the next
// wait at once. notify() may be called from any thread; wait_until() by one task of the
// scheduler at a time.
#pragma once

#include <atomic>
#include <cstdint>

#include "forebay/env/scheduler.hpp"

namespace forebay {

class Signal {
 public:
  explicit Signal(Scheduler& scheduler) : scheduler_(scheduler) {}
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  void notify() {
    // Of all who notify, only the one that finds a parked task posts it.
    if (state_.exchange(State::notified, std::memory_order_acq_rel) == State::parked)
      scheduler_.post(parked_);
  }

  class [[nodiscard]] Wait : private Timer {
   public:
    Wait(Signal& signal, Instant deadline) : Timer(&expire), signal_(signal), deadline_(deadline) {}
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

    bool await_ready() {
      is_notified_ = signal_.consume();
      return is_notified_ || signal_.scheduler_.now() >= deadline_;
    }
    bool await_suspend(std::coroutine_handle<> task) {
      signal_.parked_ = task;
      if (deadline_ != kNever) signal_.scheduler_.arm(*this, deadline_);
      is_notified_ = true;  // unless the timer says otherwise
      State expected = State::quiet;
      if (signal_.state_.compare_exchange_strong(expected, State::parked,
                                                 std::memory_order_acq_rel))
        return true;
      return false;  // notified in between: go on without suspending
    }
    // True: notified. False: the deadline passed.
    bool await_resume() {
      signal_.scheduler_.disarm(*this);
      if (signal_.parked_) {
        signal_.parked_ = {};
        if (is_notified_) signal_.consume();
      }
      return is_notified_;
    }

   private:
    static void expire(Timer& timer) {
      Wait& self = static_cast<Wait&>(timer);
      State expected = State::parked;
      // If this fails, a notification has won and the task is already posted.
      if (!self.signal_.state_.compare_exchange_strong(expected, State::quiet,
                                                       std::memory_order_acq_rel))
        return;
      self.is_notified_ = false;
      self.signal_.parked_.resume();
    }

    Signal& signal_;
    Instant deadline_;
    bool is_notified_ = false;
  };

  Wait wait_until(Instant deadline) { return Wait(*this, deadline); }

 private:
  enum class State : std::uint8_t { quiet, notified, parked };

  bool consume() {
    State expected = State::notified;
    return state_.compare_exchange_strong(expected, State::quiet, std::memory_order_acq_rel);
  }

  Scheduler& scheduler_;
  std::atomic<State> state_{State::quiet};
  std::coroutine_handle<>
      parked_{};  // written before state_ becomes parked, read by the one that unparks it
};

}  // namespace forebay
