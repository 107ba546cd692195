// TaskGroup: the way to start a task nobody awaits. Its owner joins it before going away.
//
// Confined to the tasks of its scheduler.
#pragma once

#include <cstddef>
#include <source_location>

#include "forebay/base/check.hpp"
#include "forebay/env/detached.hpp"

namespace forebay {

class TaskGroup {
 public:
  explicit TaskGroup(Scheduler& scheduler) : scheduler_(scheduler) {}
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;
  ~TaskGroup() { FOREBAY_CHECK(running_ == 0, "a task group died before its tasks"); }

  // The task starts on a later turn of the scheduler, never inside this call.
  void spawn(Task<void> task, std::source_location from = std::source_location::current()) {
    ++running_;
    scheduler_.post(supervise(std::move(task), from).frame);
  }

  std::size_t running() const { return running_; }

  class [[nodiscard]] Join {
   public:
    explicit Join(TaskGroup& group) : group_(group) {}
    bool await_ready() const { return group_.running_ == 0; }
    void await_suspend(std::coroutine_handle<> task) {
      FOREBAY_CHECK(!group_.joiner_, "a task group has one owner");
      group_.joiner_ = task;
    }
    void await_resume() const {}

   private:
    TaskGroup& group_;
  };
  // co_await group.join(): resumes when every spawned task has finished.
  Join join() { return Join(*this); }

 private:
  Detached supervise(Task<void> task, std::source_location from) {
    try {
      co_await std::move(task);
    } catch (...) {
      detail::stop_for_exception(from);
    }
    --running_;
    if (running_ == 0 && joiner_) scheduler_.post(std::exchange(joiner_, {}));
  }

  Scheduler& scheduler_;
  std::size_t running_ = 0;
  std::coroutine_handle<> joiner_{};
};

}  // namespace forebay
