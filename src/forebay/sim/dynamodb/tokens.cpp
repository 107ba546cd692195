#include "forebay/sim/dynamodb/tokens.hpp"

#include <fmt/format.h>

#include "forebay/base/ascii_text.hpp"
#include "forebay/sim/dynamodb/number.hpp"

namespace forebay::sim::dynamodb {
namespace {

bool is_blank(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r';
}
bool is_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
}
bool is_of_word(char letter) { return is_letter(letter) || is_digit(letter); }

std::size_t length_of_word(std::string_view text, std::size_t from) {
  std::size_t length = from;
  while (length < text.size() && is_of_word(text[length])) ++length;
  return length;
}

std::size_t length_of_sign(std::string_view text) {
  return text.starts_with("<>") || text.starts_with("<=") || text.starts_with(">=") ? 2 : 1;
}

Token first_token(std::string_view text) {
  const char letter = text.front();
  if (is_letter(letter)) return {Token::Kind::word, text.substr(0, length_of_word(text, 0))};
  if (letter == '#' || letter == ':') {
    const std::size_t length = length_of_word(text, 1);
    if (length > 1) {
      return {letter == '#' ? Token::Kind::name : Token::Kind::value, text.substr(0, length)};
    }
  }
  return {Token::Kind::sign, text.substr(0, length_of_sign(text))};
}

}  // namespace

Tokens::Tokens(std::string_view text) : text_(text) {
  std::size_t place = 0;
  while (true) {
    while (place < text.size() && is_blank(text[place])) ++place;
    if (place == text.size()) break;
    all_.push_back(first_token(text.substr(place)));
    place += all_.back().text.size();
  }
  all_.push_back({Token::Kind::end, text.substr(text.size())});
}

Token Tokens::take() {
  const Token token = next();
  if (!is_at_end()) ++place_;
  return token;
}

bool Tokens::take_sign(std::string_view sign) {
  if (next().kind != Token::Kind::sign || next().text != sign) return false;
  ++place_;
  return true;
}

bool Tokens::is_keyword(std::string_view keyword) const {
  return next().kind == Token::Kind::word && is_same_name(next().text, keyword);
}

bool Tokens::take_keyword(std::string_view keyword) {
  if (!is_keyword(keyword)) return false;
  ++place_;
  return true;
}

// With the token before and the one after.
std::string Tokens::syntax_error() const {
  const Token& first = all_[place_ > 0 ? place_ - 1 : place_];
  const Token& last = is_at_end() ? first : after_next();
  const auto start = static_cast<std::size_t>(first.text.data() - text_.data());
  const auto end = static_cast<std::size_t>(last.text.data() - text_.data()) + last.text.size();
  return fmt::format("Syntax error; token: \"{}\", near: \"{}\"",
                     is_at_end() ? "<EOF>" : next().text, text_.substr(start, end - start));
}

}  // namespace forebay::sim::dynamodb
