// Rows of COPY's text format, its default: fields between tabs, \N for NULL, a line each.
//
//   const CopySource source = [&](std::string& chunk) -> Result<bool> {
//     append_copy_row(chunk, next, "name " + std::to_string(next), std::nullopt);
//     return ++next < count;
//   };
//   session->copy_in_blocking("COPY account FROM STDIN", source, 60s);
//
// Pure. SqlValue says which types are allowed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/postgres/sql/row_of.hpp"
#include "forebay/postgres/sql/sql_value.hpp"

namespace forebay::postgres {

using CopyFields = std::vector<std::optional<std::string>>;  // nothing means NULL

void append_copy_fields(std::string& chunk, const CopyFields& fields);

template <class... T>
void append_copy_row(std::string& chunk, const T&... values) {
  append_copy_fields(chunk, CopyFields{to_sql(values)...});
}

// One row, as a sink of copy_out() gets it. Errc::invalid: not the text format.
Result<CopyFields> parse_copy_fields(std::string_view line);

// The same as C++ values, or as a struct by position: such rows have no names. Errc::invalid, too,
// if the number of fields or a field does not fit.
template <class... T>
Result<RowOf<T...>> parse_copy_row(std::string_view line);

namespace detail {

Result<void> expect_fields(const CopyFields& fields, std::size_t count);
Error field_misfit(std::size_t field, const Error& reason);

}  // namespace detail

template <class... T>
Result<RowOf<T...>> parse_copy_row(std::string_view line) {
  const Result<CopyFields> fields = parse_copy_fields(line);
  if (!fields) return failure(fields.error());
  const Result<void> expected = detail::expect_fields(*fields, kRowWidth<T...>);
  if (!expected) return failure(expected.error());
  return read_row<T...>([&fields]<class Value>(std::size_t column) -> Result<Value> {
    const std::optional<std::string>& text = (*fields)[column];
    Result<Value> value =
        from_sql<Value>(text ? std::optional<std::string_view>(*text) : std::nullopt);
    if (!value) return failure(detail::field_misfit(column, value.error()));
    return value;
  });
}

}  // namespace forebay::postgres
