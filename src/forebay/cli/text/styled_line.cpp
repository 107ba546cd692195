#include "forebay/cli/text/styled_line.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace forebay::cli {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::size_t size_from_first_byte(unsigned char first) {
  return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

// A UTF-8 character, or as much as there is of a broken one.
std::string_view take_character(std::string_view& text) {
  const std::size_t wanted = size_from_first_byte(static_cast<unsigned char>(text[0]));
  std::size_t size = 1;
  while (size < std::min(wanted, text.size()) && is_continuation(text[size])) ++size;
  const std::string_view character = text.substr(0, size);
  text.remove_prefix(size);
  return character;
}

// ASCII controls, the C1 controls (U+0080 to U+009F), which some terminals obey too, and broken
// characters, in which others see C1 controls.
bool is_harmful(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() != size_from_first_byte(first)) return true;
  if (character.size() == 1) return first < 0x20 || first >= 0x7f;
  return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
}

std::string_view code_of(Colour colour) {
  static constexpr std::array<std::string_view, 9> kCodes = {"0",  "1",  "2",  "31", "32",
                                                             "33", "34", "36", "35"};
  return kCodes[static_cast<std::size_t>(colour)];
}

}  // namespace

StyledLine& StyledLine::add(std::string_view text, Colour colour) {
  const bool is_coloured = style_.has_colour && colour != Colour::plain && !text.empty();
  if (is_coloured) text_.append("\x1b[").append(code_of(colour)).append("m");
  while (!text.empty() && columns_ < style_.width) {
    const std::string_view character = take_character(text);
    text_ += is_harmful(character) ? " " : character;
    ++columns_;
  }
  if (is_coloured) text_ += "\x1b[0m";
  return *this;
}

StyledLine& StyledLine::to_column(int column) {
  const int missing = std::max(column - columns_, 1);
  return add(std::string(static_cast<std::size_t>(missing), ' '));
}

StyledLine& StyledLine::at_right(std::string_view text, Colour colour) {
  const int start = style_.width - columns_of(text);
  if (start <= columns_) return *this;
  return to_column(start).add(text, colour);
}

StyledLine& StyledLine::bar(int width, double part, double whole, Colour colour) {
  const double share = whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0;
  int full = static_cast<int>(std::lround(share * width));
  if (part > 0) full = std::max(full, 1);
  std::string filled;
  std::string rest;
  for (int i = 0; i < width; ++i) {
    if (i < full) {
      filled += style_.has_unicode ? "\u2588" : "#";
    } else {
      rest += style_.has_unicode ? "\u2591" : ".";
    }
  }
  return add(filled, colour).add(rest, Colour::dim);
}

int columns_of(std::string_view text) {
  return static_cast<int>(std::ranges::count_if(text, [](char c) { return !is_continuation(c); }));
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t end = text.size(); end > 3; end -= 3) text.insert(end - 3, ",");
  return text;
}

}  // namespace forebay::cli
