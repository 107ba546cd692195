// Arrays: std::vector<T> of every T that has a SqlValue, to send and to read.
//
//   session->query_blocking<std::string>("SELECT name FROM account WHERE id = ANY($1)",
//                                        parameters(std::vector<int>{7, 8, 9}), 5s);
//
// std::optional<T> is an element that may be NULL, std::vector<std::vector<T>> an array of two
// dimensions, and so on; inner arrays are of the same length, or the server refuses them. Indexes
// are lost: a PostgreSQL array need not begin with 1, a vector begins with 0. An empty array has no
// dimensions. A std::span<const T> can only be sent.
//
// std::vector<std::byte> is no array: it is bytea. Elements are between commas, as in all types of
// the server but box. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/postgres/sql/sql_value.hpp"

namespace forebay::postgres {

template <class T>
inline constexpr bool kIsArray = false;
template <class T>
inline constexpr bool kIsArray<std::vector<T>> = !std::same_as<T, std::byte>;

namespace detail {

template <class T>
struct NotNull {
  using type = T;
};
template <class T>
struct NotNull<std::optional<T>> {
  using type = T;
};

// There is no NULL in place of an inner array.
template <class T>
concept ArrayElement = !(kIsOptional<T> && kIsArray<typename NotNull<T>::type>);

template <class T>
concept WritableElement = ArrayElement<T> && SqlWritable<typename NotNull<T>::type>;
template <class T>
concept ReadableElement = ArrayElement<T> && SqlReadable<typename NotNull<T>::type>;

// One element of the text of an array.
struct ElementText {
  std::optional<std::string> value;  // nothing: NULL
  bool is_array = false;             // then the value is the text of an inner array
};

Result<std::vector<ElementText>> parse_array(std::string_view text);
// Adds it to the text of an array, which begins with "{" and gets its "}" at last.
void append_element(std::string& array, const ElementText& element);
// Where an inner array was asked for and an element came, or the other way round.
std::unexpected<Error> wrong_dimension(bool is_array);
std::unexpected<Error> element_misfit(std::size_t index, const Error& reason);

template <class T, class Values>
std::string array_text(const Values& values) {
  std::string array = "{";
  for (const T& value : values) append_element(array, ElementText{to_sql(value), kIsArray<T>});
  array += '}';
  return array;
}

template <class T>
Result<T> read_element(const ElementText& element) {
  if (element.is_array != kIsArray<T> && element.value) return wrong_dimension(element.is_array);
  return from_sql<T>(element.value ? std::optional<std::string_view>(*element.value)
                                   : std::nullopt);
}

}  // namespace detail

template <class T>
  requires(detail::WritableElement<T> || detail::ReadableElement<T>)
struct SqlValue<std::vector<T>> {
  static std::string to_text(const std::vector<T>& values)
    requires detail::WritableElement<T>
  {
    return detail::array_text<T>(values);
  }

  static Result<std::vector<T>> from_text(std::string_view text)
    requires detail::ReadableElement<T>
  {
    const Result<std::vector<detail::ElementText>> elements = detail::parse_array(text);
    if (!elements) return failure(elements.error());
    std::vector<T> values;
    values.reserve(elements->size());
    for (const detail::ElementText& element : *elements) {
      Result<T> value = detail::read_element<T>(element);
      if (!value) return detail::element_misfit(values.size(), value.error());
      values.push_back(std::move(*value));
    }
    return values;
  }
};

template <detail::WritableElement T>
struct SqlValue<std::span<const T>> {
  static std::string to_text(std::span<const T> values) { return detail::array_text<T>(values); }
};

}  // namespace forebay::postgres
