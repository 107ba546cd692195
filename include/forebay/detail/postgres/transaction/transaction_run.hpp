// TransactionRun: carries out the attempts of one run_transaction(), each on a session of its own:
//
//   acquire ─► body, whose first statement brings BEGIN ─► COMMIT ─► give back
//      │         │                                            └─ no answer: unknown outcome, the
//      ▼         ▼                                               session is discarded
//    over     ROLLBACK, give back
//
// COMMIT is not sent if the body has sent it with its last statement, or has run no statement.
//
// The session goes back after each attempt and not after the last one: a pool whose callers kept
// their sessions while they pause for seconds would be empty for everybody else. When an attempt is
// over, the server has ended its transaction, unless the deadline left no time to say so: then the
// pool rolls back before it hands the session to the next user. A session on which the body left
// a COPY open is discarded.
//
// Confined to the code that runs the transaction. The two forms differ in how they wait and in
// nothing else.
#pragma once

#include <optional>
#include <source_location>

#include "forebay/postgres/transaction/session_source.hpp"
#include "forebay/postgres/transaction/transaction.hpp"

namespace forebay::postgres {

class TransactionRun {
 public:
  // The source and the options outlive it.
  TransactionRun(SessionSource& sessions, const TransactionOptions& options, Instant deadline,
                 std::source_location from)
      : sessions_(sessions), options_(options), deadline_(deadline), from_(from) {}
  TransactionRun(const TransactionRun&) = delete;
  TransactionRun& operator=(const TransactionRun&) = delete;
  ~TransactionRun() { let_go(); }

  Instant deadline() const { return deadline_; }

  // After a begin() that succeeded there is a transaction(), until one of the others is called. The
  // server does not know of it yet.
  Task<Result<void>> begin(int attempt);
  Result<void> begin_blocking(int attempt);
  Transaction& transaction() { return *transaction_; }

  // The body has succeeded. Success means that the server has said so, or was asked for nothing.
  Task<Result<void>> commit();
  Result<void> commit_blocking();
  // The body has failed.
  Task<void> roll_back();
  void roll_back_blocking();

  // What the body's error really is: behind 25P02 stands the error of an earlier statement, and
  // after a body that ended its transaction by itself it is Errc::invalid. To be asked before the
  // end.
  Error cause_of(const Error& body_error) const;

  // Its deadline, and its cancellation if it has one.
  Until until() const {
    const Until until = options_.cancellation == nullptr ? Until(deadline_)
                                                         : Until(deadline_, *options_.cancellation);
    return until.traced(options_.trace_context);
  }

 private:
  void take(PooledSession session, int attempt);
  bool must_commit() const;
  bool must_roll_back() const;
  bool has_ended_by_itself() const;
  bool was_refused_to_begin() const;
  Result<void> ready_to_commit() const;
  Result<void> outcome_of(const Result<QueryResult>& answer);
  Error swallowed_failure() const;
  void let_go();

  SessionSource& sessions_;
  const TransactionOptions& options_;
  const Instant deadline_;
  const std::source_location from_;
  std::optional<PooledSession> session_;
  std::optional<Transaction> transaction_;
};

}  // namespace forebay::postgres
