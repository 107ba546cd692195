// Runs something again and again until it succeeds or is not worth another attempt. What an attempt
// is, is the caller's affair: a transaction on a real server, or one in a simulated world.
//
// One form for tasks and one for threads; AttemptBook, which decides, counts and tells, serves
// both.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/base/error.hpp"
#include "forebay/detail/pool/observed_span.hpp"
#include "forebay/env/scheduler.hpp"
#include "forebay/env/task.hpp"
#include "forebay/retry/retry_policy.hpp"

namespace forebay {

class OperationMetrics;
class TransactionMetrics;
enum class Verdict : std::uint8_t;

// One attempt that is over. Views and pointers live as long as the call of the hook.
struct AttemptReport {
  std::string_view operation;
  int number = 1;                         // from 1
  const Error* error = nullptr;           // null: it succeeded
  std::optional<ErrorClass> error_class;  // nothing: it succeeded
  Duration duration{};
  std::optional<Duration> backoff;  // about to be waited; nothing: this was the last attempt
};

struct RetryOptions {
  explicit RetryOptions(std::string name = "transaction") : operation(std::move(name)) {}

  std::string operation;  // in metrics and reports: one word for one kind of transaction
  RetryPolicy policy;
  // Says that a second application changes nothing: then an unknown outcome is run again too.
  bool is_idempotent = false;
  TransactionMetrics* metrics = nullptr;  // null: nothing is counted
  // In whose name observers see it; empty: that of the thread's TraceScope.
  std::string trace_context;
  // Called after each attempt, where the attempt ran: it must not block a scheduler's thread.
  std::function<void(const AttemptReport&)> on_attempt;
};

// The attempts of one operation. Confined to the code that runs them; the options outlive it.
class AttemptBook {
 public:
  // REQUIRES: problems(options.policy) is empty.
  AttemptBook(const RetryOptions& options, Random& random, Instant deadline, Instant now);

  // The observation outlives it.
  void observe(const Observation& observation, const Scheduler& scheduler) {
    span_.emplace(observation, scheduler);
  }

  int begin(Instant now);  // the number of the attempt, from 1
  // The attempt is over, with this error or with none. Nothing: so is the operation. Otherwise the
  // moment at which the next attempt begins.
  std::optional<Instant> end(const Error* error, Instant now);
  // REQUIRES: end() said nothing. The same error, with what its last words do not tell: how often
  // it was tried, and why it is not tried again. If an earlier attempt ended with an unknown
  // outcome, so does the operation, whatever became of the attempts after it.
  Error final_error(const Error& last) const;

 private:
  Error with_attempts(const Error& last) const;

  const RetryOptions& options_;
  Random& random_;
  const Instant deadline_;
  const Instant started_;
  OperationMetrics* const metrics_;
  int number_ = 0;
  Instant attempt_started_{};
  Instant ended_{};
  Verdict verdict_;  // of the last attempt
  std::optional<detail::ObservedSpan> span_;
  std::optional<int> unknown_attempt_;  // the first that may have been applied or not
};

// attempt(number) is a Task<Result<T>>, pause(until) an awaitable. Both outlive the task. An
// exception of an attempt ends the operation.
template <class T, class Attempt, class Pause>
Task<Result<T>> run_attempts(const Scheduler& scheduler, AttemptBook& book, Attempt& attempt,
                             Pause& pause) {
  for (;;) {
    const int number = book.begin(scheduler.now());
    Result<T> result = co_await attempt(number);
    const std::optional<Instant> again =
        book.end(result ? nullptr : &result.error(), scheduler.now());
    if (!again && !result) co_return failure(book.final_error(result.error()));
    if (!again) co_return std::move(result);
    co_await pause(*again);
  }
}

namespace detail {
void stop_thread_until(Instant time);
}

// The same on a thread: attempt(number) is a Result<T>. Never on the scheduler's own thread.
template <class T, class Attempt>
Result<T> run_attempts_blocking(const Scheduler& scheduler, AttemptBook& book, Attempt& attempt) {
  for (;;) {
    const int number = book.begin(scheduler.now());
    Result<T> result = attempt(number);
    const std::optional<Instant> again =
        book.end(result ? nullptr : &result.error(), scheduler.now());
    if (!again && !result) return failure(book.final_error(result.error()));
    if (!again) return result;
    detail::stop_thread_until(*again);
  }
}

}  // namespace forebay
