// Expressions of DynamoDB, as far as we use them: conditions and updates of attributes that are
// texts or whole numbers and lie directly in the item.
//
//   attribute_exists(pk) AND (#n < :most OR NOT begins_with(owner, :who))
//   SET a = if_not_exists(a, :zero) + :n, b = :b REMOVE c ADD d :n
//
// Whatever the real one refuses is refused with the same text; what it would take and we do not
// know is refused, too, and says so.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/sim/dynamodb/refusal.hpp"

namespace forebay::sim::dynamodb {

// What #names and :values in the expressions of one request stand for.
class Words {
 public:
  Words(std::map<std::string, std::string> names, aws::Item values)
      : names_(std::move(names)), values_(std::move(values)) {}

  // Null: there is none. What was asked for counts as used.
  const std::string* name(const std::string& word);
  const aws::AttributeValue* value(const std::string& word);
  // Refuses a request that defines words and does not use them all, as DynamoDB does.
  std::optional<Refusal> check_all_used() const;

 private:
  std::map<std::string, std::string> names_;
  aws::Item values_;
  std::set<std::string> used_;
};

struct Operand {
  enum class Kind : std::uint8_t { attribute, value, if_not_exists, sum, difference };

  Kind kind = Kind::attribute;
  std::string attribute;  // also of if_not_exists
  std::optional<aws::AttributeValue> value;
  std::vector<Operand> parts;
};

struct ConditionExpression {
  enum class Kind : std::uint8_t {
    all_of,
    any_of,
    negation,
    equal,
    unequal,
    less,
    less_or_equal,
    greater,
    greater_or_equal,
    between,
    exists,
    not_exists,
    begins_with
  };

  Kind kind = Kind::all_of;
  std::vector<ConditionExpression> parts;
  std::vector<Operand> operands;

  // Of no item: an empty one.
  bool holds(const aws::Item& item) const;
};

struct UpdateExpression {
  struct Assignment {
    std::string attribute;
    Operand operand;
  };
  std::vector<Assignment> sets;
  std::vector<Assignment> additions;
  std::vector<std::string> removals;

  // All of it refers to the item as it was before.
  Answer<aws::Item> applied_to(const aws::Item& before) const;
  std::vector<std::string> attributes() const;  // that it names as targets
};

// Attributes that a reader asks for.
struct Projection {
  std::set<std::string> attributes;

  aws::Item of(const aws::Item& item) const;
};

// kind: "ConditionExpression" or "FilterExpression", for texts.
Answer<ConditionExpression> parse_condition(std::string_view text, std::string_view kind,
                                            Words& words);
Answer<UpdateExpression> parse_update(std::string_view text, Words& words);
Answer<Projection> parse_projection(std::string_view text, Words& words);

}  // namespace forebay::sim::dynamodb
