#include "forebay/env/duration_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>

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
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

// total + digit * place, or nothing when that is too long for a Duration.
std::optional<std::int64_t> sum(std::int64_t total, std::int64_t digit, std::int64_t place) {
  std::int64_t part = 0;
  std::int64_t result = 0;
  if (__builtin_mul_overflow(digit, place, &part)) return std::nullopt;
  if (__builtin_add_overflow(total, part, &result)) return std::nullopt;
  return result;
}

// What is left of "12.5" as nanoseconds, when one of it is unit nanoseconds long.
std::optional<std::int64_t> scaled(std::string_view whole, std::string_view fraction,
                                   std::int64_t unit) {
  std::optional<std::int64_t> number = 0;
  for (const char digit : whole) {
    number = sum(digit - '0', *number, 10);
    if (!number) return std::nullopt;
  }
  std::optional<std::int64_t> total = sum(0, *number, unit);
  std::int64_t place = unit;
  for (const char digit : fraction) {
    if (!total) return std::nullopt;
    // 1h is 2^13 * 3^2 * 5^11 nanoseconds, so a place may stop being whole only at a digit that is
    // 0.
    if (place % 10 != 0 && digit != '0') return std::nullopt;
    place /= 10;
    total = sum(*total, digit - '0', place);
  }
  return total;
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

// Takes "12.5s" from the front, as nanoseconds. Its unit is one of `units`, of which only the
// smaller ones are left then.
std::optional<std::int64_t> take_part(std::string_view& text, std::span<const Unit>& units) {
  const std::string_view whole = take_while(text, is_digit);
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take_while(text, is_digit);
    if (fraction.empty()) return std::nullopt;
  }
  if (whole.empty()) return std::nullopt;
  const std::string_view name = take_while(text, is_letter);
  const auto unit = std::ranges::find(units, name, &Unit::name);
  if (unit == units.end()) return std::nullopt;
  units = units.subspan(static_cast<std::size_t>(unit - units.begin()) + 1);
  return scaled(whole, fraction, unit->nanoseconds);
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  if (text == "0") return Duration::zero();
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  std::span<const Unit> units(kUnits);
  std::int64_t total = 0;
  do {
    const std::optional<std::int64_t> part = take_part(text, units);
    if (!part || __builtin_add_overflow(total, *part, &total)) return std::nullopt;
  } while (!text.empty());
  return Duration(is_negative ? -total : total);
}

std::string duration_text(Duration time) {
  if (time == Duration::zero()) return "0s";
  for (const Unit& unit : kUnits) {
    if (time.count() % unit.nanoseconds != 0) continue;
    return fmt::format("{}{}", time.count() / unit.nanoseconds, unit.name);
  }
  return fmt::format("{}ns", time.count());
}

std::string readable_time(Duration time) {
  struct Scale {
    std::string_view name;
    double nanoseconds;
    double below;  // in its own unit: from here on the next one reads better
  };
  static constexpr std::array<Scale, 5> kScales{
      {{"ns", 1, 999.5},
       {"us", 1e3, 999.5},
       {"ms", 1e6, 999.5},
       {"s", 1e9, 119.5},
       {"min", 60e9, std::numeric_limits<double>::max()}}};
  for (const Scale& scale : kScales) {
    const double value = static_cast<double>(time.count()) / scale.nanoseconds;
    if (value >= scale.below) continue;
    const int decimals = scale.nanoseconds == 1 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f} {}", value, decimals, scale.name);
  }
  return "";
}

}  // namespace forebay
