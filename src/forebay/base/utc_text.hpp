// Moments as text, by the calendar and the clock of UTC. Times are counted from 1970.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "forebay/base/calendar_text.hpp"

namespace forebay {

struct UtcTime {
  CalendarDate date;
  int hour = 0;
  int minute = 0;
  int second = 0;
  std::chrono::nanoseconds fraction{};  // of the second
};

UtcTime utc_time(std::chrono::nanoseconds since_1970);

// To the second: 2026-02-03T04:05:06Z.
std::string iso_text(std::chrono::nanoseconds since_1970);
// The same without what parts it, as in signatures: 20260203T040506Z.
std::string short_iso_text(std::chrono::nanoseconds since_1970);
// The way back. Nothing: it is no such text, no day of the calendar, or not from 1970 to 2200.
std::optional<std::chrono::nanoseconds> parse_short_iso(std::string_view text);
// With as many digits of the second as there are: 2026-02-03T04:05:06.5Z.
std::string exact_iso_text(std::chrono::nanoseconds since_1970);
// As in headers of HTTP: Tue, 03 Feb 2026 04:05:06 GMT.
std::string http_date_text(std::chrono::nanoseconds since_1970);

}  // namespace forebay
