// What AWS was asked for, counted.
#pragma once

#include <cstdint>

namespace forebay::aws {

struct DsqlTokensUsage {
  std::uint64_t signed_tokens = 0;
  std::uint64_t failures = 0;  // times that none could be made
};

struct DynamoDbUsage {
  std::uint64_t requests = 0;  // sent, each try counted
  std::uint64_t retries = 0;
  std::uint64_t throttled = 0;  // answers
  double write_units = 0;       // as DynamoDB counts them, those of failed conditions included
  double read_units = 0;
};

}  // namespace forebay::aws
