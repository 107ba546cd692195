// How large DynamoDB takes an item to be, and how many units of capacity it counts for it.
#pragma once

#include <cstddef>

#include "forebay/aws/dynamodb/attribute_value.hpp"

namespace forebay::sim::dynamodb {

inline constexpr std::size_t kLargestItem = 400 * 1024;

// Names and texts by their bytes; a number takes a byte for every two digits, and one more.
inline std::size_t size_of(const aws::Item& item) {
  std::size_t size = 0;
  for (const auto& [name, value] : item) {
    const std::size_t length = value.raw().size();
    size += name.size() + (value.is_number() ? length / 2 + 2 : length);
  }
  return size;
}

// One unit for each kilobyte that is begun, and one at least.
inline double write_units(std::size_t size) {
  return size == 0 ? 1 : static_cast<double>((size + 1023) / 1024);
}
// Consistent reads: one for each four kilobytes.
inline double read_units(std::size_t size) {
  return size == 0 ? 1 : static_cast<double>((size + 4095) / 4096);
}

}  // namespace forebay::sim::dynamodb
