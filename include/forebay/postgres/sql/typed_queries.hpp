// TypedQueries: statements whose rows come back as C++ values, for everything that has exec().
//
//   auto name = session->query_one_blocking<std::string>(
//       "SELECT name FROM account WHERE id = $1", parameters(42), 5s);
//
//   query<T…>           Result<vector<tuple<T…>>>: all rows; for one T, vector<T>
//   query_one<T…>       Result<tuple<T…>>: Errc::not_found for no row, Errc::invalid for several
//   query_optional<T…>  Result<optional<tuple<T…>>>: no row is no error
//
// Plain names are coroutines and take the deadline (an Until), _blocking names take how long to
// wait. Of a session, both may be left out (PoolOptions::call_timeout). Errors besides those of the
// rows (see QueryResult) are those of exec(). All rows are in memory at once; what is bigger than
// that is streamed (RowStream) or goes through COPY.
//
// REQUIRES: Self derives from this and has exec(Statement, Parameters, Until) and
// exec_blocking(Statement, Parameters, Duration); where the time is left out, also call_deadline()
// and call_timeout().
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "forebay/env/task.hpp"
#include "forebay/env/until.hpp"
#include "forebay/postgres/sql/parameters.hpp"
#include "forebay/postgres/sql/query_result.hpp"
#include "forebay/postgres/sql/statement.hpp"

namespace forebay::postgres {

template <class Self>
class TypedQueries {
 public:
  template <class... T>
  Task<Result<std::vector<RowOf<T...>>>> query(Statement statement, Parameters parameters,
                                               Until until) {
    const Result<QueryResult> result =
        co_await self().exec(std::move(statement), std::move(parameters), until);
    if (!result) co_return failure(result.error());
    co_return result->template all<T...>();
  }
  template <class... T>
  Task<Result<std::vector<RowOf<T...>>>> query(Statement statement, Until until) {
    return query<T...>(std::move(statement), Parameters(), until);
  }

  template <class... T>
  Task<Result<RowOf<T...>>> query_one(Statement statement, Parameters parameters, Until until) {
    const Result<QueryResult> result =
        co_await self().exec(std::move(statement), std::move(parameters), until);
    if (!result) co_return failure(result.error());
    co_return result->template one<T...>();
  }
  template <class... T>
  Task<Result<RowOf<T...>>> query_one(Statement statement, Until until) {
    return query_one<T...>(std::move(statement), Parameters(), until);
  }

  template <class... T>
  Task<Result<std::optional<RowOf<T...>>>> query_optional(Statement statement,
                                                          Parameters parameters, Until until) {
    const Result<QueryResult> result =
        co_await self().exec(std::move(statement), std::move(parameters), until);
    if (!result) co_return failure(result.error());
    co_return result->template one_or_none<T...>();
  }
  template <class... T>
  Task<Result<std::optional<RowOf<T...>>>> query_optional(Statement statement, Until until) {
    return query_optional<T...>(std::move(statement), Parameters(), until);
  }

  template <class... T>
  Result<std::vector<RowOf<T...>>> query_blocking(const Statement& statement,
                                                  const Parameters& parameters, Duration timeout) {
    const Result<QueryResult> result = self().exec_blocking(statement, parameters, timeout);
    if (!result) return failure(result.error());
    return result->template all<T...>();
  }
  template <class... T>
  Result<std::vector<RowOf<T...>>> query_blocking(const Statement& statement, Duration timeout) {
    return query_blocking<T...>(statement, Parameters(), timeout);
  }

  template <class... T>
  Result<RowOf<T...>> query_one_blocking(const Statement& statement, const Parameters& parameters,
                                         Duration timeout) {
    const Result<QueryResult> result = self().exec_blocking(statement, parameters, timeout);
    if (!result) return failure(result.error());
    return result->template one<T...>();
  }
  template <class... T>
  Result<RowOf<T...>> query_one_blocking(const Statement& statement, Duration timeout) {
    return query_one_blocking<T...>(statement, Parameters(), timeout);
  }

  template <class... T>
  Result<std::optional<RowOf<T...>>> query_optional_blocking(const Statement& statement,
                                                             const Parameters& parameters,
                                                             Duration timeout) {
    const Result<QueryResult> result = self().exec_blocking(statement, parameters, timeout);
    if (!result) return failure(result.error());
    return result->template one_or_none<T...>();
  }
  template <class... T>
  Result<std::optional<RowOf<T...>>> query_optional_blocking(const Statement& statement,
                                                             Duration timeout) {
    return query_optional_blocking<T...>(statement, Parameters(), timeout);
  }

  template <class... T>
  auto query(Statement statement, Parameters parameters = Parameters()) {
    return query<T...>(std::move(statement), std::move(parameters), self().call_deadline());
  }
  template <class... T>
  auto query_one(Statement statement, Parameters parameters = Parameters()) {
    return query_one<T...>(std::move(statement), std::move(parameters), self().call_deadline());
  }
  template <class... T>
  auto query_optional(Statement statement, Parameters parameters = Parameters()) {
    return query_optional<T...>(std::move(statement), std::move(parameters),
                                self().call_deadline());
  }
  template <class... T>
  auto query_blocking(const Statement& statement, const Parameters& parameters = Parameters()) {
    return query_blocking<T...>(statement, parameters, self().call_timeout());
  }
  template <class... T>
  auto query_one_blocking(const Statement& statement, const Parameters& parameters = Parameters()) {
    return query_one_blocking<T...>(statement, parameters, self().call_timeout());
  }
  template <class... T>
  auto query_optional_blocking(const Statement& statement,
                               const Parameters& parameters = Parameters()) {
    return query_optional_blocking<T...>(statement, parameters, self().call_timeout());
  }

 private:
  friend Self;
  TypedQueries() = default;
  Self& self() { return static_cast<Self&>(*this); }
};

}  // namespace forebay::postgres
