// Refusal: how the simulated DynamoDB says no, with the names and texts of the real one.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/aws/dynamodb/attribute_value.hpp"

namespace forebay::sim::dynamodb {

// Why one write of a transaction was not made; "None": because of another one.
struct CancellationReason {
  std::string code = "None";
  std::string message;
  std::optional<aws::Item> item;
};

class Refusal {
 public:
  Refusal(std::string name, std::string text) : type(std::move(name)), message(std::move(text)) {}

  std::string type;  // "ValidationException"
  std::string message;
  std::optional<aws::Item> item;            // that failed the condition, if it was asked for
  std::vector<CancellationReason> reasons;  // of a transaction, in the order of its writes
};

template <class T>
using Answer = std::expected<T, Refusal>;

inline std::unexpected<Refusal> refused(std::string type, std::string message) {
  return std::unexpected<Refusal>(Refusal(std::move(type), std::move(message)));
}
inline std::unexpected<Refusal> invalid(std::string message) {
  return refused("ValidationException", std::move(message));
}

}  // namespace forebay::sim::dynamodb
