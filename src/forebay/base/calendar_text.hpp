// Dates and times of day as text, and days counted by the Gregorian calendar. Pure; no locale, no
// time zone of the system.
//
// The calendar reaches back before it was invented, as in PostgreSQL and ISO 8601, and its years
// have no bounds but those of the integers: std::chrono ends with the year 32767, PostgreSQL does
// not. The year 0 is 1 BC, -1 is 2 BC.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace forebay {

struct CalendarDate {
  std::int64_t year = 1970;
  int month = 1;  // 1 to 12
  int day = 1;    // 1 to 31

  friend bool operator==(const CalendarDate&, const CalendarDate&) = default;
};

// Counted from 1970-01-01, which is 0. REQUIRES: the date exists.
std::int64_t days_of(const CalendarDate& date);
CalendarDate date_of(std::int64_t days);

// Takes what it reads from the front of a text. Nothing: something else stands there, and what was
// taken before that is gone.
class CalendarReader {
 public:
  explicit CalendarReader(std::string_view text) : rest_(text) {}

  // 2026-02-03. Years have four digits or more. Before Christ they are counted backwards from 1,
  // and which of them are leap years shows only when that is known.
  std::optional<CalendarDate> date(bool is_before_christ = false);
  // 04:05:06, as time since midnight. A second 60 is taken for the first of the next minute.
  std::optional<std::chrono::seconds> time_of_day();
  // Z, +01, +0130, +01:30 or -00:25:21; what to take off to get UTC.
  std::optional<std::chrono::seconds> offset();
  std::optional<int> number(std::size_t digits);
  std::string_view digits();  // as many as there are
  bool skip(std::string_view text);
  bool is_at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace forebay
