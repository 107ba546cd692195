// Detached: a coroutine that owns its own frame and that nobody awaits. Only TaskGroup and the few
// bridges from threads into a scheduler use it; a task that throws here ends the process, with a
// sentence.
#pragma once

#include <coroutine>
#include <source_location>

#include "forebay/env/scheduler.hpp"
#include "forebay/env/task.hpp"

namespace forebay {

namespace detail {
// Inside a handler, which is where the exception is.
[[noreturn]] void stop_for_exception(const std::source_location& from);
[[noreturn]] void stop_for_exception() noexcept;
}  // namespace detail

struct Detached {
  struct promise_type : detail::FrameMemory {
    Detached get_return_object() {
      return Detached{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { detail::stop_for_exception(); }
  };
  std::coroutine_handle<promise_type> frame;
};

// Starts a task on a scheduler from any thread. The caller makes sure that the task ends
// before what it refers to does.
void start_detached(Scheduler& scheduler, Task<void> task,
                    std::source_location from = std::source_location::current());

}  // namespace forebay
