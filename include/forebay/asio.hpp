// For applications that live in Boost.Asio: sessions, statements and tasks with any completion
// token, on the application's own executor, cancelled by Asio's own means.
//
//   auto executor = co_await boost::asio::this_coro::executor;
//   auto names = co_await forebay::async_query<std::string>(
//       *pool, "SELECT name FROM t WHERE id = $1", parameters(42), executor, use_awaitable);
//   auto session = co_await forebay::async_acquire(*pool, 1s, executor, use_awaitable);
//
// Statements run on a session, or on a pool, which acquires one for them. A time to wait comes
// after the parameters; without it, it is PoolOptions::call_timeout.
//
// The work runs on its scheduler; the handler runs on its associated executor, or on the fallback
// if it has none, and that executor has outstanding work until then. Call it from any thread.
//
// A signal to the handler's slot (cancellation_signal, awaitable_operators, a
// parallel group), of whatever type, cancels the operation: it ends with Errc::cancelled in its
// Result, and its handler is called once, as ever. A caller who is cancelled leaves the line at
// once; a statement that is cancelled leaves a session that the pool cancels and clears when it is
// back. Once the answer is on its way to the executor, a signal changes nothing.
//
// Destroy the Runtime before a context that was stopped; one that ran out of work may go any time.
// A task that throws ends the process, as every detached task does.
#pragma once

#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/prefer.hpp>

#include "forebay/detail/env/detached.hpp"
#include "forebay/detail/env/remote_cancellation.hpp"
#include "forebay/postgres/direct_statements.hpp"

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

// The slot may be asked long after the operation has ended, and the scheduler with it.
template <class Handler>
std::shared_ptr<RemoteCancellation> cancelled_by_slot(const Handler& handler,
                                                      Scheduler& scheduler) {
  auto remote = RemoteCancellation::make(scheduler);
  auto slot = boost::asio::get_associated_cancellation_slot(handler);
  if (slot.is_connected()) {
    slot.assign([remote](boost::asio::cancellation_type type) {
      if (type != boost::asio::cancellation_type::none) remote->request();
    });
  }
  return remote;
}

// The T of a function that makes a Task<T>, and the signature of its handler: void(T), or void().
template <class>
struct TaskValue;
template <class T>
struct TaskValue<Task<T>> {
  using type = T;
  using Signature = void(T);
};
template <>
struct TaskValue<Task<void>> {
  using type = void;
  using Signature = void();
};

template <class Work>
concept CancellableWork = requires(Work& work, Cancellation& cancellation) {
  typename TaskValue<decltype(work(cancellation))>::type;
};

// The work lives as long as its task: what it has captured can be referred to.
template <class Work, class Handler, class Fallback>
Detached deliver(Work work, std::shared_ptr<RemoteCancellation> remote,
                 Completion<Handler, Fallback> completion) {
  using T = typename TaskValue<decltype(work(remote->cancellation()))>::type;
  if constexpr (std::is_void_v<T>) {
    co_await work(remote->cancellation());
    remote->end();
    std::move(completion).complete();
  } else {
    T value = co_await work(remote->cancellation());
    remote->end();
    std::move(completion).complete(std::move(value));
  }
}

// Work that was made elsewhere, and does not listen.
template <class T>
class GivenTask {
 public:
  explicit GivenTask(Task<T> task) : task_(std::move(task)) {}
  Task<T> operator()(Cancellation&) { return std::move(task_); }

 private:
  Task<T> task_;
};

template <class Work, class Executor, class Token>
auto initiate(Scheduler& scheduler, Work work, Executor fallback, Token&& token) {
  using Made = decltype(work(std::declval<Cancellation&>()));
  return boost::asio::async_initiate<Token, typename TaskValue<Made>::Signature>(
      [&scheduler](auto handler, Work started, const Executor& executor) {
        auto remote = cancelled_by_slot(handler, scheduler);
        Completion<decltype(handler), Executor> completion(std::move(handler), executor);
        scheduler.post(deliver(std::move(started), std::move(remote), std::move(completion)).frame);
      },
      token, std::move(work), std::move(fallback));
}

// The trace context of the caller that makes an operation, for its tasks, which run elsewhere.
inline std::string made_here() { return std::string(TraceScope::current()); }

inline Until until(Cancellation& cancelled, Duration timeout, const std::string& trace) {
  const Instant deadline = deadline_after(cancelled.scheduler().now(), timeout);
  return Until(deadline, cancelled).traced(trace);
}

}  // namespace detail

// Runs work(cancellation), a function that makes a Task; it is called on the scheduler. What it
// passes on the cancellation to, in an Until, ends early when the operation is cancelled.
//
//   auto work = [&](Cancellation& cancelled) { return ask(*pool, Until(deadline, cancelled)); };
//   co_await async_start(runtime.scheduler(), work, executor, use_awaitable);
//
// REQUIRES: the scheduler, and what the work refers to, live until the task has ended.
template <class Work, class Executor, class Token>
  requires detail::CancellableWork<std::decay_t<Work>>
auto async_start(Scheduler& scheduler, Work&& work, Executor fallback, Token&& token) {
  detail::require_safe_callable<Work>();
  return detail::initiate(scheduler, std::decay_t<Work>(std::forward<Work>(work)),
                          std::move(fallback), std::forward<Token>(token));
}

// The same for a task. It hears nothing of cancellations, and ends by its own deadline.
template <class T, class Executor, class Token>
auto async_start(Scheduler& scheduler, Task<T> task, Executor fallback, Token&& token) {
  return detail::initiate(scheduler, detail::GivenTask<T>(std::move(task)), std::move(fallback),
                          std::forward<Token>(token));
}

// A session of a PostgresPool, or of TenantSessions: the answer is a Result<PooledSession>.
// REQUIRES: the source lives until then.
template <class Executor, class Token>
auto async_acquire(postgres::SessionSource& source, Duration timeout, Executor fallback,
                   Token&& token, std::source_location from = std::source_location::current()) {
  auto acquire = [&source, timeout, from, trace = detail::made_here()](Cancellation& cancelled) {
    return source.acquire(detail::until(cancelled, timeout, trace), from);
  };
  return detail::initiate(source.env().scheduler, std::move(acquire), std::move(fallback),
                          std::forward<Token>(token));
}

// LibpqConnection::exec(): the answer is a Result<QueryResult>. REQUIRES: the session is held, and
// used for nothing else, until then.
template <class Executor, class Token>
auto async_exec(const postgres::PooledSession& session, postgres::Statement statement,
                postgres::Parameters parameters, Duration timeout, Executor fallback,
                Token&& token) {
  postgres::LibpqConnection& connection = *session;
  auto exec = [&connection, timeout, statement = std::move(statement),
               parameters = std::move(parameters),
               trace = detail::made_here()](Cancellation& cancelled) mutable {
    return connection.exec(std::move(statement), std::move(parameters),
                           detail::until(cancelled, timeout, trace));
  };
  return detail::initiate(connection.scheduler(), std::move(exec), std::move(fallback),
                          std::forward<Token>(token));
}

// LibpqConnection::exec_batch(), as async_exec(): a Result<std::vector<QueryResult>>.
template <class Executor, class Token>
auto async_exec_batch(const postgres::PooledSession& session, postgres::Batch batch,
                      Duration timeout, Executor fallback, Token&& token) {
  postgres::LibpqConnection& connection = *session;
  auto exec = [&connection, timeout, batch = std::move(batch)](Cancellation& cancelled) mutable {
    const Instant deadline = deadline_after(cancelled.scheduler().now(), timeout);
    return connection.exec_batch(std::move(batch), Until(deadline, cancelled));
  };
  return detail::initiate(connection.scheduler(), std::move(exec), std::move(fallback),
                          std::forward<Token>(token));
}

// LibpqConnection::query<T…>(), as async_exec(): a Result of all rows as C++ values.
template <class... T, class Executor, class Token>
auto async_query(const postgres::PooledSession& session, postgres::Statement statement,
                 postgres::Parameters parameters, Duration timeout, Executor fallback,
                 Token&& token) {
  postgres::LibpqConnection& connection = *session;
  auto query = [&connection, timeout, statement = std::move(statement),
                parameters = std::move(parameters),
                trace = detail::made_here()](Cancellation& cancelled) mutable {
    return connection.template query<T...>(std::move(statement), std::move(parameters),
                                           detail::until(cancelled, timeout, trace));
  };
  return detail::initiate(connection.scheduler(), std::move(query), std::move(fallback),
                          std::forward<Token>(token));
}
template <class Executor, class Token>
auto async_exec(const postgres::PooledSession& session, postgres::Statement statement,
                postgres::Parameters parameters, Executor fallback, Token&& token) {
  return async_exec(session, std::move(statement), std::move(parameters), session->call_timeout(),
                    std::move(fallback), std::forward<Token>(token));
}
template <class... T, class Executor, class Token>
auto async_query(const postgres::PooledSession& session, postgres::Statement statement,
                 postgres::Parameters parameters, Executor fallback, Token&& token) {
  return async_query<T...>(session, std::move(statement), std::move(parameters),
                           session->call_timeout(), std::move(fallback),
                           std::forward<Token>(token));
}

namespace detail {

// ask(statements) makes a Task with what DirectStatements has. It is called on the scheduler.
template <class Ask, class Executor, class Token>
auto initiate_on(postgres::SessionSource& source, Duration timeout, Ask ask, Executor fallback,
                 Token&& token) {
  auto work = [&source, timeout, ask = std::move(ask),
               trace = made_here()](Cancellation& cancelled) mutable {
    postgres::StatementsUntil statements(source, until(cancelled, timeout, trace));
    return ask(statements);
  };
  return initiate(source.env().scheduler, std::move(work), std::move(fallback),
                  std::forward<Token>(token));
}

}  // namespace detail

// The same on a PostgresPool, or on TenantSessions. REQUIRES: the source lives until then.
template <class Executor, class Token>
auto async_exec(postgres::SessionSource& source, postgres::StatementHere statement,
                postgres::Parameters parameters, Duration timeout, Executor fallback,
                Token&& token) {
  auto exec = [statement = std::move(statement),
               parameters = std::move(parameters)](postgres::StatementsUntil& statements) mutable {
    return statements.exec(std::move(statement), parameters);
  };
  return detail::initiate_on(source, timeout, std::move(exec), std::move(fallback),
                             std::forward<Token>(token));
}
template <class Executor, class Token>
auto async_exec(postgres::SessionSource& source, postgres::StatementHere statement,
                postgres::Parameters parameters, Executor fallback, Token&& token) {
  return async_exec(source, std::move(statement), std::move(parameters), source.call_timeout(),
                    std::move(fallback), std::forward<Token>(token));
}
template <class... T, class Executor, class Token>
auto async_query(postgres::SessionSource& source, postgres::StatementHere statement,
                 postgres::Parameters parameters, Duration timeout, Executor fallback,
                 Token&& token) {
  auto query = [statement = std::move(statement),
                parameters = std::move(parameters)](postgres::StatementsUntil& statements) mutable {
    return statements.template query<T...>(std::move(statement), parameters);
  };
  return detail::initiate_on(source, timeout, std::move(query), std::move(fallback),
                             std::forward<Token>(token));
}
template <class... T, class Executor, class Token>
auto async_query(postgres::SessionSource& source, postgres::StatementHere statement,
                 postgres::Parameters parameters, Executor fallback, Token&& token) {
  return async_query<T...>(source, std::move(statement), std::move(parameters),
                           source.call_timeout(), std::move(fallback), std::forward<Token>(token));
}

// run_transaction() on a PostgresPool, or on TenantSessions. body(transaction) is a
// Task<Result<T>> of the library's, which runs on its scheduler; the answer is the Result<T>. The
// operation's cancellation takes the place of that in the options. REQUIRES: the source, and what
// the body refers to, live until then.
template <class Body, class Executor, class Token>
auto async_transaction(postgres::SessionSource& source, postgres::TransactionOptions options,
                       Body&& body, Executor fallback, Token&& token,
                       std::source_location from = std::source_location::current()) {
  detail::require_safe_callable<Body>();
  const Duration timeout = options.timeout;
  auto run = [options = std::move(options), body = std::decay_t<Body>(std::forward<Body>(body)),
              from](postgres::StatementsUntil& statements) mutable {
    return statements.transaction(std::move(options), std::ref(body), from);
  };
  return detail::initiate_on(source, timeout, std::move(run), std::move(fallback),
                             std::forward<Token>(token));
}
template <class Body, class Executor, class Token>
auto async_transaction(postgres::SessionSource& source, Body&& body, Executor fallback,
                       Token&& token, std::source_location from = std::source_location::current()) {
  postgres::TransactionOptions options;
  options.timeout = source.call_timeout();
  return async_transaction(source, std::move(options), std::forward<Body>(body),
                           std::move(fallback), std::forward<Token>(token), from);
}

}  // namespace forebay
