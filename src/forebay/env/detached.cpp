#include "forebay/detail/env/detached.hpp"

#include <exception>
#include <utility>

#include "forebay/base/misuse.hpp"

namespace forebay {
namespace {

Detached run_detached(Task<void> task, std::source_location from) {
  try {
    co_await std::move(task);
  } catch (...) {
    detail::stop_for_exception(from);
  }
}

}  // namespace

void detail::stop_for_exception(const std::source_location& from) {
  stop_for_misuse(
      "the task started here threw an exception, and nobody awaits it who could catch "
      "it: " +
          text_of(std::current_exception()),
      from);
}

void detail::stop_for_exception() noexcept {
  stop_for_misuse("a task that nobody awaits threw an exception: " +
                  text_of(std::current_exception()));
}

void start_detached(Scheduler& scheduler, Task<void> task, std::source_location from) {
  scheduler.post(run_detached(std::move(task), from).frame);
}

}  // namespace forebay
