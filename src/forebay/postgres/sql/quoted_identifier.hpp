// Names of tables, columns and databases as SQL takes them: literally, whatever is in them. Pure.
#pragma once

#include <string>
#include <string_view>

namespace forebay::postgres {

// In double quotes, those in it doubled.
inline std::string quoted_identifier(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + '"';
}

}  // namespace forebay::postgres
