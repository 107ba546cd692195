#include "forebay/aws/http_date.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

namespace forebay::aws {
namespace {

constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// The whole number that stands there. None: something else does.
std::optional<unsigned> number(std::string_view text, std::size_t start, std::size_t size) {
  const std::string_view digits = text.substr(start, size);
  unsigned value = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || rest != digits.data() + digits.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<WallTime> http_date(std::string_view text) {
  if (text.size() != std::string_view("Sun, 30 Aug 2015 12:36:00 GMT").size()) return std::nullopt;
  const auto month = std::ranges::find(kMonths, text.substr(8, 3));
  const std::optional<unsigned> day = number(text, 5, 2);
  const std::optional<unsigned> year = number(text, 12, 4);
  const std::optional<unsigned> hour = number(text, 17, 2);
  const std::optional<unsigned> minute = number(text, 20, 2);
  const std::optional<unsigned> second = number(text, 23, 2);
  if (month == kMonths.end() || !day || !year || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date{
      std::chrono::year(static_cast<int>(*year)),
      std::chrono::month(static_cast<unsigned>(month - kMonths.begin()) + 1),
      std::chrono::day(*day)};
  if (!date.ok()) return std::nullopt;
  return WallTime(std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(*hour) +
                  std::chrono::minutes(*minute) + std::chrono::seconds(*second));
}

}  // namespace forebay::aws
