// run_blocking(scheduler, task): runs a task on a scheduler from a thread that is not its
// own, and waits. What the task throws is thrown here.
//
// When it returns, the task is gone together with its parameters: a coroutine's parameters live as
// long as its frame, and a connection among them must be back in its pool before the caller may
// close that pool.
#pragma once

#include <exception>
#include <optional>
#include <source_location>
#include <utility>

#include "forebay/detail/env/detached.hpp"
#include "forebay/detail/env/thread_parker.hpp"

namespace forebay {

namespace detail {

template <class T>
struct Delivery {
  Delivery() = default;
  std::optional<T> value;
  std::exception_ptr thrown;
  ThreadParker parker;
};
template <>
struct Delivery<void> {
  Delivery() = default;
  std::exception_ptr thrown;
  ThreadParker parker;
};

template <class T>
Task<void> deliver_to_thread(Task<T> task, Delivery<T>& delivery) {
  try {
    delivery.value.emplace(co_await std::move(task));
  } catch (...) {
    delivery.thrown = std::current_exception();
  }
  delivery.parker.unpark();
}
Task<void> deliver_to_thread(Task<void> task, Delivery<void>& delivery);

void refuse_to_wait_for_itself(const Scheduler& scheduler, const std::source_location& from);

}  // namespace detail

// REQUIRES: the scheduler runs on another thread. Stops the process if this is the thread of any
// loop of its runtime.
template <class T>
T run_blocking(Scheduler& scheduler, Task<T> task,
               std::source_location from = std::source_location::current()) {
  detail::refuse_to_wait_for_itself(scheduler, from);
  detail::Delivery<T> delivery;
  start_detached(scheduler, detail::deliver_to_thread(std::move(task), delivery), from);
  delivery.parker.park();
  if (delivery.thrown) std::rethrow_exception(std::move(delivery.thrown));
  return std::move(*delivery.value);
}
void run_blocking(Scheduler& scheduler, Task<void> task,
                  std::source_location from = std::source_location::current());

}  // namespace forebay
