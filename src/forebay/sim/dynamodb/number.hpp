// WholeNumber: a number as DynamoDB has them, of up to 38 digits, but whole.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "forebay/sim/dynamodb/refusal.hpp"

namespace forebay::sim::dynamodb {

constexpr bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

class WholeNumber {
 public:
  static Answer<WholeNumber> parse(std::string_view digits);

  std::string text() const;
  // None: the result has more than 38 digits.
  std::optional<WholeNumber> plus(WholeNumber other) const;
  std::optional<WholeNumber> minus(WholeNumber other) const;
  auto operator<=>(const WholeNumber&) const = default;

 private:
  __extension__ using Wide = __int128;
  explicit WholeNumber(Wide value) : value_(value) {}
  static Wide bound();  // 10^38: magnitudes are below it
  static std::optional<WholeNumber> within_bound(Wide value);

  Wide value_;
};

// The same number as DynamoDB writes it.
Answer<aws::AttributeValue> normalized(const aws::AttributeValue& value);

}  // namespace forebay::sim::dynamodb
