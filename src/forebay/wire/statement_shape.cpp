#include "forebay/wire/statement_shape.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

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

// set_config may begin in the middle of a word, behind its schema.
bool is_set_config(std::string_view text) {
  static constexpr std::string_view kName = "set_config";
  return text.size() >= kName.size() && (text[1] | 0x20) == 'e' && (text[2] | 0x20) == 't' &&
         std::ranges::equal(text.substr(0, kName.size()), kName, {}, [](char letter) {
           return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
         });
}

// What begins here makes it hard to tell where strings begin and end, or what they are for.
bool is_trouble(std::string_view sql, std::size_t at) {
  switch (letter_at(sql, at)) {
    case Letter::trouble: return true;
    case Letter::hyphen: return at + 1 < sql.size() && sql[at + 1] == '-';
    case Letter::slash: return at + 1 < sql.size() && sql[at + 1] == '*';
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
    if (letter != Letter::word && (!is_part_of_word(letter) || is_trouble(sql, at))) break;
    is_number = false;
  }
  return at;
}

}  // namespace

StatementShape::StatementShape(std::string_view sql) : text_(sql) {
  std::size_t kept = 0;  // so much of the text is in the shape, as it is or as another constant
  std::size_t size = 0;  // of that
  char* into = nullptr;
  const auto copy = [&](std::string_view piece) {
    std::memcpy(into + size, piece.data(), piece.size());
    size += piece.size();
  };
  const auto replace = [&](std::size_t begin, std::size_t end, std::string_view constant) {
    // No constant is longer than what it stands for.
    if (into == nullptr) into = room_for(sql.size());
    copy(sql.substr(kept, begin - kept));
    copy(constant);
    kept = end;
  };
  for (std::size_t at = 0; at < sql.size();) {
    const Letter letter = letter_at(sql, at);
    if (letter == Letter::other) {
      ++at;
    } else if (is_part_of_word(letter)) {
      bool is_number = false;
      const std::size_t end = end_of_word(sql, at, is_number);
      if (end == at) return;  // trouble
      if (is_number) replace(at, end, "0");
      at = end;
    } else if (is_trouble(sql, at)) {
      return;
    } else if (letter == Letter::quote) {
      const std::size_t end = end_of_string(sql, at);
      if (end == std::string_view::npos) return;
      replace(at, end, "''");
      at = end;
    } else {
      ++at;
    }
  }
  if (into == nullptr) return;
  copy(sql.substr(kept));
  text_ = std::string_view(into, size);
}

char* StatementShape::room_for(std::size_t size) {
  if (size <= small_.size()) return small_.data();
  large_ = std::make_unique_for_overwrite<char[]>(size);
  return large_.get();
}

}  // namespace forebay::wire
