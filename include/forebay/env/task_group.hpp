// TaskGroup: the way to start a task nobody awaits. Its owner joins it before going away.
//
// Confined to the tasks of its scheduler.
#pragma once

#include <cstddef>
#include <source_location>

#include "forebay/detail/env/detached.hpp"

namespace forebay {

class TaskGroup {
 public:
  explicit TaskGroup(Scheduler& scheduler) : scheduler_(scheduler) {}
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;
  ~TaskGroup();  // REQUIRES: every task has finished

  // The task starts on a later turn of the scheduler, never inside this call.
  void spawn(Task<void> task, std::source_location from = std::source_location::current());

  std::size_t running() const { return running_; }

  class [[nodiscard]] Join {
   public:
    explicit Join(TaskGroup& group) : group_(group) {}
    bool await_ready() const { return group_.running_ == 0; }
    void await_suspend(std::coroutine_handle<> task);
    void await_resume() const {}

   private:
    TaskGroup& group_;
  };
  // co_await group.join(): resumes when every spawned task has finished.
  Join join() { return Join(*this); }

 private:
  Detached supervise(Task<void> task, std::source_location from);

  Scheduler& scheduler_;
  std::size_t running_ = 0;
  std::coroutine_handle<> joiner_{};
};

}  // namespace forebay
