// Scheduler: runs tasks one at a time and tells the time; the only clock that code
// outside env/ knows.
//
// now(), recent_now(), is_current_thread() and post() may be called from any thread; the rest only
// by tasks of this scheduler. Real and simulated schedulers keep the same order: posted tasks first
// in, first out; timers by due time, then by order of arming (the simulated one can break ties by
// seed instead, so nobody may rely on it).
#pragma once

#include <coroutine>
#include <cstdint>

#include "forebay/detail/base/heap_place.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

// Lives in the frame of the waiting task, so arming allocates nothing. Must be disarmed
// before it dies.
struct Timer {
  using Action = void (*)(Timer&);
  explicit Timer(Action on_due) : action(on_due) {}

  Action action;  // runs on the scheduler's thread, when the timer has left the heap
  Instant due{};
  std::uint64_t order = 0;  // breaks ties between equal due times; chosen by the scheduler
  HeapPlace place;
};

class LoopGroup;

class Scheduler {
 public:
  // recent_now() is never later than now() and never further behind it than this.
  static constexpr Duration kRecentLag = std::chrono::milliseconds(20);

  virtual ~Scheduler() = default;
  virtual Instant now() const = 0;
  // A cheaper clock for hot paths, where the exact time matters only near a boundary.
  virtual Instant recent_now() const = 0;
  // Exact, by the cheaper clock where that is enough: for deadlines, which are mostly far away.
  bool has_passed(Instant deadline) const {
    return deadline <= recent_now() + kRecentLag && deadline <= now();
  }
  virtual bool is_current_thread() const = 0;           // true: this thread must not block
  virtual void post(std::coroutine_handle<> task) = 0;  // never resumes inside the call
  virtual void arm(Timer& timer, Instant due) = 0;      // REQUIRES: timer is not armed
  virtual bool disarm(Timer& timer) = 0;                // false: it was not armed, or has fired

  // The one that runs what calls this; null on threads that run none.
  static Scheduler* current() { return current_; }

  // The loops of its runtime, if it has several, and which of them it is. Null: it is alone.
  const LoopGroup* group() const { return group_; }
  int loop() const { return loop_; }

 protected:
  // Held while tasks run.
  class Running {
   public:
    explicit Running(Scheduler& scheduler) : before_(current_) { current_ = &scheduler; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() { current_ = before_; }

   private:
    Scheduler* const before_;
  };

 private:
  friend class LoopGroup;
  static inline constinit thread_local Scheduler* current_ = nullptr;

  const LoopGroup* group_ = nullptr;
  int loop_ = 0;
};

}  // namespace forebay
