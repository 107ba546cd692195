// BlockingLane: side threads for the few calls that touch files or names and could block the loop.
//
//   auto work = [&] { connection = PQconnectStart(text); };
//   co_await run_on(lane, scheduler, work);
#pragma once

#include <functional>

#include "forebay/env/scheduler.hpp"

namespace forebay {

class BlockingLane {
 public:
  virtual ~BlockingLane() = default;
  virtual void submit(std::move_only_function<void()> work) = 0;  // thread-safe
};

// The work is a named object of the awaiting coroutine; it outlives the wait.
template <class Work>
class [[nodiscard]] RunOnLane {
 public:
  RunOnLane(BlockingLane& lane, Scheduler& scheduler, Work& work)
      : lane_(lane), scheduler_(scheduler), work_(work) {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> task) {
    lane_.submit([&work = work_, &scheduler = scheduler_, task] {
      work();
      scheduler.post(task);
    });
  }
  void await_resume() const noexcept {}

 private:
  BlockingLane& lane_;
  Scheduler& scheduler_;
  Work& work_;
};

template <class Work>
RunOnLane<Work> run_on(BlockingLane& lane, Scheduler& scheduler, Work& work) {
  return RunOnLane<Work>(lane, scheduler, work);
}

}  // namespace forebay
