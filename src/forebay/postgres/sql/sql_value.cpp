// Numbers through std::to_chars and std::from_chars, which know no locale and lose no bit.
#include "forebay/postgres/sql/sql_value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include <fmt/format.h>

namespace forebay::postgres {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kHexPrefix = "\\x";

constexpr bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class T>
std::string float_text(T value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  std::array<char, 32> buffer;  // the longest double takes 24
  const std::to_chars_result written =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), written.ptr);
}

std::string value_kind(std::string_view text) {
  if (text.empty()) return "an empty text";
  if (text == "infinity" || text == "-infinity") return std::string(text);
  const std::string_view unsigned_text = text.substr(text.starts_with('-') ? 1 : 0);
  if (!unsigned_text.empty() && std::ranges::all_of(unsigned_text, is_digit)) {
    return fmt::format("a {}whole number of {} digits", text.starts_with('-') ? "negative " : "",
                       unsigned_text.size());
  }
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end == text.data() + text.size()) {
    const bool is_finite = problem != std::errc() || std::isfinite(number);
    return is_finite ? "a number with a fraction or exponent" : float_text(number);
  }
  return fmt::format("a text of {} bytes", text.size());
}

template <class T>
Result<T> parse_float(std::string_view text) {
  if (const std::optional<T> value = parse_number<T>(text)) return *value;
  return not_a(fmt::format("a number that fits into {} bits", sizeof(T) * 8), text);
}

std::optional<unsigned> hex_digit(char digit) {
  if (digit >= 'A' && digit <= 'F') digit = static_cast<char>(digit - 'A' + 'a');
  const std::size_t at = kHexDigits.find(digit);
  if (at == std::string_view::npos) return std::nullopt;
  return static_cast<unsigned>(at);
}

}  // namespace

std::unexpected<Error> not_a(std::string_view what, std::string_view text) {
  return failure(Errc::invalid, fmt::format("{} is not {}", value_kind(text), what));
}

std::unexpected<Error> null_without_optional() {
  return failure(Errc::invalid, "NULL, which only a std::optional can take");
}

Result<std::int64_t> parse_integer(std::string_view text, std::int64_t least, std::int64_t most) {
  const std::optional<std::int64_t> value = parse_number<std::int64_t>(text);
  if (value && *value >= least && *value <= most) return *value;
  return not_a(fmt::format("a whole number from {} to {}", least, most), text);
}

Result<std::uint64_t> parse_natural(std::string_view text, std::uint64_t most) {
  const std::optional<std::uint64_t> value = parse_number<std::uint64_t>(text);
  if (value && *value <= most) return *value;
  return not_a(fmt::format("a whole number from 0 to {}", most), text);
}

std::string SqlValue<float>::to_text(float value) { return float_text(value); }
std::string SqlValue<double>::to_text(double value) { return float_text(value); }
Result<float> SqlValue<float>::from_text(std::string_view text) { return parse_float<float>(text); }
Result<double> SqlValue<double>::from_text(std::string_view text) {
  return parse_float<double>(text);
}

Result<bool> SqlValue<bool>::from_text(std::string_view text) {
  if (text == "t" || text == "true") return true;
  if (text == "f" || text == "false") return false;
  return not_a("true or false", text);
}

std::string SqlValue<std::vector<std::byte>>::to_text(std::span<const std::byte> bytes) {
  std::string text(kHexPrefix);
  text.reserve(text.size() + bytes.size() * 2);
  for (const std::byte byte : bytes) {
    const auto number = std::to_integer<unsigned>(byte);
    text += kHexDigits[number >> 4U];
    text += kHexDigits[number & 0xfU];
  }
  return text;
}

// Not the other form, escape: any text without a backslash is one, and a wrong column would not
// show.
Result<std::vector<std::byte>> SqlValue<std::vector<std::byte>>::from_text(std::string_view text) {
  static constexpr std::string_view kWhat = "bytes in hexadecimal form (bytea_output = hex)";
  if (!text.starts_with(kHexPrefix) || text.size() % 2 != 0) return not_a(kWhat, text);
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 2 - 1);
  for (std::size_t at = kHexPrefix.size(); at < text.size(); at += 2) {
    const std::optional<unsigned> high = hex_digit(text[at]);
    const std::optional<unsigned> low = hex_digit(text[at + 1]);
    if (!high || !low) return not_a(kWhat, text);
    bytes.push_back(static_cast<std::byte>(*high << 4U | *low));
  }
  return bytes;
}

}  // namespace forebay::postgres
