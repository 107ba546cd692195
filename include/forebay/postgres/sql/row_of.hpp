// RowOf<T…>: one row as C++ values, and how it is put together from its columns. Pure.
//
// Several types are a tuple of as many columns. One type is the value of the only column, or a
// struct with a column for each of its fields (row_struct.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "forebay/base/error.hpp"
#include "forebay/postgres/sql/row_struct.hpp"

namespace forebay::postgres {

namespace detail {

template <class... T>
struct RowShape {
  using Row = std::tuple<T...>;
  using Types = FieldTypes<T...>;
};
template <class T>
struct RowShape<T> {
  using Row = T;
  using Types = FieldTypes<T>;
};
template <RowStruct T>
struct RowShape<T> {
  using Row = T;
  using Types = decltype(bound_field_types(std::declval<T&>()));
};
template <NamedRow T>
struct RowShape<T> {
  using Row = T;
  using Types = typename NamedFieldTypes<decltype(RowColumns<T>::columns)>::type;
};

}  // namespace detail

// A tuple, or the value or struct itself if there is only one type.
template <class... T>
using RowOf = typename detail::RowShape<T...>::Row;

// How many columns it is made of.
template <class... T>
inline constexpr std::size_t kRowWidth = detail::RowShape<T...>::Types::kCount;

// The names of a NamedRow's columns, in the order in which read_row() asks for them.
template <NamedRow T>
constexpr std::array<std::string_view, kRowWidth<T>> column_names() {
  return std::apply(
      [](const auto&... column) {
        return std::array<std::string_view, kRowWidth<T>>{column.name...};
      },
      RowColumns<T>::columns);
}

namespace detail {

// A column into its place; after the first failure the rest is left alone.
template <class T, class Read>
void read_column(const Read& read, std::size_t column, std::optional<T>& place,
                 Result<void>& outcome) {
  if (!outcome) return;
  Result<T> value = read.template operator()<T>(column);
  if (value) {
    place.emplace(std::move(*value));
  } else {
    outcome = failure(value.error());
  }
}

template <class Row, class... T>
Row make_row(T&&... values) {
  if constexpr (NamedRow<Row>) {
    Row row{};
    std::apply(
        [&](const auto&... column) { ((row.*(column.field) = std::forward<T>(values)), ...); },
        RowColumns<Row>::columns);
    return row;
  } else if constexpr (RowStruct<Row>) {
    return Row{std::forward<T>(values)...};
  } else {
    return Row(std::forward<T>(values)...);
  }
}

template <class Row, class... T, class Read, std::size_t... Column>
Result<Row> read_columns(const Read& read, FieldTypes<T...>, std::index_sequence<Column...>) {
  std::tuple<std::optional<T>...> places;
  Result<void> outcome;
  (read_column<T>(read, Column, std::get<Column>(places), outcome), ...);
  if (!outcome) return failure(outcome.error());
  return make_row<Row>(std::move(*std::get<Column>(places))...);
}

}  // namespace detail

// From read.operator()<T>(column), which gives a Result<T> of one column: of the first, the second
// and so on, up to kRowWidth<T…>.
template <class... T, class Read>
Result<RowOf<T...>> read_row(const Read& read) {
  return detail::read_columns<RowOf<T...>>(read, typename detail::RowShape<T...>::Types(),
                                           std::make_index_sequence<kRowWidth<T...>>());
}

}  // namespace forebay::postgres
