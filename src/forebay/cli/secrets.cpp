#include "forebay/cli/secrets.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace forebay::cli {

bool may_hold_secret(std::string_view word) {
  return word.contains("://") || word.contains('@') || word.contains("password");
}

std::string shown(std::string_view value) {
  if (may_hold_secret(value)) return "not shown, since it may hold a password";
  std::string text;
  for (const char c : value) text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return fmt::format("\"{}\"", text);
}

void hide_secrets(int count, char** words) {
  static constexpr std::string_view kHidden = "***";
  for (int i = 1; i < count; ++i) {
    const std::size_t size = std::string_view(words[i]).size();
    if (!may_hold_secret(words[i])) continue;
    std::fill_n(words[i], size, '\0');
    std::copy_n(kHidden.begin(), std::min(size, kHidden.size()), words[i]);
  }
}

}  // namespace forebay::cli
