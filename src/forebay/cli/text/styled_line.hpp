// StyledLine: one line of terminal text that never grows wider than told, with colours that cost no
// width.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace forebay::cli {

enum class Colour : std::uint8_t { plain, bold, dim, red, green, yellow, blue, cyan, magenta };

// What the terminal can show.
struct TextStyle {
  int width = 80;
  bool has_colour = true;
  bool has_unicode = true;
};

class StyledLine {
 public:
  explicit StyledLine(const TextStyle& style) : style_(style) {}

  // What does not fit is cut. Control characters become spaces: text of others cannot steer the
  // terminal.
  StyledLine& add(std::string_view text, Colour colour = Colour::plain);
  // Spaces up to the column; at least one.
  StyledLine& to_column(int column);
  // The text at the right edge, if there is room for it and a space.
  StyledLine& at_right(std::string_view text, Colour colour = Colour::plain);
  // A bar of the given width, of which part / whole is full. Something is shown of every part above
  // zero.
  StyledLine& bar(int width, double part, double whole, Colour colour);

  int columns() const { return columns_; }
  const std::string& text() const { return text_; }

 private:
  TextStyle style_;
  std::string text_;
  int columns_ = 0;
};

// How many columns a text takes, if each of its characters takes one.
int columns_of(std::string_view text);

// 1234567 as 1,234,567.
std::string grouped(std::uint64_t number);

}  // namespace forebay::cli
