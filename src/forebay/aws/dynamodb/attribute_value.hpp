// An item of a DynamoDB table as we use them: named texts and whole numbers.
//
// Ordered by name, so that requests are the same bytes every time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace forebay::aws {

class AttributeValue {
 public:
  static AttributeValue text(std::string value) { return {Kind::text, std::move(value)}; }
  static AttributeValue number(std::int64_t value) { return {Kind::number, std::to_string(value)}; }
  // As DynamoDB writes it; it may have more digits than an integer holds.
  static AttributeValue digits(std::string value) { return {Kind::number, std::move(value)}; }

  bool is_number() const { return kind_ == Kind::number; }
  const std::string& raw() const { return value_; }
  std::optional<std::int64_t> integer() const;  // none: a text, a fraction, or too large
  bool operator==(const AttributeValue&) const = default;

 private:
  enum class Kind : std::uint8_t { text, number };
  AttributeValue(Kind kind, std::string value) : kind_(kind), value_(std::move(value)) {}

  Kind kind_;
  std::string value_;
};

using Item = std::map<std::string, AttributeValue>;

// Absent, or of another kind: nothing.
std::optional<std::int64_t> integer_at(const Item& item, const std::string& name);
std::string text_at(const Item& item, const std::string& name);

}  // namespace forebay::aws
