// BriefLoan: a session for one statement. It goes back before the rows are read, so that a caller
// that reads them slowly keeps nobody waiting. CallLimit: how long a call may take, and who may end
// it.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <source_location>
#include <stop_token>
#include <utility>

#include "forebay/detail/env/remote_cancellation.hpp"
#include "forebay/pool/pool.hpp"
#include "forebay/postgres/transaction/session_source.hpp"
#include "forebay/postgres/transaction/transaction.hpp"

namespace forebay::postgres::detail {

// From the moment at which the call begins, or until a moment that is known already.
class CallLimit {
 public:
  explicit CallLimit(Duration timeout) : timeout_(timeout) {}
  explicit CallLimit(Until until) : until_(until) {}
  CallLimit(Duration timeout, std::stop_token stop) : timeout_(timeout), stop_(std::move(stop)) {}
  CallLimit(Until until, std::stop_token stop) : until_(until), stop_(std::move(stop)) {}

  Until from(Instant now) const;
  // Of a limit without a cancellation, for threads.
  Duration left(SessionSource& sessions) const {
    return until_ ? until_end(sessions.env().scheduler) : timeout_;
  }
  const std::stop_token& stop() const { return stop_; }

 private:
  Duration until_end(const Scheduler& scheduler) const;

  Duration timeout_{};
  std::optional<Until> until_;
  std::stop_token stop_;  // of nobody, mostly
};

// A stop that any thread may ask for, as a cancellation of the task that waits. Lives in that
// task's frame.
class HeardStop {
 public:
  HeardStop(Scheduler& scheduler, Until until, const std::stop_token& stop);
  HeardStop(const HeardStop&) = delete;
  HeardStop& operator=(const HeardStop&) = delete;
  ~HeardStop();

  const Until& until() const { return until_; }
  // The transaction ends by then, if not before by its own limit.
  void tighten(TransactionOptions& options, Instant now) const;

 private:
  struct Request {
    std::shared_ptr<RemoteCancellation> remote;
    void operator()() const { remote->request(); }
  };

  Until until_;
  std::shared_ptr<RemoteCancellation> remote_;  // null: nobody can ask
  std::optional<std::stop_callback<Request>> callback_;
};

// One statement, by a task, with its rows as C++ values; where T is a QueryResult, as it is. The
// source outlives it. Errors are those of acquiring, of LibpqConnection::exec() and of reading.
template <class T>
Task<Result<T>> read_on_loan(SessionSource& sessions, CallLimit limit, std::source_location from,
                             Statement statement, Parameters parameters,
                             Result<T> (QueryResult::*read)() const) {
  Scheduler& scheduler = sessions.env().scheduler;
  const HeardStop heard(scheduler, limit.from(scheduler.now()), limit.stop());
  std::optional<PooledSession> session;
  // Where nobody is to be told of the wait, the pool's own awaiter saves a frame.
  const bool is_observed = sessions.observation().observer != nullptr;
  if (Pool* const pool = is_observed ? nullptr : sessions.sole_pool()) {
    Result<PooledConnection> taken = co_await pool->acquire(heard.until(), from);
    if (!taken) co_return failure(std::move(taken.error()));
    session.emplace(std::move(*taken));
  } else {
    Result<PooledSession> taken = co_await sessions.acquire(heard.until(), from);
    if (!taken) co_return failure(std::move(taken.error()));
    session.emplace(std::move(*taken));
  }
  Result<QueryResult> result =
      co_await (*session)->exec(std::move(statement), std::move(parameters), heard.until());
  session.reset();
  if (!result) co_return failure(std::move(result.error()));
  if constexpr (std::same_as<T, QueryResult>) {
    co_return std::move(result);
  } else {
    co_return ((*result).*read)();
  }
}
inline Task<Result<QueryResult>> exec_on_loan(SessionSource& sessions, CallLimit limit,
                                              std::source_location from, Statement statement,
                                              Parameters parameters) {
  return read_on_loan<QueryResult>(sessions, std::move(limit), from, std::move(statement),
                                   std::move(parameters), nullptr);
}

// The same by a thread, to which it is confined, as a session is.
class BriefLoan : public TypedQueries<BriefLoan> {
 public:
  BriefLoan(SessionSource& sessions, std::source_location from, std::stop_token stop)
      : sessions_(sessions), from_(from), stop_(std::move(stop)) {}

  Result<QueryResult> exec_blocking(const Statement& statement, const Parameters& parameters,
                                    Duration timeout);

 private:
  SessionSource& sessions_;
  const std::source_location from_;
  const std::stop_token stop_;
};

}  // namespace forebay::postgres::detail
