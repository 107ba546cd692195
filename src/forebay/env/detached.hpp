// Detached: a coroutine that owns its own frame and that nobody awaits. Only TaskGroup and the few
// bridges from threads into a scheduler use it; a task that throws here ends the process.
#pragma once

#include <coroutine>
#include <exception>

#include "forebay/env/scheduler.hpp"
#include "forebay/env/task.hpp"

namespace forebay {

struct Detached {
  struct promise_type : detail::FrameMemory {
    Detached get_return_object() {
      return Detached{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }
  };
  std::coroutine_handle<promise_type> frame;
};

namespace detail {
inline Detached run_detached(Task<void> task) { co_await std::move(task); }
}  // namespace detail

// Starts a task on a scheduler from any thread. Whoever calls it makes sure that the task ends
// before what it refers to does.
inline void start_detached(Scheduler& scheduler, Task<void> task) {
  scheduler.post(detail::run_detached(std::move(task)).frame);
}

}  // namespace forebay
