#include "forebay/base/calendar_text.hpp"

#include <algorithm>

namespace forebay {
namespace {

// The calendar repeats itself every 400 years. Years are counted from March, so that the day that
// comes and goes is the last of the year.
constexpr std::int64_t kCycleYears = 400;
constexpr std::int64_t kCycleDays = 146'097;
constexpr std::int64_t kMarch0To1970 = 719'468;  // days from 0000-03-01 to 1970-01-01

constexpr std::int64_t floor_divide(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

// Days before a month of a year that begins with March, which is 0: 31, 30, 31, 30, 31, and again.
constexpr std::int64_t days_before_month(std::int64_t from_march) {
  return (153 * from_march + 2) / 5;
}

constexpr std::int64_t days_before_year(std::int64_t year_of_cycle) {
  return year_of_cycle * 365 + year_of_cycle / 4 - year_of_cycle / 100;
}

constexpr bool is_leap_year(std::int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

constexpr int days_in_month(std::int64_t year, int month) {
  if (month == 2) return is_leap_year(year) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

constexpr bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

}  // namespace

std::int64_t days_of(const CalendarDate& date) {
  const std::int64_t year = date.month <= 2 ? date.year - 1 : date.year;
  const std::int64_t cycle = floor_divide(year, kCycleYears);
  const std::int64_t from_march = (date.month + 9) % 12;
  return cycle * kCycleDays + days_before_year(year - cycle * kCycleYears) +
         days_before_month(from_march) + date.day - 1 - kMarch0To1970;
}

CalendarDate date_of(std::int64_t days) {
  const std::int64_t since_march = days + kMarch0To1970;
  const std::int64_t cycle = floor_divide(since_march, kCycleDays);
  const std::int64_t day_of_cycle = since_march - cycle * kCycleDays;
  // A guess that is at most one year too late, because leap days are counted as if all were past.
  std::int64_t year = std::min<std::int64_t>(day_of_cycle / 365, kCycleYears - 1);
  while (days_before_year(year) > day_of_cycle) --year;
  const std::int64_t day_of_year = day_of_cycle - days_before_year(year);
  const std::int64_t from_march = (5 * day_of_year + 2) / 153;
  CalendarDate date;
  date.month = static_cast<int>((from_march + 2) % 12 + 1);
  date.day = static_cast<int>(day_of_year - days_before_month(from_march) + 1);
  date.year = year + cycle * kCycleYears + (date.month <= 2 ? 1 : 0);
  return date;
}

std::optional<int> CalendarReader::number(std::size_t digits) {
  if (rest_.size() < digits) return std::nullopt;
  int value = 0;
  for (const char digit : rest_.substr(0, digits)) {
    if (!is_digit(digit)) return std::nullopt;
    value = value * 10 + (digit - '0');
  }
  rest_.remove_prefix(digits);
  return value;
}

std::string_view CalendarReader::digits() {
  const auto end = std::ranges::find_if_not(rest_, is_digit);
  const std::string_view found = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
  rest_.remove_prefix(found.size());
  return found;
}

bool CalendarReader::skip(std::string_view text) {
  if (!rest_.starts_with(text)) return false;
  rest_.remove_prefix(text.size());
  return true;
}

std::optional<CalendarDate> CalendarReader::date(bool is_before_christ) {
  const std::string_view year = digits();
  if (year.size() < 4 || year.size() > 9) return std::nullopt;
  CalendarDate date;
  date.year = *CalendarReader(year).number(year.size());
  if (is_before_christ && date.year == 0) return std::nullopt;
  if (is_before_christ) date.year = 1 - date.year;
  const std::optional<int> month = skip("-") ? number(2) : std::nullopt;
  const std::optional<int> day = month && skip("-") ? number(2) : std::nullopt;
  if (!day || *month < 1 || *month > 12) return std::nullopt;
  if (*day < 1 || *day > days_in_month(date.year, *month)) return std::nullopt;
  date.month = *month;
  date.day = *day;
  return date;
}

std::optional<std::chrono::seconds> CalendarReader::time_of_day() {
  const std::optional<int> hour = number(2);
  const std::optional<int> minute = hour && skip(":") ? number(2) : std::nullopt;
  const std::optional<int> second = minute && skip(":") ? number(2) : std::nullopt;
  if (!second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return std::chrono::hours(*hour) + std::chrono::minutes(*minute) + std::chrono::seconds(*second);
}

std::optional<std::chrono::seconds> CalendarReader::offset() {
  if (skip("Z")) return std::chrono::seconds(0);
  const bool is_east = skip("+");
  if (!is_east && !skip("-")) return std::nullopt;
  const std::optional<int> hours = number(2);
  if (!hours || *hours > 23) return std::nullopt;
  std::chrono::seconds offset = std::chrono::hours(*hours);
  const bool has_colon = skip(":");
  const std::optional<int> minutes = number(2);
  if ((has_colon && !minutes) || (minutes && *minutes > 59)) return std::nullopt;
  if (minutes) offset += std::chrono::minutes(*minutes);
  if (has_colon && skip(":")) {
    const std::optional<int> seconds = number(2);
    if (!seconds || *seconds > 59) return std::nullopt;
    offset += std::chrono::seconds(*seconds);
  }
  return is_east ? offset : -offset;
}

}  // namespace forebay
