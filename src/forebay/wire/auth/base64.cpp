#include "forebay/wire/auth/base64.hpp"

#include <array>
#include <cstdint>

namespace forebay::wire {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoLetter = 64;

constexpr std::array<std::uint8_t, 256> values_of_letters() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoLetter);
  for (std::uint8_t value = 0; value < kLetters.size(); ++value)
    values[static_cast<unsigned char>(kLetters[value])] = value;
  return values;
}

}  // namespace

std::string base64_of(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t place = 0; place < 3; ++place)
      bits = bits << 8 | (place < group.size() ? static_cast<unsigned char>(group[place]) : 0u);
    for (std::size_t place = 0; place < 4; ++place)
      text += place <= group.size() ? kLetters[bits >> (18 - 6 * place) & 63] : '=';
  }
  return text;
}

std::optional<std::string> bytes_of_base64(std::string_view text) {
  static constexpr std::array<std::uint8_t, 256> kValues = values_of_letters();
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t at = 0; at < text.size(); at += 4) {
    const bool is_last = at + 4 == text.size();
    const std::size_t letters = is_last ? 4 - padding : 4;
    std::uint32_t bits = 0;
    for (std::size_t place = 0; place < 4; ++place) {
      const std::uint8_t value =
          place < letters ? kValues[static_cast<unsigned char>(text[at + place])] : 0;
      if (value == kNoLetter) return std::nullopt;
      bits = bits << 6 | value;
    }
    for (std::size_t place = 0; place + 1 < letters; ++place)
      bytes += static_cast<char>(bits >> (16 - 8 * place));
    // Bits that belong to no byte would let two texts mean the same.
    const std::uint32_t unused = letters == 4 ? 0u : (1u << 8 * (4 - letters)) - 1u;
    if ((bits & unused) != 0) return std::nullopt;
  }
  return bytes;
}

}  // namespace forebay::wire
