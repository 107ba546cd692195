// QueryResult: what the server answered to one statement, owned; Row: a view of one row of it.
//
//   for (const Row row : *result) {
//     const Result<std::string> owner = row.get<std::string>("owner");
//
//   auto shards = result->all<std::int64_t, std::string>();  // Result<vector<tuple<…>>>
//   auto planets = result->all<Planet>();                    // a struct: see row_struct.hpp
//
// Always holds a successful answer; failures are Errors. Views into it live as long as it does.
// What does not fit the types that were asked for is Errc::invalid, and names row, column and the
// type that it has on the server, but not the value.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <source_location>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/detail/postgres/answer_handle.hpp"
#include "forebay/detail/postgres/driver/libpq_handles.hpp"
#include "forebay/postgres/sql/row_of.hpp"
#include "forebay/postgres/sql/sql_value.hpp"

namespace forebay::postgres {

class QueryResult;
template <class... T>
class RowStream;

class Row {
 public:
  Row(const QueryResult& result, int index) : result_(&result), index_(index) {}

  int index() const { return index_; }
  // Nothing for NULL. A row or column that is not there stops the process, with a sentence.
  std::optional<std::string_view> value(
      int column, std::source_location from = std::source_location::current()) const;

  // Errc::not_found: no such row. Errc::invalid: no such column, NULL and T is no std::optional, or
  // a text that is no T.
  template <class T>
  Result<T> get(int column) const;
  template <class T>
  Result<T> get(std::string_view column_name) const;
  // The whole row. As many types or fields as columns, in their order; or a struct by names.
  template <class... T>
  Result<RowOf<T...>> as() const;

 private:
  friend class QueryResult;
  template <class... T>
  friend class RowStream;
  // Which column each type or field is read from.
  template <class... T>
  using Positions = std::array<int, kRowWidth<T...>>;
  template <class... T>
  Result<RowOf<T...>> read(const Positions<T...>& positions) const;

  const QueryResult* result_;
  int index_;
};

class QueryResult {
 public:
  // first_row: how many came before, if it is a part of a stream; errors count from there.
  explicit QueryResult(ResultHandle result, std::uint64_t first_row = 0)
      : result_(std::move(result)), first_row_(first_row) {}
  explicit QueryResult(AnswerHandle answer) : answer_(std::move(answer)) {}

  int rows() const;
  int columns() const;
  std::string_view column_name(int column,
                               std::source_location from = std::source_location::current()) const;
  std::optional<int> find_column(std::string_view name) const;  // the first of that name, exactly
  // Nothing for NULL. A row or column that is not there stops the process, with a sentence; one()
  // and Row::get() make an Error of it.
  std::optional<std::string_view> value(
      int row, int column, std::source_location from = std::source_location::current()) const;

  // Not of a temporary, which a Row would outlive: give the result a name first.
  class Iterator;
  Row operator[](int row) const& { return Row(*this, row); }
  Iterator begin() const&;
  Iterator end() const&;
  Row operator[](int row) const&& = delete;
  Iterator begin() const&& = delete;
  Iterator end() const&& = delete;

  // The rows as C++ values. As many types or fields as columns, in their order; or a struct by
  // names.
  template <class... T>
  Result<std::vector<RowOf<T...>>> all() const;
  // Errc::not_found if there is no row, Errc::invalid if there are several.
  template <class... T>
  Result<RowOf<T...>> one() const;
  template <class... T>
  Result<std::optional<RowOf<T...>>> one_or_none() const;

  std::string_view command_tag() const;  // "INSERT 0 3"
  std::uint64_t affected_rows() const;   // 0 where the command does not say
  // True: a COPY has begun, to be carried on through LibpqConnection::native(). Those who use
  // copy_in() and copy_out() never see this.
  bool is_copy() const;
  bool is_copy_in() const;
  bool is_copy_out() const;

 private:
  friend class Row;
  template <class... T>
  friend class RowStream;
  enum class Wanted : std::uint8_t { types, fields };
  // REQUIRES: they are there.
  std::optional<std::string_view> cell(int row, int column) const;
  template <class... T>
  Result<Row::Positions<T...>> positions() const;
  Result<void> expect_columns(std::size_t count, Wanted wanted) const;
  Result<int> only_column(std::string_view name) const;
  std::uint32_t column_type(int column) const;
  std::unexpected<Error> not_one_row() const;
  std::unexpected<Error> no_row(int row) const;
  std::unexpected<Error> no_column(int column) const;
  std::unexpected<Error> no_column(std::string_view name) const;
  std::unexpected<Error> misfit(int row, int column, const Error& reason) const;

  // One of them holds the answer: libpq's own form of it, or ours.
  ResultHandle result_;
  AnswerHandle answer_;
  std::uint64_t first_row_ = 0;
};

// A row for each step, made on the way: good for ranges and views, and for plain loops.
class QueryResult::Iterator {
 public:
  using iterator_concept = std::random_access_iterator_tag;
  using iterator_category = std::input_iterator_tag;  // what it gives is no reference
  using value_type = Row;
  using difference_type = int;

  Iterator() = default;
  Iterator(const QueryResult& result, int row) : result_(&result), row_(row) {}
  Row operator*() const { return Row(*result_, row_); }
  Row operator[](int distance) const { return Row(*result_, row_ + distance); }
  Iterator& operator++() { return *this += 1; }
  Iterator operator++(int) { return Iterator(*result_, row_++); }
  Iterator& operator--() { return *this -= 1; }
  Iterator operator--(int) { return Iterator(*result_, row_--); }
  Iterator& operator+=(int distance) {
    row_ += distance;
    return *this;
  }
  Iterator& operator-=(int distance) { return *this += -distance; }
  friend Iterator operator+(Iterator from, int distance) { return from += distance; }
  friend Iterator operator+(int distance, Iterator from) { return from += distance; }
  friend Iterator operator-(Iterator from, int distance) { return from -= distance; }
  friend int operator-(const Iterator& to, const Iterator& from) { return to.row_ - from.row_; }
  bool operator==(const Iterator& other) const { return row_ == other.row_; }
  auto operator<=>(const Iterator& other) const { return row_ <=> other.row_; }

 private:
  const QueryResult* result_ = nullptr;
  int row_ = 0;
};

inline QueryResult::Iterator QueryResult::begin() const& { return Iterator(*this, 0); }
inline QueryResult::Iterator QueryResult::end() const& { return Iterator(*this, rows()); }

inline std::optional<std::string_view> Row::value(int column, std::source_location from) const {
  return result_->value(index_, column, from);
}

template <class T>
Result<T> Row::get(int column) const {
  if (index_ < 0 || index_ >= result_->rows()) return result_->no_row(index_);
  if (column < 0 || column >= result_->columns()) return result_->no_column(column);
  Result<T> value = from_sql<T>(result_->cell(index_, column));
  if (!value) return result_->misfit(index_, column, value.error());
  return value;
}

template <class T>
Result<T> Row::get(std::string_view column_name) const {
  const std::optional<int> column = result_->find_column(column_name);
  if (!column) return result_->no_column(column_name);
  return get<T>(*column);
}

template <class... T>
Result<RowOf<T...>> Row::read(const Positions<T...>& positions) const {
  return read_row<T...>([row = *this, &positions]<class Value>(std::size_t column) {
    return row.template get<Value>(positions[column]);
  });
}

template <class... T>
Result<RowOf<T...>> Row::as() const {
  const Result<Positions<T...>> positions = result_->positions<T...>();
  if (!positions) return failure(positions.error());
  return read<T...>(*positions);
}

template <class... T>
Result<Row::Positions<T...>> QueryResult::positions() const {
  Row::Positions<T...> found{};
  if constexpr ((NamedRow<T> && ...) && sizeof...(T) == 1) {
    std::size_t next = 0;
    for (const std::string_view name : column_names<T...>()) {
      const Result<int> column = only_column(name);
      if (!column) return failure(column.error());
      found[next++] = *column;
    }
  } else {
    constexpr bool kIsStruct = (RowStruct<T> && ...) && sizeof...(T) == 1;
    const Result<void> expected =
        expect_columns(found.size(), kIsStruct ? Wanted::fields : Wanted::types);
    if (!expected) return failure(expected.error());
    for (std::size_t column = 0; column < found.size(); ++column) {
      found[column] = static_cast<int>(column);
    }
  }
  return found;
}

template <class... T>
Result<std::vector<RowOf<T...>>> QueryResult::all() const {
  const Result<Row::Positions<T...>> found = positions<T...>();
  if (!found) return failure(found.error());
  std::vector<RowOf<T...>> values;
  values.reserve(static_cast<std::size_t>(rows()));
  for (int row = 0; row < rows(); ++row) {
    Result<RowOf<T...>> value = (*this)[row].template read<T...>(*found);
    if (!value) return failure(value.error());
    values.push_back(std::move(*value));
  }
  return values;
}

template <class... T>
Result<RowOf<T...>> QueryResult::one() const {
  const Result<Row::Positions<T...>> found = positions<T...>();
  if (!found) return failure(found.error());
  if (rows() != 1) return not_one_row();
  return (*this)[0].template read<T...>(*found);
}

template <class... T>
Result<std::optional<RowOf<T...>>> QueryResult::one_or_none() const {
  if (rows() == 0) {
    const Result<Row::Positions<T...>> found = positions<T...>();
    if (!found) return failure(found.error());
    return std::optional<RowOf<T...>>();
  }
  Result<RowOf<T...>> value = one<T...>();
  if (!value) return failure(value.error());
  return std::optional<RowOf<T...>>(std::move(*value));
}

}  // namespace forebay::postgres
