// Texts as JSON writes them. Objects and lists: see json_writer.hpp.
#pragma once

#include <string>
#include <string_view>

namespace forebay {

// The text as a JSON string, with its quotes. Always valid UTF-8: a byte that belongs to no
// character, from a server of another encoding perhaps, becomes the replacement character. Always
// one line: what ends a line or moves a terminal's cursor is escaped.
std::string json_quoted(std::string_view text);

}  // namespace forebay
