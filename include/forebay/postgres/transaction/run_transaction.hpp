// run_transaction(pool, options, body): BEGIN, the body, COMMIT, and all of it again after a
// conflict, on another session, until the policy or the deadline ends it. BEGIN travels with the
// body's first statement, and COMMIT with its last if that is Transaction::exec_and_commit().
//
//   TransactionOptions options("transfer");
//   auto body = [&](Transaction& transaction) -> Task<Result<int>> { ... };
//   Result<int> moved = co_await run_transaction(pool, options, body);
//
//   Result<int> moved = run_transaction_blocking(pool, options, [&](Transaction& transaction)
//                                                -> Result<int> { ... });
//
// The body may run several times, so what it does outside of the database must allow for that. An
// error from it rolls back and comes back to the caller. An exception rolls back and is not
// retried: on a thread it goes on to the caller, of a task it becomes Errc::invalid. What is
// retried, and what never:
//
//   conflict (40001, OC000, OC001) or deadlock, at COMMIT too          retried
//   connection lost before COMMIT was sent: nothing was applied        retried
//   COMMIT sent, no clear answer: Errc::unknown_outcome                only if is_idempotent
//   failed condition, unsupported feature, limit, timeout, all else    never
//
// A transaction of a task that is cancelled (TransactionOptions::cancellation) is rolled back, or
// has an unknown outcome if COMMIT was on its way.
#pragma once

#include <exception>
#include <optional>
#include <source_location>
#include <string_view>
#include <type_traits>
#include <utility>

#include "forebay/detail/postgres/transaction/transaction_run.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay::postgres {

namespace detail {

// The T of a body that gives Result<T> or Task<Result<T>>.
template <class Outcome>
struct BodyValue;
template <class T>
struct BodyValue<Result<T>> {
  using type = T;
};
template <class T>
struct BodyValue<Task<Result<T>>> {
  using type = T;
};
template <class Body>
using ValueOf = typename BodyValue<std::invoke_result_t<Body&, Transaction&>>::type;

// A task has no caller whose stack an exception could unwind.
Error thrown_by_body(const std::exception_ptr& thrown, const Transaction& transaction);

template <class T, class Body>
Task<Result<T>> attempt_transaction(TransactionRun& run, Body& body, int number) {
  const Result<void> begun = co_await run.begin(number);
  if (!begun) co_return failure(begun.error());
  std::optional<Result<T>> result;
  std::exception_ptr thrown;
  try {
    Result<T> returned = co_await body(run.transaction());
    result.emplace(std::move(returned));
  } catch (...) {
    thrown = std::current_exception();
  }
  if (result && *result) {
    const Result<void> committed = co_await run.commit();
    if (!committed) co_return failure(committed.error());
    co_return std::move(*result);
  }
  const Error cause =
      result ? run.cause_of(result->error()) : thrown_by_body(thrown, run.transaction());
  co_await run.roll_back();
  co_return failure(cause);
}

template <class T, class Body>
Result<T> attempt_transaction_blocking(TransactionRun& run, Body& body, int number) {
  const Result<void> begun = run.begin_blocking(number);
  if (!begun) return failure(begun.error());
  std::optional<Result<T>> result;
  try {
    result.emplace(body(run.transaction()));
  } catch (...) {
    run.roll_back_blocking();
    throw;
  }
  if (*result) {
    const Result<void> committed = run.commit_blocking();
    if (!committed) return failure(committed.error());
    return std::move(*result);
  }
  Error cause = run.cause_of(result->error());
  run.roll_back_blocking();
  return failure(std::move(cause));
}

// On the loop of the task, until then or until it is cancelled.
Sleep pause(Scheduler& scheduler, Instant end, Until until);

// Errc::invalid: the thread is that of the scheduler, or an option makes no sense.
Result<void> check_blocking(const Scheduler& scheduler, const TransactionOptions& options,
                            const std::source_location& from);

template <class T, class Body>
Task<Result<T>> transaction_task(SessionSource& sessions, TransactionOptions options, Body body,
                                 std::source_location from) {
  const Result<void> checked = check(options);
  if (!checked) co_return failure(checked.error());
  const Env env = sessions.env();
  const Instant now = env.scheduler.now();
  TransactionRun run(sessions, options, deadline_after(now, options.timeout), from);
  AttemptBook book(options, env.random, run.deadline(), now);
  book.observe(sessions.observation(), env.scheduler);
  auto attempt = [&run, &body](int number) { return attempt_transaction<T>(run, body, number); };
  auto pause = [&env, &run](Instant end) { return detail::pause(env.scheduler, end, run.until()); };
  co_return co_await run_attempts<T>(env.scheduler, book, attempt, pause);
}

}  // namespace detail

// For tasks of any loop, on which it runs. body(transaction) is a Task<Result<T>>, and so is this.
// The body is copied; what it refers to outlives the task.
template <class Body>
auto run_transaction(SessionSource& sessions, TransactionOptions options, Body&& body,
                     std::source_location from = std::source_location::current()) {
  forebay::detail::require_safe_callable<Body>();
  using Copy = std::decay_t<Body>;
  return detail::transaction_task<detail::ValueOf<Copy>, Copy>(sessions, std::move(options),
                                                               std::forward<Body>(body), from);
}

// For threads of the application, never on the scheduler's own: body(transaction) is a Result<T>,
// and so is this.
template <class Body>
auto run_transaction_blocking(SessionSource& sessions, const TransactionOptions& options,
                              Body&& body,
                              std::source_location from = std::source_location::current())
    -> Result<detail::ValueOf<std::remove_reference_t<Body>>> {
  using T = detail::ValueOf<std::remove_reference_t<Body>>;
  Scheduler& scheduler = sessions.env().scheduler;
  const Result<void> checked = detail::check_blocking(scheduler, options, from);
  if (!checked) return failure(checked.error());
  const Instant now = scheduler.now();
  TransactionRun run(sessions, options, deadline_after(now, options.timeout), from);
  AttemptBook book(options, sessions.thread_random(), run.deadline(), now);
  book.observe(sessions.observation(), scheduler);
  const std::string_view context = options.trace_context;
  const TraceScope traced(context.empty() ? TraceScope::current() : context);
  auto attempt = [&run, &body](int number) {
    return detail::attempt_transaction_blocking<T>(run, body, number);
  };
  return run_attempts_blocking<T>(scheduler, book, attempt);
}

}  // namespace forebay::postgres
