// What the parsers of conditions and updates share: paths, values, and the order in which DynamoDB
// complains. A syntax error comes before anything else that is wrong, wherever it stands.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "forebay/sim/dynamodb/expression.hpp"
#include "forebay/sim/dynamodb/tokens.hpp"

namespace forebay::sim::dynamodb {

class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, std::string_view kind, Words& words)
      : tokens_(text), kind_(kind), words_(words) {}

 protected:
  // Parsing goes on behind either; what it then yields is not used.
  void note_syntax_error();
  void note_problem(std::string text);
  std::optional<Refusal> refusal() const;
  bool has_syntax_error() const { return syntax_error_.has_value(); }

  void expect_sign(std::string_view sign);
  std::string parse_path();
  Operand parse_value_word();
  // A word that is no key word, with an opening parenthesis behind it.
  bool is_at_function() const;
  bool is_at_path() const;
  bool is_at_operand() const {
    return is_at_path() || tokens_.next().kind == Token::Kind::value || is_at_function();
  }

  Tokens tokens_;

 private:
  const std::string_view kind_;
  Words& words_;
  std::optional<std::string> syntax_error_;
  std::optional<std::string> problem_;
};

}  // namespace forebay::sim::dynamodb
