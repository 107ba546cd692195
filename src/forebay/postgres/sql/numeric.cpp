#include "forebay/postgres/sql/numeric.hpp"

#include <algorithm>

namespace forebay::postgres {
namespace {

constexpr std::string_view kDigits = "0123456789";

// What two texts of one value have in common.
struct NumericParts {
  bool is_negative = false;
  std::string_view whole;
  std::string_view fraction;

  friend bool operator==(const NumericParts&, const NumericParts&) = default;
};

NumericParts parts_of(std::string_view text) {
  NumericParts parts;
  parts.is_negative = text.starts_with('-');
  if (parts.is_negative || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  parts.whole = text.substr(0, point);
  parts.whole.remove_prefix(std::min(parts.whole.find_first_not_of('0'), parts.whole.size()));
  parts.fraction = text.substr(std::min(point + 1, text.size()));
  parts.fraction = parts.fraction.substr(0, parts.fraction.find_last_not_of('0') + 1);
  if (parts.whole.empty() && parts.fraction.empty()) parts.is_negative = false;  // -0 is 0
  return parts;
}

bool is_decimal(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction =
      point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  if (whole.empty() && fraction.empty()) return false;
  return whole.find_first_not_of(kDigits) == std::string_view::npos &&
         fraction.find_first_not_of(kDigits) == std::string_view::npos;
}

bool is_special(std::string_view text) {
  return text == "NaN" || text == "Infinity" || text == "-Infinity";
}

}  // namespace

Result<Numeric> Numeric::parse(std::string_view text) {
  if (!is_special(text) && !is_decimal(text)) return not_a("a decimal number", text);
  return Numeric(std::string(text));
}

bool Numeric::is_finite() const { return !is_special(text_); }

Result<double> Numeric::to_double() const {
  // The sign that std::from_chars does not know.
  return SqlValue<double>::from_text(
      std::string_view(text_).substr(text_.starts_with('+') ? 1 : 0));
}

bool operator==(const Numeric& left, const Numeric& right) {
  if (!left.is_finite() || !right.is_finite()) return left.text_ == right.text_;
  return parts_of(left.text_) == parts_of(right.text_);
}

}  // namespace forebay::postgres
