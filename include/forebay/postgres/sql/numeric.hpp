// Numeric: a decimal number with all of its digits, as PostgreSQL's numeric has them.
//
// It carries digits and does not calculate. A program that calculates in binary asks for a double,
// explicitly; one that calculates in decimals makes its own type of the text, with a SqlValue.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "forebay/postgres/sql/sql_value.hpp"

namespace forebay::postgres {

class Numeric {
 public:
  Numeric() = default;  // 0
  template <SqlInteger T>
  explicit Numeric(T value) : text_(std::to_string(value)) {}

  // Digits with or without a sign and a point, NaN, Infinity, -Infinity. Errc::invalid: anything
  // else, an exponent among it.
  static Result<Numeric> parse(std::string_view text);

  // As it was given: "1.50" has two digits after the point, and keeps them.
  const std::string& text() const { return text_; }
  bool is_finite() const;
  // The nearest there is. Errc::invalid: too big.
  Result<double> to_double() const;

  // By value, as in PostgreSQL: 1.50 is 1.5, and NaN is NaN.
  friend bool operator==(const Numeric& left, const Numeric& right);

 private:
  explicit Numeric(std::string text) : text_(std::move(text)) {}

  std::string text_ = "0";
};

template <>
struct SqlValue<Numeric> {
  static std::string to_text(const Numeric& value) { return value.text(); }
  static Result<Numeric> from_text(std::string_view text) { return Numeric::parse(text); }
};

}  // namespace forebay::postgres
