#include "forebay/sim/dynamodb/expression.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/sim/dynamodb/number.hpp"

namespace forebay::sim::dynamodb {
namespace {

using aws::AttributeValue;
using aws::Item;

const AttributeValue* find(const Item& item, const std::string& name) {
  const auto found = item.find(name);
  return found == item.end() ? nullptr : &found->second;
}

// ---- updates

std::unexpected<Refusal> wrong_type() {
  return invalid("An operand in the update expression has an incorrect data type");
}

Answer<AttributeValue> combined(const AttributeValue& left, const AttributeValue& right,
                                Operand::Kind kind) {
  if (!left.is_number() || !right.is_number()) return wrong_type();
  const Answer<WholeNumber> a = WholeNumber::parse(left.raw());
  const Answer<WholeNumber> b = WholeNumber::parse(right.raw());
  if (!a) return std::unexpected(a.error());
  if (!b) return std::unexpected(b.error());
  const auto result = kind == Operand::Kind::sum ? a->plus(*b) : a->minus(*b);
  if (!result) return invalid("DynamoDB only supports precision up to 38 digits");
  return AttributeValue::digits(result->text());
}

Answer<AttributeValue> evaluated(const Operand& operand, const Item& item) {
  switch (operand.kind) {
    case Operand::Kind::value: return *operand.value;
    case Operand::Kind::attribute:
      if (const AttributeValue* value = find(item, operand.attribute)) return *value;
      return invalid(
          "The provided expression refers to an attribute that does not exist in the item");
    case Operand::Kind::if_not_exists:
      if (const AttributeValue* value = find(item, operand.attribute)) return *value;
      return evaluated(operand.parts[0], item);
    case Operand::Kind::sum:
    case Operand::Kind::difference: break;
  }
  const Answer<AttributeValue> left = evaluated(operand.parts[0], item);
  if (!left) return left;
  const Answer<AttributeValue> right = evaluated(operand.parts[1], item);
  if (!right) return right;
  return combined(*left, *right, operand.kind);
}

void assign(Item& item, const std::string& name, AttributeValue value) {
  item.insert_or_assign(name, std::move(value));
}

// ---- conditions

// In conditions operands are attributes and values only.
const AttributeValue* looked_up(const Operand& operand, const Item& item) {
  return operand.kind == Operand::Kind::value ? &*operand.value : find(item, operand.attribute);
}

// None: they cannot be compared.
std::optional<std::strong_ordering> compared(const AttributeValue* a, const AttributeValue* b) {
  if (a == nullptr || b == nullptr || a->is_number() != b->is_number()) return std::nullopt;
  if (!a->is_number()) return a->raw() <=> b->raw();
  const Answer<WholeNumber> left = WholeNumber::parse(a->raw());
  const Answer<WholeNumber> right = WholeNumber::parse(b->raw());
  if (!left || !right) return std::nullopt;
  return *left <=> *right;
}

bool does_begin_with(const AttributeValue* text, const AttributeValue* start) {
  if (text == nullptr || start == nullptr || text->is_number() || start->is_number()) return false;
  return text->raw().starts_with(start->raw());
}

bool is_compared_so(ConditionExpression::Kind kind, std::optional<std::strong_ordering> order) {
  if (kind == ConditionExpression::Kind::unequal) return !order || *order != 0;
  if (!order) return false;
  switch (kind) {
    case ConditionExpression::Kind::equal: return *order == 0;
    case ConditionExpression::Kind::less: return *order < 0;
    case ConditionExpression::Kind::less_or_equal: return *order <= 0;
    case ConditionExpression::Kind::greater: return *order > 0;
    default: return *order >= 0;
  }
}

}  // namespace

const std::string* Words::name(const std::string& word) {
  const auto found = names_.find(word);
  if (found == names_.end()) return nullptr;
  used_.insert(word);
  return &found->second;
}

const AttributeValue* Words::value(const std::string& word) {
  const auto found = values_.find(word);
  if (found == values_.end()) return nullptr;
  used_.insert(word);
  return &found->second;
}

std::optional<Refusal> Words::check_all_used() const {
  const auto complain = [this](std::string_view where, const auto& words) {
    std::string unused;
    for (const auto& [word, meaning] : words)
      if (!used_.contains(word)) unused += (unused.empty() ? "" : ", ") + word;
    if (unused.empty()) return std::optional<Refusal>();
    return std::optional(Refusal(
        "ValidationException",
        fmt::format("Value provided in {} unused in expressions: keys: {{{}}}", where, unused)));
  };
  if (auto refusal = complain("ExpressionAttributeNames", names_)) return refusal;
  return complain("ExpressionAttributeValues", values_);
}

bool ConditionExpression::holds(const Item& item) const {
  const auto holds_here = [&item](const ConditionExpression& part) { return part.holds(item); };
  const auto operand = [&](std::size_t i) { return looked_up(operands[i], item); };
  switch (kind) {
    case Kind::all_of: return std::ranges::all_of(parts, holds_here);
    case Kind::any_of: return std::ranges::any_of(parts, holds_here);
    case Kind::negation: return !parts[0].holds(item);
    case Kind::exists: return operand(0) != nullptr;
    case Kind::not_exists: return operand(0) == nullptr;
    case Kind::begins_with: return does_begin_with(operand(0), operand(1));
    case Kind::between:
      return is_compared_so(Kind::greater_or_equal, compared(operand(0), operand(1))) &&
             is_compared_so(Kind::less_or_equal, compared(operand(0), operand(2)));
    default: return is_compared_so(kind, compared(operand(0), operand(1)));
  }
}

Answer<Item> UpdateExpression::applied_to(const Item& before) const {
  Item after = before;
  for (const Assignment& set : sets) {
    Answer<AttributeValue> value = evaluated(set.operand, before);
    if (!value) return std::unexpected(std::move(value).error());
    assign(after, set.attribute, std::move(*value));
  }
  for (const Assignment& addition : additions) {
    const AttributeValue* old = find(before, addition.attribute);
    const AttributeValue zero = AttributeValue::number(0);
    Answer<AttributeValue> sum =
        combined(old != nullptr ? *old : zero, *addition.operand.value, Operand::Kind::sum);
    if (!sum) return std::unexpected(std::move(sum).error());
    assign(after, addition.attribute, std::move(*sum));
  }
  for (const std::string& attribute : removals) after.erase(attribute);
  return after;
}

std::vector<std::string> UpdateExpression::attributes() const {
  std::vector<std::string> all = removals;
  for (const Assignment& set : sets) all.push_back(set.attribute);
  for (const Assignment& addition : additions) all.push_back(addition.attribute);
  return all;
}

}  // namespace forebay::sim::dynamodb
