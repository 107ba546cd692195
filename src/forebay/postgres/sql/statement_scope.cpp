#include "forebay/postgres/sql/statement_scope.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace forebay::postgres {
namespace {

// The others count too, and something else: SELECT the rows of its answer.
bool is_change(std::string_view command_tag) {
  static constexpr std::array<std::string_view, 4> kChanges{"INSERT ", "UPDATE ", "DELETE ",
                                                            "MERGE "};
  return std::ranges::any_of(
      kChanges, [&](std::string_view change) { return command_tag.starts_with(change); });
}

Result<AffectedRows> affected(const Result<QueryResult>& result) {
  if (!result) return failure(result.error());
  if (!is_change(result->command_tag())) {
    return failure(Errc::invalid,
                   fmt::format("INSERT, UPDATE, DELETE or MERGE was expected, and the statement "
                               "was \"{}\"",
                               result->command_tag()));
  }
  return AffectedRows(result->affected_rows());
}

Result<void> exactly(const Result<AffectedRows>& changed, std::uint64_t rows) {
  if (!changed) return failure(changed.error());
  return changed->exactly(rows);
}

}  // namespace

Duration StatementScope::time_left() const {
  if (deadline() == kNever) return Duration::max();
  return deadline() - connection_.scheduler().now();
}

std::optional<Error> StatementScope::first_error() const {
  return first_error_ ? first_error_ : connection_.stream_failure();
}

template <class T>
Result<T> StatementScope::noted(Result<T> result) {
  const TransactionState state = connection_.transaction_state();
  const bool has_begun = !connection_.is_begin_pending();
  if (state == TransactionState::none && has_begun) was_outside_transaction_ = true;
  if (state == TransactionState::open) {
    first_error_.reset();  // the error was no failure of the transaction, or was rolled back to
    connection_.forget_stream_failure();
  } else if (!result && !first_error()) {
    first_error_ = result.error();
  }
  return result;
}

template Result<std::vector<QueryResult>> StatementScope::noted(Result<std::vector<QueryResult>>);
template Result<void> StatementScope::noted(Result<void>);

Task<Result<QueryResult>> StatementScope::exec(Statement statement, Parameters parameters) {
  return exec(std::move(statement), std::move(parameters), until_);
}

Task<Result<QueryResult>> StatementScope::exec(Statement statement, Parameters parameters,
                                               Until until) {
  if (end_) co_return failure(*end_);
  const Until nearer = until.within(until_);
  Result<QueryResult> result =
      co_await connection_.exec(std::move(statement), std::move(parameters), nearer);
  co_return noted(std::move(result));
}

Task<Result<std::uint64_t>> StatementScope::copy_in(std::string sql, CopySource source) {
  if (end_) co_return failure(*end_);
  Result<std::uint64_t> rows =
      co_await connection_.copy_in(std::move(sql), std::move(source), until_);
  co_return noted(std::move(rows));
}

Task<Result<std::uint64_t>> StatementScope::copy_out(std::string sql, CopySink sink) {
  if (end_) co_return failure(*end_);
  Result<std::uint64_t> rows =
      co_await connection_.copy_out(std::move(sql), std::move(sink), until_);
  co_return noted(std::move(rows));
}

Task<Result<StreamedRows>> StatementScope::open_rows(Statement statement, Parameters parameters) {
  if (end_) co_return failure(*end_);
  Result<StreamedRows> rows = co_await connection_.open_rows(
      std::move(statement), std::move(parameters), until_, StreamLimit(until_));
  co_return noted(std::move(rows));
}

Result<StreamedRows> StatementScope::open_rows_blocking(const Statement& statement,
                                                        const Parameters& parameters) {
  if (end_) return failure(*end_);
  return noted(connection_.open_rows_blocking(statement, parameters, StreamLimit(until_)));
}

Task<Result<AffectedRows>> StatementScope::modify(Statement statement, Parameters parameters) {
  const Result<QueryResult> result = co_await exec(std::move(statement), std::move(parameters));
  co_return affected(result);
}

Task<Result<void>> StatementScope::exec_exactly(std::uint64_t rows, Statement statement,
                                                Parameters parameters) {
  const Result<AffectedRows> changed = co_await modify(std::move(statement), std::move(parameters));
  co_return exactly(changed, rows);
}

Result<QueryResult> StatementScope::exec_blocking(const Statement& statement,
                                                  const Parameters& parameters) {
  if (end_) return failure(*end_);
  return noted(connection_.exec_blocking_until(statement, parameters, deadline()));
}

Result<QueryResult> StatementScope::exec_blocking(const Statement& statement,
                                                  const Parameters& parameters, Duration timeout) {
  if (end_) return failure(*end_);
  return noted(connection_.exec_blocking(statement, parameters, std::min(timeout, time_left())));
}

Result<std::uint64_t> StatementScope::copy_in_blocking(const std::string& sql,
                                                       const CopySource& source) {
  if (end_) return failure(*end_);
  return noted(connection_.copy_in_blocking(sql, source, time_left()));
}

Result<std::uint64_t> StatementScope::copy_out_blocking(const std::string& sql,
                                                        const CopySink& sink) {
  if (end_) return failure(*end_);
  return noted(connection_.copy_out_blocking(sql, sink, time_left()));
}

Task<Result<std::vector<QueryResult>>> StatementScope::exec_batch(Batch batch) {
  if (end_) co_return failure(*end_);
  Result<std::vector<QueryResult>> answers =
      co_await connection_.exec_batch(std::move(batch), until_);
  co_return noted(std::move(answers));
}

Result<std::vector<QueryResult>> StatementScope::exec_batch_blocking(const Batch& batch) {
  if (end_) return failure(*end_);
  return noted(connection_.exec_batch_blocking(batch, time_left()));
}

Result<AffectedRows> StatementScope::modify_blocking(const Statement& statement,
                                                     const Parameters& parameters) {
  return affected(exec_blocking(statement, parameters));
}

Result<void> StatementScope::exec_exactly_blocking(std::uint64_t rows, const Statement& statement,
                                                   const Parameters& parameters) {
  return exactly(modify_blocking(statement, parameters), rows);
}

}  // namespace forebay::postgres
