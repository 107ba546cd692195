#include "forebay/sim/dynamodb/number.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace forebay::sim::dynamodb {
namespace {

constexpr std::size_t kMostDigits = 38;

}  // namespace

WholeNumber::Wide WholeNumber::bound() {
  Wide bound = 1;
  for (std::size_t i = 0; i < kMostDigits; ++i) bound *= 10;
  return bound;
}

std::optional<WholeNumber> WholeNumber::within_bound(Wide value) {
  if (value >= bound() || value <= -bound()) return std::nullopt;
  return WholeNumber(value);
}

Answer<WholeNumber> WholeNumber::parse(std::string_view digits) {
  std::string_view rest = digits;
  const bool is_negative = rest.starts_with('-');
  if (is_negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest.empty() || !std::ranges::all_of(rest, is_digit)) {
    const bool is_fraction = digits.find_first_of(".eE") != std::string_view::npos;
    return invalid(is_fraction
                       ? fmt::format("{} is no whole number; others are not simulated", digits)
                       : "A value provided cannot be converted into a number");
  }
  rest.remove_prefix(std::min(rest.find_first_not_of('0'), rest.size()));
  if (rest.size() > kMostDigits) return invalid("DynamoDB only supports precision up to 38 digits");
  Wide value = 0;
  for (const char digit : rest) value = value * 10 + (digit - '0');
  return WholeNumber(is_negative ? -value : value);
}

std::string WholeNumber::text() const { return fmt::format("{}", value_); }

// Two numbers of 38 digits could leave 128 bits.
std::optional<WholeNumber> WholeNumber::plus(WholeNumber other) const {
  Wide sum = 0;
  if (__builtin_add_overflow(value_, other.value_, &sum)) return std::nullopt;
  return within_bound(sum);
}

std::optional<WholeNumber> WholeNumber::minus(WholeNumber other) const {
  return plus(WholeNumber(-other.value_));
}

Answer<aws::AttributeValue> normalized(const aws::AttributeValue& value) {
  if (!value.is_number()) return value;
  const Answer<WholeNumber> number = WholeNumber::parse(value.raw());
  if (!number) return std::unexpected(number.error());
  return aws::AttributeValue::digits(number->text());
}

}  // namespace forebay::sim::dynamodb
