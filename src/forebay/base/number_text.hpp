// Numbers as people type them. Pure.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace forebay {

// Nothing unless all of the text is one number that fits.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace forebay
