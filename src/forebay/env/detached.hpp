// Detached: a coroutine that owns its own frame and that nobody awaits. Only TaskGroup and the few
// bridges from threads into a scheduler use it; a task that throws here ends the process, with a
// sentence.
#pragma once

#include <coroutine>
#include <exception>
#include <source_location>

#include "forebay/base/misuse.hpp"
#include "forebay/env/scheduler.hpp"
#include "forebay/env/task.hpp"

namespace forebay {

namespace detail {
[[noreturn]] inline void stop_for_exception(const std::source_location& from) {
  stop_for_misuse(
      "the task started here threw an exception, and nobody awaits it who could catch "
      "it: " +
          text_of(std::current_exception()),
      from);
}
}  // namespace detail

struct Detached {
  struct promise_type : detail::FrameMemory {
    Detached get_return_object() {
      return Detached{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept {
      stop_for_misuse("a task that nobody awaits threw an exception: " +
                      text_of(std::current_exception()));
    }
  };
  std::coroutine_handle<promise_type> frame;
};

namespace detail {
inline Detached run_detached(Task<void> task, std::source_location from) {
  try {
    co_await std::move(task);
  } catch (...) {
    stop_for_exception(from);
  }
}
}  // namespace detail

// Starts a task on a scheduler from any thread. Whoever calls it makes sure that the task ends
// before what it refers to does.
inline void start_detached(Scheduler& scheduler, Task<void> task,
                           std::source_location from = std::source_location::current()) {
  scheduler.post(detail::run_detached(std::move(task), from).frame);
}

}  // namespace forebay
