// Words into lines of limited width. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace forebay::cli {

// Breaks between words, never inside one: a word that is wider than a line has one of its own. Line
// ends of the text count as spaces. No text gives no lines.
std::vector<std::string> wrapped(std::string_view text, int width);

}  // namespace forebay::cli
