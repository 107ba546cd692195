// BriefLoan: a session for one statement. It goes back before the rows are read, so that a caller
// that reads them slowly keeps nobody waiting. CallLimit: how long a call may take, and who may end
// it.
#pragma once

#include <memory>
#include <optional>
#include <source_location>
#include <stop_token>
#include <utility>

#include "forebay/detail/env/remote_cancellation.hpp"
#include "forebay/postgres/transaction/session_source.hpp"
#include "forebay/postgres/transaction/transaction.hpp"

namespace forebay::postgres::detail {

// From the moment at which the call begins, or until a moment that is known already.
class CallLimit {
 public:
  explicit CallLimit(Duration timeout) : timeout_(timeout) {}
  explicit CallLimit(Until until) : until_(until) {}
  CallLimit(Duration timeout, std::stop_token stop) : timeout_(timeout), stop_(std::move(stop)) {}

  Until from(Instant now) const;
  // Of a limit without a cancellation, for threads.
  Duration left(Instant now) const;
  const std::stop_token& stop() const { return stop_; }

 private:
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

// Confined to its caller, as a session is; the source outlives it. Errors are those of acquiring,
// and of LibpqConnection::exec().
class BriefLoan : public TypedQueries<BriefLoan> {
 public:
  BriefLoan(SessionSource& sessions, std::source_location from, std::stop_token stop)
      : sessions_(sessions), from_(from), stop_(std::move(stop)) {}

  Task<Result<QueryResult>> exec(Statement statement, Parameters parameters, Until until);
  Result<QueryResult> exec_blocking(const Statement& statement, const Parameters& parameters,
                                    Duration timeout);

 private:
  SessionSource& sessions_;
  const std::source_location from_;
  const std::stop_token stop_;
};

// ask(loan, until) is a Task<Result<T>>.
template <class T, class Ask>
Task<Result<T>> ask_on_loan(SessionSource& sessions, CallLimit limit, std::source_location from,
                            Ask ask) {
  BriefLoan loan(sessions, from, limit.stop());
  const Until until = limit.from(sessions.env().scheduler.now());
  co_return co_await ask(loan, until);
}

}  // namespace forebay::postgres::detail
