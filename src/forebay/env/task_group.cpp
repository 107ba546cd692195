#include "forebay/env/task_group.hpp"

#include <utility>

#include "forebay/detail/base/check.hpp"

namespace forebay {

TaskGroup::~TaskGroup() { FOREBAY_CHECK(running_ == 0, "a task group died before its tasks"); }

void TaskGroup::spawn(Task<void> task, std::source_location from) {
  ++running_;
  scheduler_.post(supervise(std::move(task), from).frame);
}

void TaskGroup::Join::await_suspend(std::coroutine_handle<> task) {
  FOREBAY_CHECK(!group_.joiner_, "a task group has one owner");
  group_.joiner_ = task;
}

Detached TaskGroup::supervise(Task<void> task, std::source_location from) {
  try {
    co_await std::move(task);
  } catch (...) {
    detail::stop_for_exception(from);
  }
  --running_;
  if (running_ == 0 && joiner_) scheduler_.post(std::exchange(joiner_, {}));
}

}  // namespace forebay
