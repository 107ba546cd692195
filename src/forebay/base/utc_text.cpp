#include "forebay/base/utc_text.hpp"

#include <array>

#include <fmt/format.h>

#include "forebay/base/number_text.hpp"

namespace forebay {

using std::chrono::nanoseconds;

UtcTime utc_time(nanoseconds since_1970) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_1970);
  const auto days = std::chrono::floor<std::chrono::days>(seconds);
  const std::chrono::hh_mm_ss clock(seconds - days);
  UtcTime time;
  time.date = date_of(days.count());
  time.hour = static_cast<int>(clock.hours().count());
  time.minute = static_cast<int>(clock.minutes().count());
  time.second = static_cast<int>(clock.seconds().count());
  time.fraction = since_1970 - seconds;
  return time;
}

std::string iso_text(nanoseconds since_1970) {
  return exact_iso_text(std::chrono::floor<std::chrono::seconds>(since_1970));
}

std::string short_iso_text(nanoseconds since_1970) {
  const UtcTime time = utc_time(since_1970);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", time.date.year, time.date.month,
                     time.date.day, time.hour, time.minute, time.second);
}

std::optional<nanoseconds> parse_short_iso(std::string_view text) {
  if (text.size() != 16 || text[8] != 'T' || text[15] != 'Z') return std::nullopt;
  const auto number = [text](std::size_t from, std::size_t length) {
    return parse_number<int>(text.substr(from, length)).value_or(-1);
  };
  const int year = number(0, 4);
  const int month = number(4, 2);
  const int day = number(6, 2);
  // Nanoseconds since 1970 do not reach much further.
  if (year < 1970 || year > 2200 || month < 0 || day < 0) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  const int hour = number(9, 2);
  const int minute = number(11, 2);
  const int second = number(13, 2);
  const bool is_time =
      hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60;
  if (!date.ok() || !is_time) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(hour) +
         std::chrono::minutes(minute) + std::chrono::seconds(second);
}

std::string exact_iso_text(nanoseconds since_1970) {
  const UtcTime time = utc_time(since_1970);
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", time.date.year, time.date.month,
                  time.date.day, time.hour, time.minute, time.second);
  if (time.fraction != nanoseconds::zero()) {
    text += fmt::format(".{:09}", time.fraction.count());
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text + "Z";
}

std::string http_date_text(nanoseconds since_1970) {
  static constexpr std::array kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const UtcTime time = utc_time(since_1970);
  const std::chrono::sys_days day(std::chrono::floor<std::chrono::days>(since_1970));
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                     kDays.at(std::chrono::weekday(day).c_encoding()), time.date.day,
                     kMonths.at(static_cast<std::size_t>(time.date.month - 1)), time.date.year,
                     time.hour, time.minute, time.second);
}

}  // namespace forebay
