#include "forebay/env/duration_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <ranges>

#include <fmt/format.h>

namespace forebay {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};
// From the largest down.
constexpr std::array<Unit, 6> kUnits{{{"h", 3'600'000'000'000},
                                      {"m", 60'000'000'000},
                                      {"s", 1'000'000'000},
                                      {"ms", 1'000'000},
                                      {"us", 1'000},
                                      {"ns", 1}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// As Go writes microseconds, and as keyboards do: the micro sign, and the Greek letter.
constexpr std::array<std::string_view, 2> kMicroseconds{"\u00b5s", "\u03bcs"};

const Unit* find_unit(std::string_view name) {
  if (std::ranges::find(kMicroseconds, name) != kMicroseconds.end()) name = "us";
  const auto unit = std::ranges::find(kUnits, name, &Unit::name);
  return unit == kUnits.end() ? nullptr : &*unit;
}

// a * b + c, or nothing when that is too long for a Duration.
std::optional<std::int64_t> sum(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t part = 0;
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &part)) return std::nullopt;
  if (__builtin_add_overflow(part, c, &result)) return std::nullopt;
  return result;
}

// "12" and "5" of "12.5" as nanoseconds, when one of it is unit nanoseconds long.
std::optional<std::int64_t> scaled(std::string_view whole, std::string_view fraction,
                                   std::int64_t unit) {
  std::optional<std::int64_t> number = 0;
  for (const char digit : whole) {
    number = sum(*number, 10, digit - '0');
    if (!number) return std::nullopt;
  }
  // From the last digit on, so that the nanosecond is rounded down only once.
  std::int64_t rest = 0;
  for (const char digit : fraction | std::views::reverse) rest = (rest + (digit - '0') * unit) / 10;
  return sum(*number, unit, rest);
}

// Takes what comes first as long as it `is_wanted`.
template <class Predicate>
std::string_view take_while(std::string_view& text, Predicate is_wanted) {
  std::size_t count = 0;
  while (count < text.size() && is_wanted(text[count])) ++count;
  const std::string_view taken = text.substr(0, count);
  text.remove_prefix(count);
  return taken;
}

// Takes "12.5s" from the front, as nanoseconds.
std::optional<std::int64_t> take_part(std::string_view& text) {
  const std::string_view whole = take_while(text, is_digit);
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take_while(text, is_digit);
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;
  const std::string_view name = take_while(text, [](char c) { return !is_digit(c) && c != '.'; });
  const Unit* const unit = find_unit(name);
  return unit == nullptr ? std::nullopt : scaled(whole, fraction, unit->nanoseconds);
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return Duration::zero();
  std::int64_t total = 0;
  do {
    const std::optional<std::int64_t> part = take_part(text);
    if (!part || __builtin_add_overflow(total, *part, &total)) return std::nullopt;
  } while (!text.empty());
  return Duration(is_negative ? -total : total);
}

std::string duration_text(Duration time) {
  if (time == Duration::zero()) return "0s";
  if (time == Duration::max()) return "unlimited";
  for (const Unit& unit : kUnits) {
    if (time.count() % unit.nanoseconds != 0) continue;
    return fmt::format("{}{}", time.count() / unit.nanoseconds, unit.name);
  }
  return fmt::format("{}ns", time.count());
}

}  // namespace forebay
