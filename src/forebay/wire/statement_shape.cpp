#include "forebay/wire/statement_shape.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace forebay::wire {
namespace {

// What a byte may begin, or be part of.
enum class Letter : std::uint8_t {
  other,    // blanks, signs
  digit,    // of a name, or of a number
  word,     // of a name, or of a number that is more than digits
  s,        // of a word, and maybe set_config begins with it
  dollar,   // of a word, if a digit comes next
  quote,    // of a string
  hyphen,   // two of them begin a comment
  slash,    // a star behind it does
  trouble,  // where strings begin and end is hard to tell
};

constexpr std::array<Letter, 256> kLetters = [] {
  std::array<Letter, 256> letters{};
  const auto mark = [&letters](std::string_view all, Letter as) {
    for (const char letter : all) letters[static_cast<unsigned char>(letter)] = as;
  };
  for (std::size_t high = 0x80; high < letters.size(); ++high) letters[high] = Letter::word;
  mark("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.", Letter::word);
  mark("0123456789", Letter::digit);
  mark("sS", Letter::s);
  mark("$", Letter::dollar);
  mark("'", Letter::quote);
  mark("-", Letter::hyphen);
  mark("/", Letter::slash);
  mark("\"\\", Letter::trouble);
  return letters;
}();

Letter letter_at(std::string_view sql, std::size_t at) {
  return kLetters[static_cast<unsigned char>(sql[at])];
}

bool is_part_of_word(Letter letter) {
  return letter == Letter::digit || letter == Letter::word || letter == Letter::s ||
         letter == Letter::dollar;
}

bool is_set_config(std::string_view text) {
  static constexpr std::string_view kName = "set_config";
  return text.size() >= kName.size() &&
         std::ranges::equal(text.substr(0, kName.size()), kName, {}, [](char letter) {
           return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
         });
}

// What begins here makes it hard to tell where strings begin and end, or what they are for.
bool is_trouble(std::string_view sql, std::size_t at) {
  switch (letter_at(sql, at)) {
    case Letter::trouble: return true;
    case Letter::hyphen: return sql.substr(at + 1).starts_with('-');
    case Letter::slash: return sql.substr(at + 1).starts_with('*');
    case Letter::dollar: return at + 1 == sql.size() || letter_at(sql, at + 1) != Letter::digit;
    case Letter::s: return is_set_config(sql.substr(at));
    default: return false;
  }
}

// Where the string that begins here ends; npos: nowhere. Of 'it''s' that is the first part; the
// second is one more.
std::size_t end_of_string(std::string_view sql, std::size_t at) {
  const std::size_t end = sql.find('\'', at + 1);
  if (end == std::string_view::npos || sql.substr(at, end - at).contains('\\'))
    return std::string_view::npos;
  return end + 1;
}

// Where the word that begins here ends, or where trouble begins in it.
std::size_t end_of_word(std::string_view sql, std::size_t at, bool& is_number) {
  is_number = true;
  for (; at < sql.size(); ++at) {
    const Letter letter = letter_at(sql, at);
    if (letter == Letter::digit) continue;
    if (!is_part_of_word(letter)) break;
    if (letter != Letter::word && is_trouble(sql, at)) break;
    is_number = false;
  }
  return at;
}

}  // namespace

std::string statement_shape(std::string_view sql) {
  std::string shape;
  shape.reserve(sql.size());
  std::size_t kept = 0;  // so much of the text is in the shape, as it is or as another constant
  const auto replace = [&](std::size_t begin, std::size_t end, std::string_view constant) {
    shape.append(sql.substr(kept, begin - kept)).append(constant);
    kept = end;
  };
  for (std::size_t at = 0; at < sql.size();) {
    const Letter letter = letter_at(sql, at);
    if (letter == Letter::other) {
      ++at;
    } else if (is_trouble(sql, at)) {
      return std::string(sql);
    } else if (letter == Letter::quote) {
      const std::size_t end = end_of_string(sql, at);
      if (end == std::string_view::npos) return std::string(sql);
      replace(at, end, "''");
      at = end;
    } else if (is_part_of_word(letter)) {
      bool is_number = false;
      const std::size_t end = end_of_word(sql, at, is_number);
      if (is_number) replace(at, end, "0");
      at = end;
    } else {
      ++at;
    }
  }
  return shape.append(sql.substr(kept));
}

}  // namespace forebay::wire
