#include "forebay/aws/credentials/iso_time.hpp"

#include "forebay/base/calendar_text.hpp"
#include "forebay/base/utc_text.hpp"

namespace forebay::aws {

std::optional<WallTime> parse_iso_time(std::string_view text) {
  CalendarReader reader(text);
  const std::optional<CalendarDate> date = reader.date();
  const bool has_time = date && reader.skip("T");
  const std::optional<std::chrono::seconds> clock = has_time ? reader.time_of_day() : std::nullopt;
  if (!clock) return std::nullopt;
  if (reader.skip(".")) reader.digits();  // nothing here lasts for less than a second
  const std::optional<std::chrono::seconds> offset = reader.offset();
  if (!offset || !reader.is_at_end()) return std::nullopt;

  // Nanoseconds since 1970 reach to the year 2262.
  if (date->year < 1970 || date->year > 2200) return std::nullopt;
  return WallTime(std::chrono::days(days_of(*date)) + *clock - *offset);
}

std::string iso_time(WallTime time) { return iso_text(time.time_since_epoch()); }

}  // namespace forebay::aws
