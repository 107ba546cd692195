// SqlValue<T>: how a C++ type is written for the server, and read from it. The only such place.
//
// An application adds its own types by specialization, with the same two functions:
//
//   template <>
//   struct forebay::postgres::SqlValue<Colour> {
//     static std::string to_text(Colour colour);
//     static Result<Colour> from_text(std::string_view text);  // Errc::invalid: no such value
//   };
//
// Values travel as text, whose type the server takes from the statement. NULL is std::nullopt or
// nullptr, and std::optional<T> is a T or NULL; both work for every T that has a SqlValue. Numbers
// come back as they were sent, to the last bit. Which types there are, see sql_types.hpp. Pure;
// nothing here knows libpq.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "forebay/base/error.hpp"

namespace forebay::postgres {

template <class T>
struct SqlValue;

// Whole numbers of any width and sign. Characters are not numbers, and not texts either.
template <class T>
concept SqlInteger = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                     !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                     !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

Result<std::int64_t> parse_integer(std::string_view text, std::int64_t least, std::int64_t most);
Result<std::uint64_t> parse_natural(std::string_view text, std::uint64_t most);

template <SqlInteger T>
struct SqlValue<T> {
  static std::string to_text(T value) { return std::to_string(value); }
  static Result<T> from_text(std::string_view text) {
    using Limits = std::numeric_limits<T>;
    const auto value = [text] {
      if constexpr (Limits::is_signed)
        return parse_integer(text, Limits::min(), Limits::max());
      else
        return parse_natural(text, Limits::max());
    }();
    if (!value) return failure(value.error());
    return static_cast<T>(*value);
  }
};

// NaN and both infinities included. A number too big for its type is refused, not made infinite.
template <>
struct SqlValue<float> {
  static std::string to_text(float value);
  static Result<float> from_text(std::string_view text);
};
template <>
struct SqlValue<double> {
  static std::string to_text(double value);
  static Result<double> from_text(std::string_view text);
};

template <>
struct SqlValue<bool> {
  static std::string to_text(bool value) { return value ? "true" : "false"; }
  static Result<bool> from_text(std::string_view text);
};

template <>
struct SqlValue<std::string> {
  static std::string to_text(const std::string& value) { return value; }
  static Result<std::string> from_text(std::string_view text) { return std::string(text); }
};

// Only to send: what the server answers must be owned by somebody.
template <>
struct SqlValue<std::string_view> {
  static std::string to_text(std::string_view value) { return std::string(value); }
};
template <>
struct SqlValue<const char*> {
  static std::string to_text(const char* value) { return value; }  // REQUIRES: not null; see to_sql
};

// bytea. Reading needs the server's default, bytea_output = hex.
template <>
struct SqlValue<std::vector<std::byte>> {
  static std::string to_text(std::span<const std::byte> bytes);
  static Result<std::vector<std::byte>> from_text(std::string_view text);
};
template <>
struct SqlValue<std::span<const std::byte>> {
  static std::string to_text(std::span<const std::byte> bytes) {
    return SqlValue<std::vector<std::byte>>::to_text(bytes);
  }
};

// Whether a type can be sent, and whether it can be read.
template <class T>
concept SqlWritable = requires(const T& value) { SqlValue<T>::to_text(value); };
template <class T>
concept SqlReadable = requires(std::string_view text) { SqlValue<T>::from_text(text); };

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

// What a type's from_text says: Errc::invalid, with the kind of the value and not the value itself,
// because errors go to logs: "a text of 7 bytes is not <what>".
std::unexpected<Error> not_a(std::string_view what, std::string_view text);
// The same where NULL came and there is no optional to take it.
std::unexpected<Error> null_without_optional();

// Nothing for NULL, which a null const char* is too.
template <class T>
std::optional<std::string> to_sql(const T& value) {
  if constexpr (std::same_as<T, std::nullopt_t> || std::same_as<T, std::nullptr_t>) {
    return std::nullopt;
  } else if constexpr (std::same_as<T, const char*>) {
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  } else if constexpr (kIsOptional<T>) {
    return value ? to_sql(*value) : std::nullopt;
  } else {
    using Value = std::decay_t<const T&>;
    static_assert(SqlWritable<Value>,
                  "this C++ type cannot be a parameter of a statement: it has no SqlValue. "
                  "Specialize forebay::postgres::SqlValue for it, with to_text() and from_text(), "
                  "as forebay/postgres/sql/sql_value.hpp shows, or pass a type that has one.");
    if constexpr (SqlWritable<Value>)
      return SqlValue<Value>::to_text(value);
    else
      return std::nullopt;
  }
}

// Nothing means NULL, which only an optional can take.
template <class T>
Result<T> from_sql(std::optional<std::string_view> text) {
  if constexpr (kIsOptional<T>) {
    if (!text) return T();
    Result<typename T::value_type> value = from_sql<typename T::value_type>(text);
    if (!value) return failure(value.error());
    return T(std::move(*value));
  } else {
    static_assert(SqlReadable<T>,
                  "this C++ type cannot be read from a row: it has no SqlValue, or one that only "
                  "sends. Specialize forebay::postgres::SqlValue for it, with to_text() and "
                  "from_text(), as forebay/postgres/sql/sql_value.hpp shows; a text is read as "
                  "std::string.");
    if (!text) return null_without_optional();
    if constexpr (SqlReadable<T>)
      return SqlValue<T>::from_text(*text);
    else
      return null_without_optional();
  }
}

}  // namespace forebay::postgres
