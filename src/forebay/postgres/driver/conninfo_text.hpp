// How values are quoted in connection strings, and in settings that are written like them.
#pragma once

#include <string>
#include <string_view>

namespace forebay::postgres {

inline std::string conninfo_quoted(std::string_view value) {
  std::string text = "'";
  for (const char c : value) {
    if (c == '\'' || c == '\\') text += '\\';
    text += c;
  }
  return text + "'";
}

}  // namespace forebay::postgres
