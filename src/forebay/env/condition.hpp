// Condition: many tasks of one scheduler wait until notified, until their deadlines, or until they
// are cancelled.
//
// Confined: every call comes from a task of the scheduler. For waking across threads
// there is Signal.
#pragma once

#include "forebay/detail/base/intrusive_list.hpp"
#include "forebay/env/scheduler.hpp"
#include "forebay/env/until.hpp"

namespace forebay {

class Condition {
 public:
  explicit Condition(Scheduler& scheduler) : scheduler_(scheduler) {}

  class [[nodiscard]] Wait : private Timer, private Cancellation::Listener {
   public:
    Wait(Condition& condition, Until until)
        : Timer(&expire), Listener(&on_cancel), condition_(condition), until_(until) {}
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

    bool await_ready() const {
      return until_.is_cancelled() || condition_.scheduler_.now() >= until_.deadline();
    }
    void await_suspend(std::coroutine_handle<> task) {
      task_ = task;
      condition_.waits_.push_back(*this);
      until_.listen(*this, condition_.scheduler_);
      if (until_.deadline() != kNever) condition_.scheduler_.arm(*this, until_.deadline());
    }
    // True: notified. False: the deadline passed, or it was cancelled.
    bool await_resume() const { return is_notified_; }

   private:
    friend class Condition;
    static void expire(Timer& timer) {
      Wait& self = static_cast<Wait&>(timer);
      self.condition_.waits_.erase(self);
      self.until_.leave(self);
      self.task_.resume();
    }
    static void on_cancel(Listener& listener) {
      Wait& self = static_cast<Wait&>(listener);
      self.condition_.waits_.erase(self);
      self.condition_.scheduler_.disarm(self);
      self.condition_.scheduler_.post(self.task_);
    }

    Condition& condition_;
    const Until until_;
    std::coroutine_handle<> task_{};
    bool is_notified_ = false;
    ListLink<Wait> place_;
  };

  Wait wait_until(Until until) { return Wait(*this, until); }

  // Wakes everyone who waits now; they run on later turns.
  void notify_all() {
    while (Wait* wait = waits_.pop_front()) {
      scheduler_.disarm(*wait);
      wait->until_.leave(*wait);
      wait->is_notified_ = true;
      scheduler_.post(wait->task_);
    }
  }

 private:
  Scheduler& scheduler_;
  IntrusiveList<Wait, &Wait::place_> waits_;
};

}  // namespace forebay
