// Tokens: an expression cut into words and signs, read one after the other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace forebay::sim::dynamodb {

struct Token {
  enum class Kind : std::uint8_t { word, name, value, sign, end };  // "a", "#a", ":a", "<="

  Kind kind = Kind::end;
  std::string_view text;
};

class Tokens {
 public:
  // The text outlives it.
  explicit Tokens(std::string_view text);

  const Token& next() const { return all_[place_]; }
  const Token& after_next() const { return all_[place_ + 1 < all_.size() ? place_ + 1 : place_]; }
  Token take();
  bool take_sign(std::string_view sign);
  // Key words are the same in capitals or not.
  bool is_keyword(std::string_view keyword) const;
  bool take_keyword(std::string_view keyword);
  bool is_empty() const { return all_.size() == 1; }
  bool is_at_end() const { return next().kind == Token::Kind::end; }
  // What is wrong, at the next token, in DynamoDB's words.
  std::string syntax_error() const;

 private:
  const std::string_view text_;
  std::vector<Token> all_;  // the last one is the end
  std::size_t place_ = 0;
};

}  // namespace forebay::sim::dynamodb
