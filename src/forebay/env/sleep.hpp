// co_await sleep_for(scheduler, 30s): a pause that costs one timer and no allocation.
#pragma once

#include "forebay/env/scheduler.hpp"

namespace forebay {

class [[nodiscard]] Sleep : private Timer {
 public:
  Sleep(Scheduler& scheduler, Instant until) : Timer(&wake), scheduler_(scheduler), until_(until) {}
  Sleep(const Sleep&) = delete;
  Sleep& operator=(const Sleep&) = delete;

  bool await_ready() const { return scheduler_.now() >= until_; }
  void await_suspend(std::coroutine_handle<> task) {
    task_ = task;
    scheduler_.arm(*this, until_);
  }
  void await_resume() const noexcept {}

 private:
  static void wake(Timer& timer) { static_cast<Sleep&>(timer).task_.resume(); }

  Scheduler& scheduler_;
  Instant until_;
  std::coroutine_handle<> task_{};
};

inline Sleep sleep_until(Scheduler& scheduler, Instant until) { return Sleep(scheduler, until); }
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
