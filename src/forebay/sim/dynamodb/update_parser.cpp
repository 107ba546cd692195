#include <array>

#include <fmt/format.h>

#include "forebay/sim/dynamodb/expression_parser.hpp"

namespace forebay::sim::dynamodb {
namespace {

class UpdateParser : public ExpressionParser {
 public:
  using ExpressionParser::ExpressionParser;

  Answer<UpdateExpression> parse() {
    if (tokens_.is_empty()) note_problem("The expression can not be empty;");
    while (!has_syntax_error() && !tokens_.is_at_end()) parse_section();
    check_distinct();
    if (const auto problem = refusal()) return std::unexpected(*problem);
    return std::move(update_);
  }

 private:
  enum Section : std::size_t { set, add, remove };

  void parse_section() {
    if (tokens_.take_keyword("SET")) {
      begin(Section::set, "SET");
      parse_list([this] { parse_set(); });
    } else if (tokens_.take_keyword("ADD")) {
      begin(Section::add, "ADD");
      parse_list([this] { parse_addition(); });
    } else if (tokens_.take_keyword("REMOVE")) {
      begin(Section::remove, "REMOVE");
      parse_list([this] { update_.removals.push_back(parse_path()); });
    } else if (tokens_.is_keyword("DELETE")) {
      note_problem("DELETE is for sets, which are not simulated");
      note_syntax_error();
    } else {
      note_syntax_error();
    }
  }

  void begin(Section section, std::string_view name) {
    if (has_seen_[section]) {
      note_problem(
          fmt::format("The \"{}\" section can only be used once in an update expression;", name));
    }
    has_seen_[section] = true;
  }

  template <class Parse>
  void parse_list(Parse parse_one) {
    do {
      parse_one();
    } while (!has_syntax_error() && tokens_.take_sign(","));
  }

  void parse_set() {
    UpdateExpression::Assignment assignment;
    assignment.attribute = parse_path();
    expect_sign("=");
    assignment.operand = parse_operand_or_sum();
    update_.sets.push_back(std::move(assignment));
  }

  void parse_addition() {
    UpdateExpression::Assignment assignment;
    assignment.attribute = parse_path();
    if (tokens_.next().kind != Token::Kind::value) {
      note_syntax_error();
      return;
    }
    assignment.operand = parse_value_word();
    if (!assignment.operand.value->is_number()) {
      note_problem(
          "Incorrect operand type for operator or function; operator: ADD, operand type: STRING, "
          "typeSet: ALLOWED_FOR_ADD_OPERAND");
    }
    update_.additions.push_back(std::move(assignment));
  }

  // One operator at most, around which there may be parentheses, but none outside of them.
  Operand parse_operand_or_sum() {
    Operand left;
    if (tokens_.take_sign("(")) {
      left = parse_operand_or_sum();
      end_parentheses();
      if (is_sum(left)) return left;
    } else {
      left = parse_operand();
    }
    const std::string sign(tokens_.next().text);
    if (sign != "+" && sign != "-") return left;
    tokens_.take();
    Operand sum;
    sum.kind = sign == "+" ? Operand::Kind::sum : Operand::Kind::difference;
    sum.parts.push_back(std::move(left));
    sum.parts.push_back(parse_operand());
    for (const Operand& part : sum.parts) {
      if (!part.value || part.value->is_number()) continue;
      note_problem(
          fmt::format("Incorrect operand type for operator or function; operator or function: {}, "
                      "operand type: S",
                      sign));
    }
    is_in_parentheses_ = false;
    return sum;
  }

  static bool is_sum(const Operand& operand) {
    return operand.kind == Operand::Kind::sum || operand.kind == Operand::Kind::difference;
  }

  void end_parentheses() {
    if (is_in_parentheses_) note_problem("The expression has redundant parentheses;");
    expect_sign(")");
    is_in_parentheses_ = true;
  }

  Operand parse_operand() {
    if (tokens_.take_sign("(")) {
      Operand inner = parse_operand();
      end_parentheses();
      return inner;
    }
    is_in_parentheses_ = false;
    if (tokens_.next().kind == Token::Kind::value) return parse_value_word();
    if (is_at_function()) return parse_function();
    Operand operand;
    operand.attribute = parse_path();
    return operand;
  }

  Operand parse_function() {
    const std::string name(tokens_.take().text);
    tokens_.take_sign("(");
    std::vector<Operand> operands;
    do {
      operands.push_back(parse_operand());
    } while (!has_syntax_error() && tokens_.take_sign(","));
    expect_sign(")");
    check_function(name, operands);
    Operand result;
    result.kind = Operand::Kind::if_not_exists;
    result.attribute = operands.front().attribute;
    operands.erase(operands.begin());
    result.parts = std::move(operands);
    return result;
  }

  void check_function(const std::string& name, const std::vector<Operand>& operands) {
    if (name == "list_append") {
      note_problem("list_append is for lists, which are not simulated");
    } else if (name == "attribute_exists" || name == "attribute_not_exists" ||
               name == "begins_with" || name == "contains" || name == "size") {
      note_problem(
          fmt::format("The function is not allowed in an update expression; function: {}", name));
    } else if (name != "if_not_exists") {
      note_problem(fmt::format("Invalid function name; function: {}", name));
    } else if (operands.size() != 2) {
      note_problem(
          fmt::format("Incorrect number of operands for operator or function; operator or "
                      "function: {}, number of operands: {}",
                      name, operands.size()));
    } else if (operands[0].kind != Operand::Kind::attribute) {
      note_problem(fmt::format(
          "Operator or function requires a document path; operator or function: {}", name));
    }
  }

  void check_distinct() {
    std::vector<std::string> attributes = update_.attributes();
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (attributes[i] != attributes[j]) continue;
        note_problem(
            fmt::format("Two document paths overlap with each other; must remove or rewrite one of "
                        "these paths; path one: [{0}], path two: [{0}]",
                        attributes[i]));
      }
    }
  }

  UpdateExpression update_;
  std::array<bool, 3> has_seen_{};
  bool is_in_parentheses_ = false;  // what was parsed last, as a whole
};

}  // namespace

Answer<UpdateExpression> parse_update(std::string_view text, Words& words) {
  return UpdateParser(text, "UpdateExpression", words).parse();
}

}  // namespace forebay::sim::dynamodb
