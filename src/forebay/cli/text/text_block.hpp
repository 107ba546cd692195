// TextBlock: a summary that grows line by line. Pure.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "forebay/cli/text/styled_line.hpp"
#include "forebay/cli/text/wrapped_text.hpp"

namespace forebay::cli {

class TextBlock {
 public:
  // Lines of more than 100 columns are hard to read, however wide the terminal is.
  explicit TextBlock(const TextStyle& style)
      : style_{std::clamp(style.width, 40, 100), style.has_colour, style.has_unicode} {}

  StyledLine line() const { return StyledLine(style_); }
  void keep(const StyledLine& finished) { text_.append(finished.text()).append("\n"); }
  void blank() { text_ += "\n"; }

  // The text from where the line has got to, over as many lines as it needs, all of which begin in
  // that column.
  void keep_wrapped(StyledLine begun, std::string_view text, Colour colour = Colour::plain) {
    const int column = begun.columns();
    bool is_first = true;
    for (const std::string& part : wrapped(text, style_.width - column)) {
      if (!is_first) begun = line().to_column(column);
      keep(begun.add(part, colour));
      is_first = false;
    }
    if (is_first) keep(begun);
  }
  // A name at the left and the text in a column of its own.
  void keep_named(std::string_view name, std::string_view text) {
    keep_wrapped(line().to_column(2).add(name).to_column(13), text);
  }

  // Neither cut nor wrapped: it is to be copied.
  void keep_whole(std::string_view line) { text_.append(line).append("\n"); }

  const std::string& text() const { return text_; }

 private:
  TextStyle style_;
  std::string text_;
};

}  // namespace forebay::cli
