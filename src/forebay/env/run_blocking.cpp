#include "forebay/env/run_blocking.hpp"

#include "forebay/base/misuse.hpp"
#include "forebay/env/loop_group.hpp"

namespace forebay {

Task<void> detail::deliver_to_thread(Task<void> task, Delivery<void>& delivery) {
  try {
    co_await std::move(task);
  } catch (...) {
    delivery.thrown = std::current_exception();
  }
  delivery.parker.unpark();
}

void detail::refuse_to_wait_for_itself(const Scheduler& scheduler,
                                       const std::source_location& from) {
  if (!is_on_loop(scheduler)) return;
  stop_for_misuse(
      "a call that blocks was made on the runtime's own thread, which would wait for "
      "itself for ever; co_await the task there instead",
      from);
}

void run_blocking(Scheduler& scheduler, Task<void> task, std::source_location from) {
  detail::refuse_to_wait_for_itself(scheduler, from);
  detail::Delivery<void> delivery;
  start_detached(scheduler, detail::deliver_to_thread(std::move(task), delivery), from);
  delivery.parker.park();
  if (delivery.thrown) std::rethrow_exception(std::move(delivery.thrown));
}

}  // namespace forebay
