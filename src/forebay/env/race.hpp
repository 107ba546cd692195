// race(): a task, or its cancellation, whichever comes first: for what cannot listen by itself, as
// a source that is shared with others and answers by its own deadline.
//
// No task is ever interrupted. One that loses goes on when nobody awaits it any more, and what it
// brings then goes to `late`. So it refers to nothing of its starter, and what it does refer
// to outlives it. Confined to the scheduler of the cancellation.
#pragma once

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "forebay/detail/env/detached.hpp"
#include "forebay/env/cancellation.hpp"

namespace forebay {

namespace detail {

template <class T>
struct RaceRunner;

// The one who awaits the race. It and the runner know of each other until one of them is done.
template <class T>
struct RaceWait : private Cancellation::Listener {
  explicit RaceWait(Cancellation& cancelled) : Listener(&on_cancel), cancellation(cancelled) {}
  RaceWait(const RaceWait&) = delete;
  RaceWait& operator=(const RaceWait&) = delete;
  ~RaceWait() {
    if (runner != nullptr) runner->wait = nullptr;
  }

  bool await_ready() const { return answer.has_value() || cancellation.is_cancelled(); }
  void await_suspend(std::coroutine_handle<> awaiter) {
    task = awaiter;
    cancellation.listen(*this);
  }
  void await_resume() const noexcept {}

  void finish(T value) {
    runner = nullptr;
    answer.emplace(std::move(value));
    if (!task) return;  // it does not wait yet, or was cancelled a moment ago and is posted
    cancellation.leave(*this);
    std::exchange(task, nullptr).resume();
  }

  Cancellation& cancellation;
  RaceRunner<T>* runner = nullptr;
  std::optional<T> answer;

 private:
  static void on_cancel(Listener& listener) {
    RaceWait& self = static_cast<RaceWait&>(listener);
    self.cancellation.scheduler().post(std::exchange(self.task, nullptr));
  }
  std::coroutine_handle<> task{};  // while it waits
};

template <class T>
struct RaceRunner {
  explicit RaceRunner(RaceWait<T>& awaited) : wait(&awaited) { awaited.runner = this; }
  RaceWait<T>* wait;
};

template <class T>
Detached run_race(Task<T> task, RaceWait<T>& wait, std::function<void(T&)> late) {
  RaceRunner<T> self(wait);
  T value = co_await std::move(task);
  if (self.wait != nullptr) {
    self.wait->finish(std::move(value));
  } else if (late) {
    late(value);
  }
}

}  // namespace detail

// What the task brings. Nothing: it was cancelled first; if it was cancelled before, the task is
// not begun. Without `late`, what comes too late is destroyed.
template <class T>
Task<std::optional<T>> race(Task<T> task, Cancellation& cancellation,
                            std::type_identity_t<std::function<void(T&)>> late = {}) {
  std::optional<T> answer;
  if (cancellation.is_cancelled()) co_return answer;
  detail::RaceWait<T> wait(cancellation);
  detail::run_race<T>(std::move(task), wait, std::move(late)).frame.resume();
  co_await wait;
  answer = std::move(wait.answer);
  co_return answer;
}

}  // namespace forebay
