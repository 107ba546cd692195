// co_await sleep_for(scheduler, 30s): a pause that costs one timer and no allocation. With a
// cancellation in its Until it ends early when that is cancelled.
#pragma once

#include "forebay/env/until.hpp"

namespace forebay {

class [[nodiscard]] Sleep : private Timer, private Cancellation::Listener {
 public:
  Sleep(Scheduler& scheduler, Until until)
      : Timer(&wake), Listener(&on_cancel), scheduler_(scheduler), until_(until) {}
  Sleep(const Sleep&) = delete;
  Sleep& operator=(const Sleep&) = delete;

  bool await_ready() const {
    return until_.is_cancelled() || scheduler_.now() >= until_.deadline();
  }
  void await_suspend(std::coroutine_handle<> task) {
    task_ = task;
    until_.listen(*this, scheduler_);
    scheduler_.arm(*this, until_.deadline());
  }
  void await_resume() const noexcept {}

 private:
  static void wake(Timer& timer) {
    Sleep& self = static_cast<Sleep&>(timer);
    self.until_.leave(self);
    self.task_.resume();
  }
  static void on_cancel(Listener& listener) {
    Sleep& self = static_cast<Sleep&>(listener);
    self.scheduler_.disarm(self);
    self.scheduler_.post(self.task_);
  }

  Scheduler& scheduler_;
  const Until until_;
  std::coroutine_handle<> task_{};
};

inline Sleep sleep_until(Scheduler& scheduler, Until until) { return Sleep(scheduler, until); }
inline Sleep sleep_for(Scheduler& scheduler, Duration time) {
  return Sleep(scheduler, deadline_after(scheduler.now(), time));
}

// Lets everything that is ready run first.
class [[nodiscard]] Yield {
 public:
  explicit Yield(Scheduler& scheduler) : scheduler_(scheduler) {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> task) { scheduler_.post(task); }
  void await_resume() const noexcept {}

 private:
  Scheduler& scheduler_;
};

}  // namespace forebay
