#include "forebay/sim/dynamodb/expression_parser.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "forebay/base/ascii_text.hpp"
#include "forebay/sim/dynamodb/reserved_words.hpp"

namespace forebay::sim::dynamodb {
namespace {

bool is_any_keyword(std::string_view word) {
  static constexpr auto kKeywords = std::to_array<std::string_view>(
      {"AND", "OR", "NOT", "BETWEEN", "IN", "SET", "ADD", "REMOVE", "DELETE"});
  return std::ranges::any_of(kKeywords,
                             [word](std::string_view known) { return is_same_name(word, known); });
}

}  // namespace

void ExpressionParser::note_syntax_error() {
  if (!syntax_error_) syntax_error_ = tokens_.syntax_error();
}

void ExpressionParser::note_problem(std::string text) {
  if (!problem_) problem_ = std::move(text);
}

std::optional<Refusal> ExpressionParser::refusal() const {
  const std::optional<std::string>& text = syntax_error_ ? syntax_error_ : problem_;
  if (!text) return std::nullopt;
  return Refusal("ValidationException", fmt::format("Invalid {}: {}", kind_, *text));
}

void ExpressionParser::expect_sign(std::string_view sign) {
  if (!tokens_.take_sign(sign)) note_syntax_error();
}

bool ExpressionParser::is_at_function() const {
  return tokens_.next().kind == Token::Kind::word && !is_any_keyword(tokens_.next().text) &&
         tokens_.after_next().kind == Token::Kind::sign && tokens_.after_next().text == "(";
}

bool ExpressionParser::is_at_path() const {
  const Token& next = tokens_.next();
  if (next.kind == Token::Kind::name) return true;
  return next.kind == Token::Kind::word && !is_any_keyword(next.text) && !is_at_function();
}

std::string ExpressionParser::parse_path() {
  if (!is_at_path()) {
    note_syntax_error();
    return {};
  }
  const Token token = tokens_.take();
  if (tokens_.next().text == "." || tokens_.next().text == "[")
    note_problem("paths into documents are not simulated");
  std::string word(token.text);
  if (token.kind == Token::Kind::word) {
    if (is_reserved(word)) {
      note_problem(fmt::format("Attribute name is a reserved keyword; reserved keyword: {}", word));
    }
    return word;
  }
  const std::string* name = words_.name(word);
  if (name != nullptr) return *name;
  note_problem(fmt::format(
      "An expression attribute name used in the document path is not defined; attribute name: {}",
      word));
  return {};
}

Operand ExpressionParser::parse_value_word() {
  Operand operand;
  operand.kind = Operand::Kind::value;
  const std::string word(tokens_.take().text);
  if (const aws::AttributeValue* value = words_.value(word)) {
    operand.value = *value;
    return operand;
  }
  note_problem(fmt::format(
      "An expression attribute value used in expression is not defined; attribute value: {}",
      word));
  operand.value = aws::AttributeValue::number(0);
  return operand;
}

}  // namespace forebay::sim::dynamodb
