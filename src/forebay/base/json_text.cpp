#include "forebay/base/json_text.hpp"

#include <cstddef>
#include <cstdint>

namespace forebay {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<std::uint8_t>(text[at]) : std::uint8_t{0};
}

// How many bytes the character at the start of the text has, or 0 if there is no whole one. Table
// 3-7 of the Unicode standard: what is overlong, a surrogate or beyond U+10FFFF is no character.
std::size_t character_length(std::string_view text) {
  const std::uint8_t first = byte_at(text, 0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  std::uint8_t lowest = 0x80;
  std::uint8_t highest = 0xbf;
  if (first == 0xe0) lowest = 0xa0;
  if (first == 0xed) highest = 0x9f;
  if (first == 0xf0) lowest = 0x90;
  if (first == 0xf4) highest = 0x8f;
  for (std::size_t i = 1; i < length; ++i) {
    const std::uint8_t next = byte_at(text, i);
    if (next < lowest || next > highest) return 0;
    lowest = 0x80;
    highest = 0xbf;
  }
  return length;
}

// Characters of two and three bytes that terminals obey or that end a line: the controls from
// U+0080 to U+009F, and the separators U+2028 and U+2029.
std::string_view escape_of(std::string_view character, std::string& memory) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::uint8_t last = byte_at(character, character.size() - 1);
  if (character == "\xe2\x80\xa8") return "\\u2028";
  if (character == "\xe2\x80\xa9") return "\\u2029";
  if (character.size() != 2 || byte_at(character, 0) != 0xc2 || last > 0x9f) return character;
  memory = {'\\', 'u', '0', '0', kDigits[last / 16], kDigits[last % 16]};
  return memory;
}

// How many characters at the start of the text need no care.
std::size_t plain_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && text[length] >= ' ' && text[length] < '\x7f' &&
         text[length] != '"' && text[length] != '\\') {
    ++length;
  }
  return length;
}

}  // namespace

std::string json_quoted(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string result = "\"";
  for (;;) {
    const std::size_t plain = plain_length(text);
    result += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::size_t length = character_length(text);
    const std::uint8_t first = byte_at(text, 0);
    if (length == 0) {
      result += "\\ufffd";
    } else if (first == '"' || first == '\\') {
      result += {'\\', text.front()};
    } else if (first < 0x20 || first == 0x7f) {
      result += {'\\', 'u', '0', '0', kDigits[first / 16], kDigits[first % 16]};
    } else {
      std::string memory;
      result += escape_of(text.substr(0, length), memory);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result + "\"";
}

}  // namespace forebay
