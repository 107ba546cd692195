// run_blocking(scheduler, task): runs a task on a scheduler from a thread that is not its
// own, and waits.
//
// When it returns, the task is gone together with its parameters: a coroutine's parameters live as
// long as its frame, and a connection among them must be back in its pool before the caller may
// close that pool.
#pragma once

#include <optional>
#include <utility>

#include "forebay/env/detached.hpp"
#include "forebay/env/thread_parker.hpp"

namespace forebay {

namespace detail {

template <class T>
Task<void> deliver_to_thread(Task<T> task, std::optional<T>& result, ThreadParker& parker) {
  result.emplace(co_await std::move(task));
  parker.unpark();
}
inline Task<void> deliver_to_thread(Task<void> task, ThreadParker& parker) {
  co_await std::move(task);
  parker.unpark();
}

}  // namespace detail

// REQUIRES: the scheduler runs on another thread.
template <class T>
T run_blocking(Scheduler& scheduler, Task<T> task) {
  ThreadParker parker;
  std::optional<T> result;
  start_detached(scheduler, detail::deliver_to_thread(std::move(task), result, parker));
  parker.park();
  return std::move(*result);
}
inline void run_blocking(Scheduler& scheduler, Task<void> task) {
  ThreadParker parker;
  start_detached(scheduler, detail::deliver_to_thread(std::move(task), parker));
  parker.park();
}

}  // namespace forebay
