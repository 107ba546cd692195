#include "forebay/aws/dynamodb/attribute_value.hpp"

#include <charconv>

namespace forebay::aws {

std::optional<std::int64_t> AttributeValue::integer() const {
  if (!is_number()) return std::nullopt;
  std::int64_t value = 0;
  const char* const end = value_.data() + value_.size();
  const auto [rest, error] = std::from_chars(value_.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

std::optional<std::int64_t> integer_at(const Item& item, const std::string& name) {
  const auto found = item.find(name);
  return found == item.end() ? std::nullopt : found->second.integer();
}

std::string text_at(const Item& item, const std::string& name) {
  const auto found = item.find(name);
  return found == item.end() || found->second.is_number() ? std::string() : found->second.raw();
}

}  // namespace forebay::aws
