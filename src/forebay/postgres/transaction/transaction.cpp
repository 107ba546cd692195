#include "forebay/postgres/transaction/transaction.hpp"

#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "forebay/env/duration_text.hpp"
#include "forebay/env/option_rules.hpp"
#include "forebay/postgres/transaction/commit_failure.hpp"

namespace forebay::postgres {
namespace {

std::string_view clause(Isolation isolation) {
  switch (isolation) {
    case Isolation::server_default: return "";
    case Isolation::read_committed: return " ISOLATION LEVEL READ COMMITTED";
    case Isolation::repeatable_read: return " ISOLATION LEVEL REPEATABLE READ";
    case Isolation::serializable: return " ISOLATION LEVEL SERIALIZABLE";
  }
  std::unreachable();
}

}  // namespace

Result<void> check(const TransactionOptions& options) {
  OptionRules rules;
  rules.require(options.timeout > Duration::zero(), "timeout", duration_text(options.timeout),
                "it must be more than zero");
  OptionProblems wrong = rules.take();
  append(wrong, within("policy", problems(options.policy)));
  if (wrong.empty()) return {};
  return failure(invalid_options(wrong));
}

std::string begin_statement(const TransactionOptions& options) {
  std::string sql = "BEGIN";
  sql += clause(options.isolation);
  if (options.is_read_only) sql += " READ ONLY";
  return sql;
}

Transaction::Transaction(LibpqConnection& connection, const TransactionOptions& options,
                         Until until, int attempt)
    : StatementScope(connection, until), options_(options), attempt_(attempt) {
  connection.begin_with_next(begin_statement(options), until.deadline());
}

Task<Result<void>> Transaction::begin() { return connection().begin_now(until()); }

Result<void> Transaction::begin_blocking() { return connection().begin_now_blocking(time_left()); }

Task<Result<QueryResult>> Transaction::exec_and_commit(Statement statement, Parameters parameters) {
  Batch batch;
  batch.add(std::move(statement), std::move(parameters));
  Result<std::vector<QueryResult>> answers = co_await exec_batch_and_commit(std::move(batch));
  if (!answers) co_return failure(answers.error());
  co_return std::move(answers->front());
}

Result<QueryResult> Transaction::exec_and_commit_blocking(const Statement& statement,
                                                          const Parameters& parameters) {
  Batch batch;
  batch.add(statement, parameters);
  Result<std::vector<QueryResult>> answers = exec_batch_and_commit_blocking(batch);
  if (!answers) return failure(answers.error());
  return std::move(answers->front());
}

Task<Result<std::vector<QueryResult>>> Transaction::exec_batch_and_commit(Batch batch) {
  const Result<void> ready = ready_to_commit();
  if (!ready) co_return failure(ready.error());
  Result<std::vector<QueryResult>> answers =
      co_await connection().exec_batch_and_commit(std::move(batch), until());
  co_return committed(std::move(answers));
}

Result<std::vector<QueryResult>> Transaction::exec_batch_and_commit_blocking(const Batch& batch) {
  const Result<void> ready = ready_to_commit();
  if (!ready) return failure(ready.error());
  return committed(connection().exec_batch_and_commit_blocking(batch, time_left()));
}

// A session that is known to be lost has an outcome that is known: nothing was sent.
Result<void> Transaction::ready_to_commit() {
  if (ended()) return failure(*ended());
  if (connection().is_heard_alive()) return {};
  return noted(Result<void>(failure(Errc::connection_lost,
                                    "the connection was lost before COMMIT; nothing was applied")));
}

Result<std::vector<QueryResult>> Transaction::committed(Result<std::vector<QueryResult>> answers) {
  if (answers) {
    commit_ = Commit::done;
    end(Error(Errc::invalid, "the body has committed the transaction, so nothing can follow"));
    return answers;
  }
  const CommitFailure judged = judge_commit(options_, connection(), answers.error());
  if (judged.is_unknown) {
    commit_ = Commit::unknown;
    end(judged.error);
    return failure(judged.error);
  }
  const bool is_still_open =
      connection().is_begin_pending() || connection().transaction_state() != TransactionState::none;
  if (is_still_open) return noted(std::move(answers));
  commit_ = Commit::refused;
  end(judged.error);
  return failure(judged.error);
}

}  // namespace forebay::postgres
