#include "forebay/postgres/sql/clock_text.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "forebay/base/number_text.hpp"

namespace forebay::postgres {
namespace {

constexpr std::size_t kFractionDigits = 6;
constexpr std::uint64_t kMicrosecond = 1'000'000;  // in a second

constexpr bool is_clock_digit(char letter) { return letter >= '0' && letter <= '9'; }

// Digits only: a sign in the middle of a time is none.
std::optional<std::uint64_t> part_of_clock(std::string_view text, std::uint64_t most) {
  if (text.empty() || !std::ranges::all_of(text, is_clock_digit)) return std::nullopt;
  const std::optional<std::uint64_t> value = forebay::parse_number<std::uint64_t>(text);
  return value && *value <= most ? value : std::nullopt;
}

// What stands before the separator; the text goes on behind it.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

}  // namespace

std::optional<std::int64_t> microseconds_of_fraction(std::string_view digits) {
  if (digits.size() > kFractionDigits) return std::nullopt;
  std::optional<std::uint64_t> value = part_of_clock(digits, kMicrosecond);
  for (std::size_t i = digits.size(); value && i < kFractionDigits; ++i) *value *= 10;
  if (!value) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::string clock_text(std::int64_t microseconds) {
  const bool is_negative = microseconds < 0;
  // Not -microseconds: the least of all has no opposite.
  const std::uint64_t count = is_negative ? 0 - static_cast<std::uint64_t>(microseconds)
                                          : static_cast<std::uint64_t>(microseconds);
  const std::uint64_t seconds = count / kMicrosecond;
  std::string text = fmt::format("{}{:02}:{:02}:{:02}", is_negative ? "-" : "", seconds / 3600,
                                 seconds / 60 % 60, seconds % 60);
  if (const std::uint64_t fraction = count % kMicrosecond; fraction != 0) {
    text += fmt::format(".{:06}", fraction);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text;
}

std::optional<std::int64_t> parse_clock(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const auto most =
      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) + (is_negative ? 1 : 0);
  const auto hours = part_of_clock(take_until(text, ':'), most / kMicrosecond / 3600);
  const auto minutes = part_of_clock(take_until(text, ':'), 59);
  const bool has_fraction = text.contains('.');
  const auto seconds = part_of_clock(take_until(text, '.'), 59);
  const auto fraction =
      has_fraction ? microseconds_of_fraction(text) : std::optional<std::int64_t>(0);
  if (!hours || !minutes || !seconds || !fraction) return std::nullopt;
  const std::uint64_t count = (*hours * 3600 + *minutes * 60 + *seconds) * kMicrosecond +
                              static_cast<std::uint64_t>(*fraction);
  if (count > most) return std::nullopt;
  return static_cast<std::int64_t>(is_negative ? 0 - count : count);
}

}  // namespace forebay::postgres
