#include "forebay/wire/statement_shape.hpp"

#include <algorithm>

namespace forebay::wire {
namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

// Of a name, or of a number that is more than digits.
bool is_part_of_word(char letter) {
  return is_digit(letter) || (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         letter == '_' || letter == '.' || letter == '$' ||
         static_cast<unsigned char>(letter) >= 0x80;
}

bool is_set_config(std::string_view text) {
  static constexpr std::string_view kName = "set_config";
  return text.size() >= kName.size() &&
         std::ranges::equal(text.substr(0, kName.size()), kName, {}, [](char letter) {
           return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
         });
}

// What begins here makes it hard to tell where strings begin and end, or what they are for.
bool is_trouble(std::string_view rest) {
  switch (rest[0]) {
    case '"':
    case '\\': return true;
    case '-': return rest.starts_with("--");
    case '/': return rest.starts_with("/*");
    case '$': return rest.size() < 2 || !is_digit(rest[1]);
    case 's':
    case 'S': return is_set_config(rest);
    default: return false;
  }
}

// Where the string that begins at the front ends; npos: nowhere. Of 'it''s' that is the first part;
// the second is one more.
std::size_t end_of_string(std::string_view rest) {
  const std::size_t end = rest.find('\'', 1);
  const bool has_escape = rest.substr(0, end).contains('\\');
  return end == std::string_view::npos || has_escape ? std::string_view::npos : end + 1;
}

}  // namespace

std::string statement_shape(std::string_view sql) {
  std::string shape;
  shape.reserve(sql.size());
  for (std::size_t at = 0; at < sql.size();) {
    const std::string_view rest = sql.substr(at);
    if (is_trouble(rest)) return std::string(sql);
    if (rest[0] == '\'') {
      const std::size_t length = end_of_string(rest);
      if (length == std::string_view::npos) return std::string(sql);
      shape += "''";
      at += length;
      continue;
    }
    if (!is_part_of_word(rest[0])) {
      shape += rest[0];
      ++at;
      continue;
    }
    std::size_t length = 1;
    while (length < rest.size() && is_part_of_word(rest[length]) &&
           !is_trouble(rest.substr(length)))
      ++length;
    const std::string_view word = rest.substr(0, length);
    const bool is_number = std::ranges::all_of(word, is_digit);
    shape += is_number ? std::string_view("0") : word;
    at += length;
  }
  return shape;
}

}  // namespace forebay::wire
