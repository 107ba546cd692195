// run_until(lane, scheduler, work, deadline): what the work on a side thread says, or nothing once
// the deadline has passed.
//
// The work is not interrupted. What it says too late is dropped, and what has not been begun by the
// deadline is left undone. It owns what it needs: it may run when the one who asked is gone.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "forebay/env/blocking_lane.hpp"
#include "forebay/env/signal.hpp"
#include "forebay/env/task.hpp"

namespace forebay {

namespace detail {

// Shared by the thread and the task: either may be the last.
template <class T>
struct LaneWork {
  LaneWork(Scheduler& scheduler, std::function<T()> work)
      : done(scheduler), function(std::move(work)) {}
  Signal done;
  std::function<T()> function;
  std::atomic<bool> is_abandoned = false;
  std::optional<T> result;  // written before done is notified, and read after
};

}  // namespace detail

template <class T>
Task<std::optional<T>> run_until(BlockingLane& lane, Scheduler& scheduler, std::function<T()> work,
                                 Instant deadline) {
  const auto shared = std::make_shared<detail::LaneWork<T>>(scheduler, std::move(work));
  lane.submit([shared] {
    if (shared->is_abandoned) return;
    shared->result.emplace(shared->function());
    shared->done.notify();
  });
  std::optional<T> result;
  const bool is_done = co_await shared->done.wait_until(deadline);
  if (is_done) result = std::move(shared->result);
  shared->is_abandoned = true;
  co_return result;
}

}  // namespace forebay
