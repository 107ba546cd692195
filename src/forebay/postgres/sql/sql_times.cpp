// Counts of any unit become days and microseconds, which is what PostgreSQL keeps, by integers of
// 128 bits: no unit and no count can overflow them.
#include "forebay/postgres/sql/sql_times.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "forebay/base/calendar_text.hpp"
#include "forebay/postgres/sql/clock_text.hpp"
#include "forebay/postgres/sql/interval.hpp"

namespace forebay::postgres {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kMicrosecondsOfDay = 86'400'000'000;
constexpr std::int64_t kFarthestDay = 4'000'000'000;  // some eleven million years
constexpr std::string_view kBeforeChrist = " BC";

constexpr Wide floor_of(Wide value, Wide divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

Wide microseconds_in(std::int64_t ticks, const detail::TickUnit& unit) {
  return floor_of(static_cast<Wide>(ticks) * unit.seconds_above * 1'000'000, unit.seconds_below);
}

std::optional<std::int64_t> ticks_in(Wide microseconds, const detail::TickUnit& unit) {
  const Wide ticks = floor_of(microseconds * unit.seconds_below,
                              static_cast<Wide>(unit.seconds_above) * 1'000'000);
  if (ticks < unit.least || ticks > unit.most) return std::nullopt;
  return static_cast<std::int64_t>(ticks);
}

std::string date_text(const CalendarDate& date) {
  const std::int64_t year = date.year > 0 ? date.year : 1 - date.year;
  return fmt::format("{:04}-{:02}-{:02}", year, date.month, date.day);
}

std::string_view era_text(const CalendarDate& date) { return date.year > 0 ? "" : kBeforeChrist; }

// Takes " BC" off the end.
bool take_before_christ(std::string_view& text) {
  const bool is_before_christ = text.ends_with(kBeforeChrist);
  if (is_before_christ) text.remove_suffix(kBeforeChrist.size());
  return is_before_christ;
}

struct ReadPoint {
  Wide microseconds = 0;  // since 1970, by its own offset
  std::optional<std::chrono::seconds> offset;
};

// A day alone is its midnight. Nothing: not as DateStyle = ISO writes it.
std::optional<ReadPoint> read_point(std::string_view text) {
  const bool is_before_christ = take_before_christ(text);
  CalendarReader reader(text);
  const std::optional<CalendarDate> date = reader.date(is_before_christ);
  if (!date) return std::nullopt;
  ReadPoint point{static_cast<Wide>(days_of(*date)) * kMicrosecondsOfDay, std::nullopt};
  if (reader.is_at_end()) return point;
  if (!reader.skip(" ") && !reader.skip("T")) return std::nullopt;
  const std::optional<std::chrono::seconds> clock = reader.time_of_day();
  if (!clock) return std::nullopt;
  point.microseconds += clock->count() * 1'000'000;
  if (reader.skip(".")) {
    const std::optional<std::int64_t> fraction = microseconds_of_fraction(reader.digits());
    if (!fraction) return std::nullopt;
    point.microseconds += *fraction;
  }
  if (!reader.is_at_end()) {
    point.offset = reader.offset();
    if (!point.offset || !reader.is_at_end()) return std::nullopt;
  }
  return point;
}

}  // namespace

std::string detail::point_text(std::int64_t ticks, const TickUnit& unit, PointKind kind) {
  const Wide count = microseconds_in(ticks, unit);
  const Wide day = floor_of(count, kMicrosecondsOfDay);
  const auto time_of_day = static_cast<std::int64_t>(count - day * kMicrosecondsOfDay);
  const CalendarDate date =
      date_of(static_cast<std::int64_t>(std::clamp<Wide>(day, -kFarthestDay, kFarthestDay)));
  return fmt::format("{} {}{}{}", date_text(date), clock_text(time_of_day),
                     kind == PointKind::with_offset ? "+00" : "", era_text(date));
}

Result<std::int64_t> detail::parse_point(std::string_view text, const TickUnit& unit,
                                         PointKind kind) {
  const std::optional<ReadPoint> point = read_point(text);
  if (!point) return not_a("a point in time as DateStyle = ISO writes it", text);
  if (kind == PointKind::local && point->offset) {
    return failure(Errc::invalid,
                   "a point in time with an offset, which a std::chrono::local_time cannot take; "
                   "read it as a std::chrono::sys_time");
  }
  const Wide offset = static_cast<Wide>(point->offset.value_or(std::chrono::seconds(0)).count());
  const std::optional<std::int64_t> ticks =
      ticks_in(point->microseconds - offset * 1'000'000, unit);
  if (!ticks) return failure(Errc::invalid, "a point in time too far away for its C++ type");
  return *ticks;
}

// Beyond what an interval can hold, what is written is only something that the server refuses.
std::string detail::duration_text(std::int64_t ticks, const TickUnit& unit) {
  using Limits = std::numeric_limits<std::int64_t>;
  return clock_text(static_cast<std::int64_t>(
      std::clamp<Wide>(microseconds_in(ticks, unit), Limits::min(), Limits::max())));
}

Result<std::int64_t> detail::parse_duration(std::string_view text, const TickUnit& unit) {
  const Result<Interval> interval = SqlValue<Interval>::from_text(text);
  if (!interval) return not_a("a time of day or an interval", text);
  if (interval->months != 0 || interval->days != 0) {
    return failure(Errc::invalid,
                   "an interval with days or months, whose length depends on the calendar; read it "
                   "as a forebay::postgres::Interval");
  }
  const std::optional<std::int64_t> ticks = ticks_in(interval->time.count(), unit);
  if (!ticks) return failure(Errc::invalid, "an interval too long for its C++ type");
  return *ticks;
}

Result<std::int64_t> detail::parse_time_of_day(std::string_view text, const TickUnit& unit) {
  const std::optional<std::int64_t> time = parse_clock(text);
  if (!time || *time < 0 || *time > kMicrosecondsOfDay || !text.contains(':')) {
    return not_a("a time of day without an offset", text);
  }
  const std::optional<std::int64_t> ticks = ticks_in(*time, unit);
  if (!ticks) return failure(Errc::invalid, "a time of day too long for its C++ type");
  return *ticks;
}

std::string SqlValue<std::chrono::year_month_day>::to_text(const std::chrono::year_month_day& day) {
  const CalendarDate date{static_cast<int>(day.year()),
                          static_cast<int>(static_cast<unsigned>(day.month())),
                          static_cast<int>(static_cast<unsigned>(day.day()))};
  return date_text(date) + std::string(era_text(date));
}

Result<std::chrono::year_month_day> SqlValue<std::chrono::year_month_day>::from_text(
    std::string_view text) {
  std::string_view rest = text;
  const bool is_before_christ = take_before_christ(rest);
  CalendarReader reader(rest);
  const std::optional<CalendarDate> date = reader.date(is_before_christ);
  if (!date || !reader.is_at_end()) return not_a("a date as DateStyle = ISO writes it", text);
  if (date->year < static_cast<int>(std::chrono::year::min()) ||
      date->year > static_cast<int>(std::chrono::year::max())) {
    return failure(Errc::invalid,
                   "a date after the year 32767 or before 32767 BC, where "
                   "std::chrono::year ends; read it as std::chrono::sys_days");
  }
  return std::chrono::year_month_day(std::chrono::year(static_cast<int>(date->year)),
                                     std::chrono::month(static_cast<unsigned>(date->month)),
                                     std::chrono::day(static_cast<unsigned>(date->day)));
}

}  // namespace forebay::postgres
