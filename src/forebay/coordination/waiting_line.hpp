// WaitingLine<T>: tasks that wait, first in, first out, until each is handed its T.
//
// Confined to one scheduler. Serving and failing resume nobody inside the call, so both may be done
// under a lock.
#pragma once

#include <optional>
#include <utility>

#include "forebay/base/error.hpp"
#include "forebay/detail/base/intrusive_list.hpp"
#include "forebay/env/signal.hpp"
#include "forebay/env/task.hpp"

namespace forebay {

template <class T>
class WaitingLine {
 public:
  explicit WaitingLine(Scheduler& scheduler) : scheduler_(scheduler) {}

  bool empty() const { return waiters_.empty(); }
  std::size_t size() const { return waiters_.size(); }

  // What it was served or failed with; nothing: the deadline passed first.
  Task<std::optional<Result<T>>> wait(Instant deadline) {
    Waiter waiter(scheduler_);
    waiters_.push_back(waiter);
    co_await waiter.woken.wait_until(deadline);
    if (waiters_.contains(waiter)) waiters_.erase(waiter);
    co_return std::move(waiter.result);
  }

  // To the longest waiter. REQUIRES: not empty.
  void serve(T value) { end(*waiters_.front(), Result<T>(std::move(value))); }
  void fail_all(const Error& error) {
    while (Waiter* waiter = waiters_.front()) end(*waiter, Result<T>(failure(error)));
  }

 private:
  struct Waiter {
    explicit Waiter(Scheduler& scheduler) : woken(scheduler) {}
    Signal woken;
    std::optional<Result<T>> result;
    ListLink<Waiter> link;
  };

  void end(Waiter& waiter, Result<T> result) {
    waiters_.erase(waiter);
    waiter.result.emplace(std::move(result));
    waiter.woken.notify();
  }

  Scheduler& scheduler_;
  IntrusiveList<Waiter, &Waiter::link> waiters_;
};

}  // namespace forebay
