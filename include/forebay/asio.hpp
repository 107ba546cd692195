// For applications that live in Boost.Asio: await a forebay Task with any completion token.
//
//   auto executor = co_await boost::asio::this_coro::executor;
//   Result<Row> row = co_await forebay::async_start(runtime.scheduler(), find(id), executor,
//                                                   boost::asio::use_awaitable);
//
// The task runs on its scheduler; the handler runs on its associated executor, or on the fallback
// if it has none, and that executor has outstanding work until then. Call it from any thread.
// Destroy the Runtime before a context that was stopped; one that ran out of work may go any time.
// A task started here ends by its own deadline or by close() on what it waits for: it ignores
// Asio's cancellation slots. A task that throws ends the process, as every detached task does.
#pragma once

#include <utility>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/prefer.hpp>

#include "forebay/env/detached.hpp"
#include "forebay/pool/pool.hpp"

namespace forebay {

namespace detail {

// The same executor, whose context does not run dry while it lives.
template <class Executor>
auto count_as_work(const Executor& executor) {
  return boost::asio::prefer(executor, boost::asio::execution::outstanding_work.tracked);
}

// Keeps the handler, and the executor it will run on, until there is something to say.
//
// Always: its executor counts as work of the context, and is the last thing it gives up. A context
// without work may run dry and be destroyed by the application, and by then dispatch() must not be
// waking it up any more, and no strand of it may be alive. executor_work_guard will not do: it
// holds a second executor, which does not count, and lets go of that one last.
template <class Handler, class Fallback>
class Completion {
 public:
  Completion(Handler handler, const Fallback& fallback)
      : executor_(count_as_work(boost::asio::get_associated_executor(handler, fallback))),
        handler_(std::move(handler)) {}

  // Dispatches rather than calls: the scheduler's thread is not the application's.
  template <class... Value>
  void complete(Value&&... value) && {
    boost::asio::dispatch(executor_, [handler = std::move(handler_),
                                      ... held = std::forward<Value>(value)]() mutable {
      std::move(handler)(std::move(held)...);
    });
  }

 private:
  using Executor = boost::asio::associated_executor_t<Handler, Fallback>;

  decltype(count_as_work(std::declval<Executor>())) executor_;  // first in, last out
  Handler handler_;
};

template <class T, class Handler, class Fallback>
Detached deliver(Task<T> task, Completion<Handler, Fallback> completion) {
  T value = co_await std::move(task);
  std::move(completion).complete(std::move(value));
}

template <class Handler, class Fallback>
Detached deliver(Task<void> task, Completion<Handler, Fallback> completion) {
  co_await std::move(task);
  std::move(completion).complete();
}

// void(T), or void() for a task without a result.
template <class T>
struct CompletionSignature {
  using type = void(T);
};
template <>
struct CompletionSignature<void> {
  using type = void();
};

}  // namespace detail

// REQUIRES: the scheduler, and what the task refers to, live until the task has ended.
template <class T, class Executor, class Token>
auto async_start(Scheduler& scheduler, Task<T> task, Executor fallback, Token&& token) {
  return boost::asio::async_initiate<Token, typename detail::CompletionSignature<T>::type>(
      [&scheduler](auto handler, Task<T> started, const Executor& executor) {
        detail::Completion<decltype(handler), Executor> completion(std::move(handler), executor);
        scheduler.post(detail::deliver(std::move(started), std::move(completion)).frame);
      },
      token, std::move(task), std::move(fallback));
}

namespace detail {

inline Task<Result<PooledConnection>> acquire_task(Pool& pool, Scheduler& scheduler,
                                                   Duration timeout, std::source_location from) {
  const Instant deadline = deadline_after(scheduler.now(), timeout);
  co_return co_await pool.acquire(deadline, from);
}

}  // namespace detail

// Acquires from any thread: co_await async_acquire(pool, runtime.scheduler(), 1s, executor,
// use_awaitable) gives a Result<PooledConnection>. REQUIRES: the pool runs on that scheduler.
template <class Executor, class Token>
auto async_acquire(Pool& pool, Scheduler& scheduler, Duration timeout, Executor fallback,
                   Token&& token, std::source_location from = std::source_location::current()) {
  return async_start(scheduler, detail::acquire_task(pool, scheduler, timeout, from),
                     std::move(fallback), std::forward<Token>(token));
}

}  // namespace forebay
