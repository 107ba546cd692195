// Values of items, to and from our own types. Pure.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include "forebay/aws/dynamodb/attribute_value.hpp"
#include "forebay/env/time.hpp"

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

// DynamoDB deletes an item some time after its ttl_epoch, and does not lower the counter. So the
// leases of a process that died must still be there when a reaper comes, however long all reapers
// are away; thirty days are as good as never for them, and what nobody ever reaps goes in the end.
inline constexpr std::int64_t kGarbageAfterSeconds = std::int64_t{30} * 24 * 3600;

inline std::int64_t milliseconds(WallTime time) {
  return std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

inline aws::AttributeValue garbage_at(WallTime now) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  return number(seconds + kGarbageAfterSeconds);
}

}  // namespace forebay
