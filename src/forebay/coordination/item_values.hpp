// Values of items, to and from our own types. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "forebay/aws/attribute_value.hpp"

namespace forebay {

inline aws::AttributeValue number(std::int64_t value) { return aws::AttributeValue::number(value); }

inline aws::AttributeValue number(std::uint64_t value) {
  return aws::AttributeValue::number(static_cast<std::int64_t>(value));
}
inline aws::AttributeValue number(int value) { return aws::AttributeValue::number(value); }

// Somebody else may have written more than a number of connections can be.
inline int small(std::int64_t value) {
  using Limits = std::numeric_limits<int>;
  return static_cast<int>(std::clamp<std::int64_t>(value, Limits::min(), Limits::max()));
}

}  // namespace forebay
