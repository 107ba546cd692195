// StreamWait: the place where one task waits until somebody ends its wait, or until its deadline.
//
// Confined to its scheduler. Waiting allocates nothing.
#pragma once

#include <coroutine>
#include <cstdint>
#include <utility>

#include "forebay/detail/base/check.hpp"
#include "forebay/env/scheduler.hpp"

namespace forebay {

enum class WaitEnding : std::uint8_t { ready, timed_out, closed };

class StreamWait {
 public:
  explicit StreamWait(Scheduler& scheduler) : scheduler_(&scheduler) {}
  StreamWait(const StreamWait&) = delete;
  StreamWait& operator=(const StreamWait&) = delete;
  ~StreamWait() { FOREBAY_CHECK(!has_task(), "a stream died while a task waited for it"); }

  class [[nodiscard]] Until : private Timer {
   public:
    Until(StreamWait& wait, Instant deadline) : Timer(&expire), wait_(wait), deadline_(deadline) {}
    Until(const Until&) = delete;
    Until& operator=(const Until&) = delete;

    bool await_ready() const {
      return deadline_ != kNever && wait_.scheduler_->has_passed(deadline_);
    }
    void await_suspend(std::coroutine_handle<> task) {
      FOREBAY_CHECK(!wait_.has_task(), "a stream has one read and one write at a time");
      task_ = task;
      wait_.until_ = this;
      if (deadline_ != kNever) wait_.scheduler_->arm(*this, deadline_);
    }
    WaitEnding await_resume() const noexcept { return ending_; }

   private:
    friend class StreamWait;
    static void expire(Timer& timer) {
      Until& self = static_cast<Until&>(timer);
      self.wait_.until_ = nullptr;
      self.task_.resume();
    }

    StreamWait& wait_;
    const Instant deadline_;
    std::coroutine_handle<> task_{};
    WaitEnding ending_ = WaitEnding::timed_out;
  };

  Until until(Instant deadline) { return Until(*this, deadline); }
  bool has_task() const { return until_ != nullptr; }
  // REQUIRES: nobody waits.
  void move_to(Scheduler& scheduler) {
    FOREBAY_CHECK(!has_task(), "a stream changed its loop while a task waited for it");
    scheduler_ = &scheduler;
  }

  // The task, if there is one, goes on in a later turn.
  void end(WaitEnding how) {
    Until* const until = std::exchange(until_, nullptr);
    if (until == nullptr) return;
    if (until->deadline_ != kNever) scheduler_->disarm(*until);
    until->ending_ = how;
    scheduler_->post(until->task_);
  }

 private:
  Scheduler* scheduler_;
  Until* until_ = nullptr;
};

}  // namespace forebay
