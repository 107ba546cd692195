#include <array>

#include <fmt/format.h>

#include "forebay/sim/dynamodb/expression_parser.hpp"
#include "forebay/sim/dynamodb/number.hpp"

namespace forebay::sim::dynamodb {
namespace {

using Kind = ConditionExpression::Kind;

struct Comparator {
  std::string_view sign;
  Kind kind;
};
constexpr auto kComparators = std::to_array<Comparator>({{"=", Kind::equal},
                                                         {"<>", Kind::unequal},
                                                         {"<", Kind::less},
                                                         {"<=", Kind::less_or_equal},
                                                         {">", Kind::greater},
                                                         {">=", Kind::greater_or_equal}});

bool is_lower_bound_above(const Operand& lower, const Operand& upper) {
  if (!lower.value || !upper.value || lower.value->is_number() != upper.value->is_number())
    return false;
  ConditionExpression above;
  above.kind = Kind::greater;
  above.operands = {lower, upper};
  return above.holds({});
}

class ConditionParser : public ExpressionParser {
 public:
  using ExpressionParser::ExpressionParser;

  Answer<ConditionExpression> parse() {
    if (tokens_.is_empty()) {
      note_problem("The expression can not be empty;");
    } else {
      ConditionExpression condition = parse_any_of();
      if (!tokens_.is_at_end()) note_syntax_error();
      if (!refusal()) return condition;
    }
    return std::unexpected(*refusal());
  }

 private:
  // Alternatives, of conjunctions, of negations.
  ConditionExpression parse_any_of() {
    ConditionExpression all = parse_all_of();
    while (!has_syntax_error() && tokens_.take_keyword("OR"))
      join(all, Kind::any_of, parse_all_of());
    return all;
  }
  ConditionExpression parse_all_of() {
    ConditionExpression all = parse_negation();
    while (!has_syntax_error() && tokens_.take_keyword("AND"))
      join(all, Kind::all_of, parse_negation());
    return all;
  }
  ConditionExpression parse_negation() {
    if (!tokens_.take_keyword("NOT")) return parse_one();
    ConditionExpression negation;
    negation.kind = Kind::negation;
    negation.parts.push_back(parse_negation());
    is_in_parentheses_ = false;
    return negation;
  }

  void join(ConditionExpression& all, Kind kind, ConditionExpression more) {
    ConditionExpression joined;
    joined.kind = kind;
    joined.parts.push_back(std::move(all));
    joined.parts.push_back(std::move(more));
    all = std::move(joined);
    is_in_parentheses_ = false;
  }

  ConditionExpression parse_one() {
    if (tokens_.take_sign("(")) {
      ConditionExpression inner = parse_any_of();
      if (is_in_parentheses_) note_problem("The expression has redundant parentheses;");
      expect_sign(")");
      is_in_parentheses_ = true;
      return inner;
    }
    is_in_parentheses_ = false;
    if (is_at_function()) return parse_function();
    return parse_comparison();
  }

  Operand parse_operand() {
    Operand operand;
    if (tokens_.next().kind == Token::Kind::value) return parse_value_word();
    if (is_at_function()) {
      note_problem(fmt::format("the function {} is not simulated here", tokens_.next().text));
      note_syntax_error();
      return operand;
    }
    operand.attribute = parse_path();
    return operand;
  }

  ConditionExpression parse_comparison() {
    ConditionExpression condition;
    condition.operands.push_back(parse_operand());
    if (tokens_.take_keyword("BETWEEN")) {
      condition.kind = Kind::between;
      condition.operands.push_back(parse_operand());
      if (!tokens_.take_keyword("AND")) note_syntax_error();
      condition.operands.push_back(parse_operand());
      if (is_lower_bound_above(condition.operands[1], condition.operands[2])) {
        note_problem(
            "The BETWEEN operator requires upper bound to be greater than or equal to lower bound");
      }
      return condition;
    }
    if (tokens_.is_keyword("IN")) note_problem("the operator IN is not simulated");
    for (const Comparator& comparator : kComparators) {
      if (!tokens_.take_sign(comparator.sign)) continue;
      condition.kind = comparator.kind;
      condition.operands.push_back(parse_operand());
      check_distinct(condition, comparator.sign);
      return condition;
    }
    note_syntax_error();
    return condition;
  }

  void check_distinct(const ConditionExpression& condition, std::string_view sign) {
    const Operand& left = condition.operands[0];
    const Operand& right = condition.operands[1];
    if (left.value || right.value || left.attribute != right.attribute) return;
    note_problem(
        fmt::format("The first operand must be distinct from the remaining operands for this "
                    "operator or function; operator: {}, first operand: [{}]",
                    sign, left.attribute));
  }

  ConditionExpression parse_function() {
    ConditionExpression condition;
    const std::string name(tokens_.take().text);
    tokens_.take_sign("(");
    do {
      condition.operands.push_back(parse_operand());
    } while (!has_syntax_error() && tokens_.take_sign(","));
    expect_sign(")");
    if (name == "attribute_exists" || name == "attribute_not_exists") {
      condition.kind = name == "attribute_exists" ? Kind::exists : Kind::not_exists;
      if (has_operands(condition, name, 1) && condition.operands[0].value) {
        note_problem(fmt::format(
            "Operator or function requires a document path; operator or function: {}", name));
      }
    } else if (name == "begins_with") {
      condition.kind = Kind::begins_with;
      if (has_operands(condition, name, 2)) check_texts(condition);
    } else if (name == "if_not_exists") {
      note_problem(
          fmt::format("The function is not allowed in a condition expression; function: {}", name));
    } else {
      note_problem(fmt::format("Invalid function name; function: {}", name));
    }
    return condition;
  }

  bool has_operands(const ConditionExpression& condition, const std::string& function,
                    std::size_t count) {
    if (condition.operands.size() == count) return true;
    note_problem(
        fmt::format("Incorrect number of operands for operator or function; operator or function: "
                    "{}, number of operands: {}",
                    function, condition.operands.size()));
    return false;
  }

  void check_texts(const ConditionExpression& condition) {
    for (const Operand& operand : condition.operands) {
      if (!operand.value || !operand.value->is_number()) continue;
      note_problem(
          "Incorrect operand type for operator or function; operator or function: begins_with, "
          "operand type: N");
    }
  }

  bool is_in_parentheses_ = false;  // what was parsed last, as a whole
};

}  // namespace

Answer<ConditionExpression> parse_condition(std::string_view text, std::string_view kind,
                                            Words& words) {
  return ConditionParser(text, kind, words).parse();
}

}  // namespace forebay::sim::dynamodb
