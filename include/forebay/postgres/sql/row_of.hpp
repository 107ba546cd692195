// RowOf<T…>: one row as C++ values, and how it is put together from its columns. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>

#include "forebay/base/error.hpp"

namespace forebay::postgres {

namespace detail {

template <class... T>
struct RowType {
  using type = std::tuple<T...>;
};
template <class T>
struct RowType<T> {
  using type = T;
};

}  // namespace detail

// A tuple, or the value itself if there is only one column.
template <class... T>
using RowOf = typename detail::RowType<T...>::type;

namespace detail {

// A column into its place; after the first failure the rest is left alone.
template <class T, class Read>
void read_column(const Read& read, int column, std::optional<T>& place, Result<void>& outcome) {
  if (!outcome) return;
  Result<T> value = read.template operator()<T>(column);
  if (value) {
    place.emplace(std::move(*value));
  } else {
    outcome = failure(value.error());
  }
}

template <class... T, class Read, std::size_t... Column>
Result<RowOf<T...>> read_columns(const Read& read, std::index_sequence<Column...>) {
  std::tuple<std::optional<T>...> places;
  Result<void> outcome;
  (read_column<T>(read, static_cast<int>(Column), std::get<Column>(places), outcome), ...);
  if (!outcome) return failure(outcome.error());
  return RowOf<T...>(std::move(*std::get<Column>(places))...);
}

}  // namespace detail

// From read.operator()<T>(column), which gives a Result<T> of one column.
template <class... T, class Read>
Result<RowOf<T...>> read_row(const Read& read) {
  return detail::read_columns<T...>(read, std::index_sequence_for<T...>());
}

}  // namespace forebay::postgres
