// RowStream: the rows of a statement one at a time, as C++ values, in memory that does not grow
// with their number; StreamedQueries: how a session gives one.
//
//   auto orders = co_await session->stream<Order>("SELECT * FROM orders");
//   if (!orders) co_return failure(orders.error());
//   while (auto order = co_await orders->next()) {
//     if (!*order) co_return failure(order->error());
//     use(**order);
//   }
//
//   for (const Result<Order>& order : *orders) {  // the same for threads
//
// Each step is a Result: an error (of the server in the middle, of a row that does not fit, of time
// or connection) comes after the rows before it, and is the last. Rows that nobody asks for stay
// where they are: nothing is read ahead but libpq's buffer, and the server waits.
//
// While there are rows to come, the session is theirs: another statement on it is Errc::invalid,
// and giving it back stops the process, with a sentence. A reader who has seen enough lets the
// stream go; what that means for the session, StreamedRows says. In a transaction that is to go on,
// a large rest is better not asked for (LIMIT), or read to its end by close().
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "forebay/detail/postgres/driver/streamed_rows.hpp"
#include "forebay/postgres/sql/parameters.hpp"
#include "forebay/postgres/sql/statement.hpp"

namespace forebay::postgres {

// Confined to the user of its session; not to be moved while a step is awaited.
template <class... T>
class [[nodiscard]] RowStream {
 public:
  using Value = RowOf<T...>;
  using Step = std::optional<Result<Value>>;  // nothing: there are no more

  // Errc::invalid: the columns are not those of the types.
  static Result<RowStream> over(Result<StreamedRows> rows) {
    if (!rows) return failure(rows.error());
    Result<Positions> positions = rows->row().template positions<T...>();
    if (positions) return RowStream(std::move(*rows), std::move(*positions));
    rows->abandon(positions.error());
    return failure(positions.error());
  }

  Task<Step> next() {
    std::optional<Result<bool>> has_row = rows_.try_next();
    if (!has_row) {
      Result<bool> waited = co_await rows_.wait();
      has_row.emplace(std::move(waited));
    }
    co_return read(*has_row);
  }
  // For threads of the application.
  Step next_blocking() {
    std::optional<Result<bool>> has_row = rows_.try_next();
    if (!has_row) has_row.emplace(rows_.wait_blocking());
    return read(*has_row);
  }

  // For threads, once through: each step waits for its row, and is there until the next one.
  class Iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = Result<Value>;
    using difference_type = std::ptrdiff_t;

    explicit Iterator(RowStream& stream) : stream_(&stream) {}
    Result<Value>& operator*() const { return *stream_->step_; }
    Result<Value>* operator->() const { return &*stream_->step_; }
    Iterator& operator++() {
      stream_->step_ = stream_->next_blocking();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return !stream_->step_; }

   private:
    RowStream* stream_;
  };
  Iterator begin() {
    step_ = next_blocking();
    return Iterator(*this);
  }
  std::default_sentinel_t end() const { return {}; }

  std::uint64_t rows() const { return rows_.rows(); }  // that have come so far

  // The rest is read and dropped, so that the session can go on at once. Errors as those of a step.
  Task<Result<void>> close() { return rows_.close(); }
  Result<void> close_blocking() { return rows_.close_blocking(); }

 private:
  using Positions = Row::Positions<T...>;

  RowStream(StreamedRows rows, Positions positions)
      : rows_(std::move(rows)), positions_(std::move(positions)) {}

  Step read(const Result<bool>& has_row) {
    if (!has_row) return Step(Result<Value>(failure(has_row.error())));
    if (!*has_row) return Step();
    Result<Value> value = rows_.row()[0].template read<T...>(positions_);
    if (!value) rows_.abandon(value.error());
    return Step(std::move(value));
  }

  StreamedRows rows_;
  Positions positions_;
  Step step_;  // of an iterator
};

// For a session. A time is that of the whole stream, and its cancellation outlives it. Without one,
// PoolOptions::call_timeout is that of each wait for the server: a stream lasts as long as its
// reader takes. The first row, or that there is none, is waited for here. Errors are those of
// exec(), and those of the columns.
//
// REQUIRES: Self derives from this and has open_rows(Statement, Parameters, Until, StreamLimit),
// open_rows_blocking(Statement, Parameters, StreamLimit), call_deadline() and call_timeout().
template <class Self>
class StreamedQueries {
 public:
  template <class... T>
  Task<Result<RowStream<T...>>> stream(Statement statement, Parameters parameters, Until until) {
    return opened<T...>(std::move(statement), std::move(parameters), until, StreamLimit(until));
  }
  template <class... T>
  Task<Result<RowStream<T...>>> stream(Statement statement, Until until) {
    return stream<T...>(std::move(statement), Parameters(), until);
  }
  template <class... T>
  Task<Result<RowStream<T...>>> stream(Statement statement, Parameters parameters = Parameters()) {
    return opened<T...>(std::move(statement), std::move(parameters), self().call_deadline(),
                        StreamLimit(self().call_timeout()));
  }

  template <class... T>
  Result<RowStream<T...>> stream_blocking(const Statement& statement, const Parameters& parameters,
                                          Duration timeout) {
    const Until until = deadline_after(self().scheduler().now(), timeout);
    return RowStream<T...>::over(
        self().open_rows_blocking(statement, parameters, StreamLimit(until)));
  }
  template <class... T>
  Result<RowStream<T...>> stream_blocking(const Statement& statement, Duration timeout) {
    return stream_blocking<T...>(statement, Parameters(), timeout);
  }
  template <class... T>
  Result<RowStream<T...>> stream_blocking(const Statement& statement,
                                          const Parameters& parameters = Parameters()) {
    return RowStream<T...>::over(
        self().open_rows_blocking(statement, parameters, StreamLimit(self().call_timeout())));
  }

 private:
  friend Self;
  StreamedQueries() = default;
  Self& self() { return static_cast<Self&>(*this); }

  template <class... T>
  Task<Result<RowStream<T...>>> opened(Statement statement, Parameters parameters, Until first,
                                       StreamLimit limit) {
    Result<StreamedRows> rows = co_await self().open_rows(
        std::move(statement), std::move(parameters), first, std::move(limit));
    co_return RowStream<T...>::over(std::move(rows));
  }
};

}  // namespace forebay::postgres
