// Transaction: what the body of run_transaction() gets; TransactionOptions: what it is told.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "forebay/postgres/sql/statement_scope.hpp"
#include "forebay/retry/attempts.hpp"

namespace forebay::postgres {

// Aurora DSQL has repeatable_read alone, and calls it so.
enum class Isolation : std::uint8_t {
  server_default,
  read_committed,
  repeatable_read,
  serializable
};

struct TransactionOptions : RetryOptions {
  using RetryOptions::RetryOptions;

  Isolation isolation = Isolation::server_default;
  bool is_read_only = false;  // a COMMIT without an answer is then no unknown outcome
  Duration timeout = std::chrono::seconds(30);  // of the whole: acquiring, all attempts, pauses
  // Ends a transaction of a task early, with Errc::cancelled: what it waits for, in line or at the
  // server, and its pauses. Of the task's scheduler; it outlives the transaction.
  Cancellation* cancellation = nullptr;
};

// Errc::invalid says everything that is wrong with them.
Result<void> check(const TransactionOptions& options);

// How the transaction begins, in SQL.
std::string begin_statement(const TransactionOptions& options);

// One attempt. Statements run on it have the deadline of the whole. BEGIN travels with the first of
// them. The body does not end it: it says by its result whether to commit, or has COMMIT travel
// with its last statement.
class Transaction final : public StatementScope {
 public:
  // The options outlive it.
  Transaction(LibpqConnection& connection, const TransactionOptions& options, Until until,
              int attempt);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  int attempt() const { return attempt_; }  // from 1

  // The body's last statement, and COMMIT with it, in one round trip; for a body of one statement
  // it is the only one. If the statement fails, nothing is committed, and the error is as that of
  // exec(). If COMMIT does, the error says so: a conflict, or Errc::unknown_outcome without an
  // answer; the body returns it, and run_transaction() knows what to do. Afterwards every statement
  // is refused with Errc::invalid, and a body that returns an error is told that it was committed.
  // What depends on the answer (how many rows it changed, say) cannot be rolled back any more.
  Task<Result<QueryResult>> exec_and_commit(Statement statement,
                                            Parameters parameters = Parameters());
  Result<QueryResult> exec_and_commit_blocking(const Statement& statement,
                                               const Parameters& parameters = Parameters());
  // The same with all of a batch: a whole transaction in one round trip.
  Task<Result<std::vector<QueryResult>>> exec_batch_and_commit(Batch batch);
  Result<std::vector<QueryResult>> exec_batch_and_commit_blocking(const Batch& batch);

  // Sends BEGIN now, if no statement was run yet; for those who use connection().native().
  Task<Result<void>> begin();
  Result<void> begin_blocking();

  // What became of a COMMIT that the body has sent.
  enum class Commit : std::uint8_t { not_sent, done, refused, unknown };
  Commit commit_state() const { return commit_; }
  const Error& commit_error() const { return *ended(); }  // REQUIRES: it was refused or is unknown

 private:
  Result<void> ready_to_commit();
  Result<std::vector<QueryResult>> committed(Result<std::vector<QueryResult>> answers);

  const TransactionOptions& options_;
  const int attempt_;
  Commit commit_ = Commit::not_sent;
};

}  // namespace forebay::postgres
