#include "forebay/cli/text/wrapped_text.hpp"

#include "forebay/cli/text/styled_line.hpp"

namespace forebay::cli {

std::vector<std::string> wrapped(std::string_view text, int width) {
  static constexpr std::string_view kSpaces = " \t\r\n";
  std::vector<std::string> lines;
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
    if (text.empty()) return lines;
    const std::string_view word = text.substr(0, text.find_first_of(kSpaces));
    text.remove_prefix(word.size());
    const bool has_room =
        !lines.empty() && columns_of(lines.back()) + 1 + columns_of(word) <= width;
    if (has_room) {
      lines.back().append(" ").append(word);
    } else {
      lines.emplace_back(word);
    }
  }
}

}  // namespace forebay::cli
