// DirectStatements: statements and transactions of a pool itself, for callers who need no session
// in their hands. One is acquired, used and given back within the call.
//
//   auto name = pool->query_one_blocking<std::string>("SELECT name FROM t WHERE id = $1", 42);
//   auto names = co_await pool->query<std::string>("SELECT name FROM t WHERE size > $1", 7);
//   auto moved = pool->within(2s).transaction_blocking(move_one);
//
// What follows the SQL are the values of $1, $2, …, or one Parameters that holds them. The rest is
// as in LibpqConnection, TypedQueries and run_transaction(): plain names are coroutines, _blocking
// names are for threads, errors are values. Each call may take PoolOptions::call_timeout, from the
// wait for a session to the last row, unless within() says otherwise. Two calls may meet two
// sessions: what belongs together is one statement or a transaction.
//
// A task refers to the pool, and to nothing else. Thread-safe.
#pragma once

#include <chrono>
#include <concepts>
#include <functional>
#include <optional>
#include <source_location>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/detail/postgres/brief_loan.hpp"
#include "forebay/detail/postgres/stream_loan.hpp"
#include "forebay/postgres/transaction/run_transaction.hpp"

namespace forebay::postgres {

// A statement, and where the caller stands who runs it: for leak reports and misuse.
class StatementHere {
 public:
  template <class S>
    requires(!std::same_as<std::remove_cvref_t<S>, StatementHere> &&
             std::constructible_from<Statement, S>)
  // NOLINTNEXTLINE(google-explicit-constructor): a text is a statement
  StatementHere(S&& statement, std::source_location from = std::source_location::current())
      : statement_(std::forward<S>(statement)), from_(from) {}

  const Statement& statement() const { return statement_; }
  Statement take() { return std::move(statement_); }
  const std::source_location& from() const { return from_; }

 private:
  Statement statement_;
  std::source_location from_;
};

namespace detail {

template <class>
inline constexpr bool kIsTime = false;
template <class Rep, class Period>
inline constexpr bool kIsTime<std::chrono::duration<Rep, Period>> = true;
template <>
inline constexpr bool kIsTime<Instant> = true;
template <>
inline constexpr bool kIsTime<Until> = true;

template <class... V>
Parameters direct_parameters(const V&... values) {
  static_assert(!(kIsTime<V> || ...),
                "what follows the SQL are parameters; how long the call may take is said before: "
                "pool->within(5s).query…(sql, values…). An interval goes in parameters(…)");
  return parameters(values...);
}
inline Parameters direct_parameters(const Parameters& values) { return values; }

// A pool with a limit of the caller's.
class LimitedSource {
 public:
  LimitedSource(SessionSource& sessions, CallLimit limit) : sessions_(sessions), limit_(limit) {}

  SessionSource& sessions() const { return sessions_; }
  const CallLimit& limit() const { return limit_; }

 private:
  SessionSource& sessions_;
  CallLimit limit_;
};

inline SessionSource& source_of(SessionSource& sessions) { return sessions; }
inline SessionSource& source_of(const LimitedSource& limited) { return limited.sessions(); }
inline CallLimit limit_of(const SessionSource& sessions) {
  return CallLimit(sessions.call_timeout());
}
inline CallLimit limit_of(const LimitedSource& limited) { return limited.limit(); }

// What the pool says is for those who say nothing.
template <class Self>
StreamLoan stream_loan(Self& self, const std::source_location& from) {
  constexpr bool kIsWhole = !std::derived_from<Self, SessionSource>;
  return StreamLoan(source_of(self), limit_of(self), kIsWhole, from);
}

template <class T, class Body>
Task<Result<T>> limited_transaction(SessionSource& sessions, CallLimit limit,
                                    TransactionOptions options, std::source_location from,
                                    Body body) {
  Scheduler& scheduler = sessions.env().scheduler;
  const Instant now = scheduler.now();
  const HeardStop heard(scheduler, limit.from(now), limit.stop());
  heard.tighten(options, now);
  co_return co_await run_transaction(sessions, std::move(options), std::ref(body), from);
}

}  // namespace detail

// For tasks of the runtime. Self is a SessionSource, or a LimitedSource.
template <class Self>
class AwaitedStatements {
 public:
  template <class... V>
  Task<Result<QueryResult>> exec(StatementHere statement, const V&... values) {
    return detail::exec_on_loan(detail::source_of(self()), detail::limit_of(self()),
                                statement.from(), statement.take(),
                                detail::direct_parameters(values...));
  }
  template <class... T, class... V>
  Task<Result<std::vector<RowOf<T...>>>> query(StatementHere statement, const V&... values) {
    return read(statement, detail::direct_parameters(values...), &QueryResult::all<T...>);
  }
  template <class... T, class... V>
  Task<Result<RowOf<T...>>> query_one(StatementHere statement, const V&... values) {
    return read(statement, detail::direct_parameters(values...), &QueryResult::one<T...>);
  }
  template <class... T, class... V>
  Task<Result<std::optional<RowOf<T...>>>> query_optional(StatementHere statement,
                                                          const V&... values) {
    return read(statement, detail::direct_parameters(values...), &QueryResult::one_or_none<T...>);
  }

  // Rows one at a time (RowStream). The stream keeps its session until the last row. What within()
  // says is for the whole of it; call_timeout, for the first row and each wait after it.
  template <class... T, class... V>
  Task<Result<RowStream<T...>>> stream(StatementHere statement, const V&... values) {
    return detail::stream_on_loan<T...>(detail::stream_loan(self(), statement.from()),
                                        statement.take(), detail::direct_parameters(values...));
  }

  // run_transaction(). With options, their timeout counts, and that of within() if it is nearer.
  template <class Body>
  auto transaction(Body&& body, std::source_location from = std::source_location::current()) {
    TransactionOptions options;
    options.timeout = Duration::max();
    return limited(detail::limit_of(self()), std::move(options), std::forward<Body>(body), from);
  }
  template <class Body>
  auto transaction(TransactionOptions options, Body&& body,
                   std::source_location from = std::source_location::current()) {
    const detail::CallLimit limit = limit_beside_options();
    return limited(limit, std::move(options), std::forward<Body>(body), from);
  }

 protected:
  AwaitedStatements() = default;

 private:
  Self& self() { return static_cast<Self&>(*this); }

  // What the pool says counts for those who say nothing.
  detail::CallLimit limit_beside_options() {
    if constexpr (std::derived_from<Self, SessionSource>) {
      return detail::CallLimit(Duration::max());
    } else {
      return detail::limit_of(self());
    }
  }
  template <class T>
  Task<Result<T>> read(StatementHere& statement, Parameters parameters,
                       Result<T> (QueryResult::*rows)() const) {
    return detail::read_on_loan<T>(detail::source_of(self()), detail::limit_of(self()),
                                   statement.from(), statement.take(), std::move(parameters), rows);
  }
  template <class Body>
  auto limited(detail::CallLimit limit, TransactionOptions options, Body&& body,
               const std::source_location& from) {
    forebay::detail::require_safe_callable<Body>();
    using Copy = std::decay_t<Body>;
    return detail::limited_transaction<detail::ValueOf<Copy>, Copy>(
        detail::source_of(self()), limit, std::move(options), from, std::forward<Body>(body));
  }
};

// For threads of the application. Self as above.
template <class Self>
class BlockingQueries {
 public:
  template <class... V>
  Result<QueryResult> exec_blocking(const StatementHere& statement, const V&... values) {
    return loan(statement).exec_blocking(statement.statement(),
                                         detail::direct_parameters(values...), time_left());
  }
  template <class... T, class... V>
  Result<std::vector<RowOf<T...>>> query_blocking(const StatementHere& statement,
                                                  const V&... values) {
    return loan(statement).template query_blocking<T...>(
        statement.statement(), detail::direct_parameters(values...), time_left());
  }
  template <class... T, class... V>
  Result<RowOf<T...>> query_one_blocking(const StatementHere& statement, const V&... values) {
    return loan(statement).template query_one_blocking<T...>(
        statement.statement(), detail::direct_parameters(values...), time_left());
  }
  template <class... T, class... V>
  Result<std::optional<RowOf<T...>>> query_optional_blocking(const StatementHere& statement,
                                                             const V&... values) {
    return loan(statement).template query_optional_blocking<T...>(
        statement.statement(), detail::direct_parameters(values...), time_left());
  }
  // As stream() of tasks.
  template <class... T, class... V>
  Result<RowStream<T...>> stream_blocking(const StatementHere& statement, const V&... values) {
    return RowStream<T...>::over(
        detail::stream_loan(self(), statement.from())
            .open_blocking(statement.statement(), detail::direct_parameters(values...)));
  }

 protected:
  BlockingQueries() = default;

  Duration time_left() { return detail::limit_of(self()).left(detail::source_of(self())); }

 private:
  Self& self() { return static_cast<Self&>(*this); }

  detail::BriefLoan loan(const StatementHere& statement) {
    return detail::BriefLoan(detail::source_of(self()), statement.from(),
                             detail::limit_of(self()).stop());
  }
};

template <class Self>
class BlockingStatements : public BlockingQueries<Self> {
 public:
  // run_transaction_blocking(), with times as above.
  template <class Body>
  auto transaction_blocking(Body&& body,
                            std::source_location from = std::source_location::current()) {
    TransactionOptions options;
    options.timeout = this->time_left();
    return run_transaction_blocking(detail::source_of(self()), options, std::forward<Body>(body),
                                    from);
  }
  template <class Body>
  auto transaction_blocking(TransactionOptions options, Body&& body,
                            std::source_location from = std::source_location::current()) {
    if constexpr (!std::derived_from<Self, SessionSource>) {
      const Duration left = this->time_left();
      if (left < options.timeout) options.timeout = left;
    }
    return run_transaction_blocking(detail::source_of(self()), options, std::forward<Body>(body),
                                    from);
  }

 protected:
  BlockingStatements() = default;

 private:
  Self& self() { return static_cast<Self&>(*this); }
};

// What within() gives. To be used at once; the tasks that it makes do not need it.
class StatementsWithin : public detail::LimitedSource,
                         public AwaitedStatements<StatementsWithin>,
                         public BlockingStatements<StatementsWithin> {
 public:
  StatementsWithin(SessionSource& sessions, Duration timeout)
      : LimitedSource(sessions, detail::CallLimit(timeout)) {}
};
class StatementsUntil : public detail::LimitedSource, public AwaitedStatements<StatementsUntil> {
 public:
  StatementsUntil(SessionSource& sessions, Until until)
      : LimitedSource(sessions, detail::CallLimit(until)) {}
};

// A thread that is in a transaction of its own hears no stop: run that one as a task.
class StatementsUntilStopped : public detail::LimitedSource,
                               public AwaitedStatements<StatementsUntilStopped>,
                               public BlockingQueries<StatementsUntilStopped> {
 public:
  StatementsUntilStopped(SessionSource& sessions, Duration timeout, std::stop_token stop)
      : LimitedSource(sessions, detail::CallLimit(timeout, std::move(stop))) {}
};

// REQUIRES: Self is a SessionSource.
template <class Self>
class DirectStatements : public AwaitedStatements<Self>, public BlockingStatements<Self> {
 public:
  // How long each call may take that is made of it.
  StatementsWithin within(Duration timeout) { return StatementsWithin(self(), timeout); }
  // For tasks: a deadline, with a cancellation if there is one.
  StatementsUntil within(Until until) { return StatementsUntil(self(), until); }
  // Any thread may end them early by std::stop_source::request_stop(): a caller in line leaves
  // it, a statement is cancelled on the server, and the answer is Errc::cancelled.
  StatementsUntilStopped within(Duration timeout, std::stop_token stop) {
    return StatementsUntilStopped(self(), timeout, std::move(stop));
  }

 private:
  friend Self;
  DirectStatements() = default;
  Self& self() { return static_cast<Self&>(*this); }
};

}  // namespace forebay::postgres
