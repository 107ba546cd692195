// Condition: many tasks of one scheduler wait until notified or until their deadlines.
//
// Confined: every call comes from a task of the scheduler. For waking across threads
// there is Signal.
#pragma once

#include "forebay/base/intrusive_list.hpp"
#include "forebay/env/scheduler.hpp"

namespace forebay {

class Condition {
 public:
  explicit Condition(Scheduler& scheduler) : scheduler_(scheduler) {}

  class [[nodiscard]] Wait : private Timer {
   public:
    Wait(Condition& condition, Instant deadline)
        : Timer(&expire), condition_(condition), deadline_(deadline) {}
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

    bool await_ready() const { return condition_.scheduler_.now() >= deadline_; }
    void await_suspend(std::coroutine_handle<> task) {
      task_ = task;
      condition_.waits_.push_back(*this);
      if (deadline_ != kNever) condition_.scheduler_.arm(*this, deadline_);
    }
    // True: notified. False: the deadline passed.
    bool await_resume() const { return is_notified_; }

   private:
    friend class Condition;
    static void expire(Timer& timer) {
      Wait& self = static_cast<Wait&>(timer);
      self.condition_.waits_.erase(self);
      self.task_.resume();
    }

    Condition& condition_;
    Instant deadline_;
    std::coroutine_handle<> task_{};
    bool is_notified_ = false;
    ListLink<Wait> link_;
  };

  Wait wait_until(Instant deadline) { return Wait(*this, deadline); }

  // Wakes everyone who waits now; they run on later turns.
  void notify_all() {
    while (Wait* wait = waits_.pop_front()) {
      scheduler_.disarm(*wait);
      wait->is_notified_ = true;
      scheduler_.post(wait->task_);
    }
  }

 private:
  Scheduler& scheduler_;
  IntrusiveList<Wait, &Wait::link_> waits_;
};

}  // namespace forebay
