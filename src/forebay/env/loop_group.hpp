// LoopGroup: the loops of one runtime, each a scheduler with a thread of its own.
//
// What belongs to one of them, a pool say, may be used by tasks of all. Filled before the first
// task runs. A scheduler that is alone has no group.
#pragma once

#include <coroutine>
#include <cstddef>
#include <vector>

#include "forebay/env/scheduler.hpp"

namespace forebay {

class LoopGroup {
 public:
  LoopGroup() = default;
  LoopGroup(const LoopGroup&) = delete;
  LoopGroup& operator=(const LoopGroup&) = delete;

  // REQUIRES: the scheduler is in no group yet, and the group outlives what runs on it.
  void add(Scheduler& scheduler) {
    scheduler.group_ = this;
    scheduler.loop_ = size();
    loops_.push_back(&scheduler);
  }
  int size() const { return static_cast<int>(loops_.size()); }
  Scheduler& at(int loop) const { return *loops_[static_cast<std::size_t>(loop)]; }

  // The loop of the task that asks; null: it is none of these.
  const Scheduler* current() const {
    const Scheduler* const running = Scheduler::current();
    return running != nullptr && running->group() == this ? running : nullptr;
  }

 private:
  std::vector<Scheduler*> loops_;
};

// The loop of the task that asks, if it is one of the same runtime; else the one given.
inline Scheduler& here(Scheduler& scheduler) {
  if (scheduler.group() == nullptr || scheduler.group()->current() == nullptr) return scheduler;
  return *Scheduler::current();
}

// True: this thread runs a loop of that runtime, and must not block.
inline bool is_on_loop(const Scheduler& scheduler) {
  if (scheduler.is_current_thread()) return true;
  return scheduler.group() != nullptr && scheduler.group()->current() != nullptr;
}

// co_await resume_on(scheduler): the rest of the task runs on that loop of its runtime. Costs
// nothing where it does so already.
class [[nodiscard]] ResumeOn {
 public:
  explicit ResumeOn(Scheduler& scheduler) : scheduler_(scheduler) {}
  bool await_ready() const { return &here(scheduler_) == &scheduler_; }
  void await_suspend(std::coroutine_handle<> task) const { scheduler_.post(task); }
  void await_resume() const noexcept {}

 private:
  Scheduler& scheduler_;
};

inline ResumeOn resume_on(Scheduler& scheduler) { return ResumeOn(scheduler); }

}  // namespace forebay
