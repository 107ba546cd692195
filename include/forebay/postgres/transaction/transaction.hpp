// Transaction: what the body of run_transaction() gets; TransactionOptions: what it is told.
#pragma once

#include <cstdint>
#include <string>

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

// One attempt. Statements run on it have the deadline of the whole. The body does not end it: it
// says by its result whether to commit.
class Transaction final : public StatementScope {
 public:
  Transaction(LibpqConnection& connection, Until until, int attempt)
      : StatementScope(connection, until), attempt_(attempt) {}
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  int attempt() const { return attempt_; }  // from 1

 private:
  const int attempt_;
};

}  // namespace forebay::postgres
