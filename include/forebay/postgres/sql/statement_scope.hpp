// StatementScope: a session, and until when everything that is run on it has time.
//
// What is asked through it is what a Transaction offers and what fenced updates need; on a session
// without a transaction each statement is one of its own. Plain names are for tasks of the
// scheduler, _blocking names for threads of the application. Confined to the session's user.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/postgres/driver/libpq_connection.hpp"
#include "forebay/postgres/sql/affected_rows.hpp"

namespace forebay::postgres {

class StatementScope : public TypedQueries<StatementScope> {
 public:
  StatementScope(LibpqConnection& connection, Until until)
      : connection_(connection), until_(until) {}

  // Errors as in LibpqConnection::exec.
  Task<Result<QueryResult>> exec(Statement statement, Parameters parameters = Parameters());
  Result<QueryResult> exec_blocking(const Statement& statement,
                                    const Parameters& parameters = Parameters());
  // With a deadline, or a time to wait, that is nearer than that of the scope.
  Task<Result<QueryResult>> exec(Statement statement, Parameters parameters, Until until);
  Result<QueryResult> exec_blocking(const Statement& statement, const Parameters& parameters,
                                    Duration timeout);

  // For INSERT, UPDATE, DELETE and MERGE, whose answer is how many rows they changed; after any
  // other statement, Errc::invalid.
  Task<Result<AffectedRows>> modify(Statement statement, Parameters parameters = Parameters());
  Result<AffectedRows> modify_blocking(const Statement& statement,
                                       const Parameters& parameters = Parameters());
  // Errc::condition_failed if it changed any other number. In a transaction, return that error, and
  // what was changed is rolled back.
  Task<Result<void>> exec_exactly(std::uint64_t rows, Statement statement,
                                  Parameters parameters = Parameters());
  Result<void> exec_exactly_blocking(std::uint64_t rows, const Statement& statement,
                                     const Parameters& parameters = Parameters());

  // Many statements in one round trip; see Batch.
  Task<Result<std::vector<QueryResult>>> exec_batch(Batch batch);
  Result<std::vector<QueryResult>> exec_batch_blocking(const Batch& batch);

  // As in StreamedQueries, with the deadline of the scope for the whole stream.
  template <class... T>
  Task<Result<RowStream<T...>>> stream(Statement statement, Parameters parameters = Parameters()) {
    Result<StreamedRows> rows = co_await open_rows(std::move(statement), std::move(parameters));
    co_return RowStream<T...>::over(std::move(rows));
  }
  template <class... T>
  Result<RowStream<T...>> stream_blocking(const Statement& statement,
                                          const Parameters& parameters = Parameters()) {
    return RowStream<T...>::over(open_rows_blocking(statement, parameters));
  }

  // As in LibpqConnection, with the deadline of the scope.
  Task<Result<std::uint64_t>> copy_in(std::string sql, CopySource source);
  Task<Result<std::uint64_t>> copy_out(std::string sql, CopySink sink);
  template <CallableOtherThan<CopySource> Source>
  Task<Result<std::uint64_t>> copy_in(std::string sql, Source&& source) {
    forebay::detail::require_safe_callable<Source>();
    return copy_in(std::move(sql), CopySource(std::forward<Source>(source)));
  }
  template <CallableOtherThan<CopySink> Sink>
  Task<Result<std::uint64_t>> copy_out(std::string sql, Sink&& sink) {
    forebay::detail::require_safe_callable<Sink>();
    return copy_out(std::move(sql), CopySink(std::forward<Sink>(sink)));
  }
  Result<std::uint64_t> copy_in_blocking(const std::string& sql, const CopySource& source);
  Result<std::uint64_t> copy_out_blocking(const std::string& sql, const CopySink& sink);

  // As in TypedQueries, with the deadline of the scope.
  template <class... T>
  auto query(Statement statement, Parameters parameters = Parameters()) {
    return Typed::template query<T...>(std::move(statement), std::move(parameters), until_);
  }
  template <class... T>
  auto query_one(Statement statement, Parameters parameters = Parameters()) {
    return Typed::template query_one<T...>(std::move(statement), std::move(parameters), until_);
  }
  template <class... T>
  auto query_optional(Statement statement, Parameters parameters = Parameters()) {
    return Typed::template query_optional<T...>(std::move(statement), std::move(parameters),
                                                until_);
  }
  template <class... T>
  auto query_blocking(const Statement& statement, const Parameters& parameters = Parameters()) {
    return Typed::template query_blocking<T...>(statement, parameters, time_left());
  }
  template <class... T>
  auto query_one_blocking(const Statement& statement, const Parameters& parameters = Parameters()) {
    return Typed::template query_one_blocking<T...>(statement, parameters, time_left());
  }
  template <class... T>
  auto query_optional_blocking(const Statement& statement,
                               const Parameters& parameters = Parameters()) {
    return Typed::template query_optional_blocking<T...>(statement, parameters, time_left());
  }

  // For what is missing here.
  LibpqConnection& connection() const { return connection_; }
  Instant deadline() const { return until_.deadline(); }
  Duration time_left() const;
  // The first statement that failed here, unless a savepoint has undone that. A server refuses all
  // that follow in a transaction with 25P02, which does not say why.
  std::optional<Error> first_error() const;
  // After one of the statements, no transaction was open.
  bool was_outside_transaction() const { return was_outside_transaction_; }

 protected:
  Until until() const { return until_; }
  // Everything from now on is refused with that error.
  void end(Error why) { end_ = std::move(why); }
  const std::optional<Error>& ended() const { return end_; }
  template <class T>
  Result<T> noted(Result<T> result);

 private:
  using Typed = TypedQueries<StatementScope>;

  Task<Result<StreamedRows>> open_rows(Statement statement, Parameters parameters);
  Result<StreamedRows> open_rows_blocking(const Statement& statement, const Parameters& parameters);

  LibpqConnection& connection_;
  const Until until_;
  std::optional<Error> first_error_;
  std::optional<Error> end_;
  bool was_outside_transaction_ = false;
};

}  // namespace forebay::postgres
