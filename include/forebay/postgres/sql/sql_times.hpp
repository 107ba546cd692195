// SqlValue of points in time, days, times of day and durations, all of them from std::chrono.
//
//   sys_time<U>      timestamptz. What has no offset (timestamp, date) is taken as UTC.
//   WallTime         the same, for the library's own clock.
//   local_time<U>    timestamp: what calendar and clock on the wall say, wherever that is.
//   year_month_day   date.
//   hh_mm_ss<U>      time.
//   duration         time, and interval if it has no days and months: see Interval.
//
// Of any unit that counts in whole numbers. PostgreSQL counts microseconds: what is finer is cut
// off on the way there, and what is finer than the unit on the way back. What the unit or the
// calendar cannot hold, "infinity" among it, is Errc::invalid; what PostgreSQL cannot hold it
// refuses itself. Reading needs DateStyle = ISO, the default, and says so. Pure.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <ratio>
#include <string>
#include <string_view>

#include "forebay/env/time.hpp"
#include "forebay/postgres/sql/sql_value.hpp"

namespace forebay::postgres {

// Units down to a picosecond, counted in whole numbers: what 128 bits can convert.
template <class Unit>
concept SqlUnit =
    std::signed_integral<typename Unit::rep> && Unit::period::den <= 1'000'000'000'000;

namespace detail {

// What a count of some unit is worth, for functions that are no templates.
struct TickUnit {
  std::int64_t seconds_above = 1;  // a tick is above / below seconds
  std::int64_t seconds_below = 1;
  std::int64_t least = 0;  // what the type of the count can hold
  std::int64_t most = 0;
};

template <SqlUnit Unit>
constexpr TickUnit tick_unit() {
  using Limits = std::numeric_limits<typename Unit::rep>;
  return {Unit::period::num, Unit::period::den, Limits::min(), Limits::max()};
}

enum class PointKind : std::uint8_t { with_offset, local };

// Beyond some ten million years, what is written is only something that the server refuses.
std::string point_text(std::int64_t ticks, const TickUnit& unit, PointKind kind);
Result<std::int64_t> parse_point(std::string_view text, const TickUnit& unit, PointKind kind);

std::string duration_text(std::int64_t ticks, const TickUnit& unit);
Result<std::int64_t> parse_duration(std::string_view text, const TickUnit& unit);
// From 00:00:00 to 24:00:00.
Result<std::int64_t> parse_time_of_day(std::string_view text, const TickUnit& unit);

template <class Clock, class Unit, PointKind kKind>
struct SqlPoint {
  using Point = std::chrono::time_point<Clock, Unit>;

  static std::string to_text(Point point) {
    return point_text(point.time_since_epoch().count(), tick_unit<Unit>(), kKind);
  }
  static Result<Point> from_text(std::string_view text) {
    const Result<std::int64_t> ticks = parse_point(text, tick_unit<Unit>(), kKind);
    if (!ticks) return failure(ticks.error());
    return Point(Unit(static_cast<typename Unit::rep>(*ticks)));
  }
};

}  // namespace detail

template <SqlUnit Unit>
struct SqlValue<std::chrono::sys_time<Unit>>
    : detail::SqlPoint<typename std::chrono::sys_time<Unit>::clock, Unit,
                       detail::PointKind::with_offset> {};
template <SqlUnit Unit>
struct SqlValue<std::chrono::local_time<Unit>>
    : detail::SqlPoint<std::chrono::local_t, Unit, detail::PointKind::local> {};
template <>
struct SqlValue<WallTime> : detail::SqlPoint<Wall, Duration, detail::PointKind::with_offset> {};

// A day that there is not, such as February 30, is for the server to refuse.
template <>
struct SqlValue<std::chrono::year_month_day> {
  static std::string to_text(const std::chrono::year_month_day& day);
  static Result<std::chrono::year_month_day> from_text(std::string_view text);
};

template <class Rep, class Period>
  requires SqlUnit<std::chrono::duration<Rep, Period>>
struct SqlValue<std::chrono::duration<Rep, Period>> {
  using Unit = std::chrono::duration<Rep, Period>;

  static std::string to_text(Unit time) {
    return detail::duration_text(time.count(), detail::tick_unit<Unit>());
  }
  static Result<Unit> from_text(std::string_view text) {
    const Result<std::int64_t> ticks = detail::parse_duration(text, detail::tick_unit<Unit>());
    if (!ticks) return failure(ticks.error());
    return Unit(static_cast<Rep>(*ticks));
  }
};

template <SqlUnit Unit>
struct SqlValue<std::chrono::hh_mm_ss<Unit>> {
  using TimeOfDay = std::chrono::hh_mm_ss<Unit>;

  static std::string to_text(const TimeOfDay& time) {
    return SqlValue<typename TimeOfDay::precision>::to_text(time.to_duration());
  }
  static Result<TimeOfDay> from_text(std::string_view text) {
    const Result<std::int64_t> ticks = detail::parse_time_of_day(text, detail::tick_unit<Unit>());
    if (!ticks) return failure(ticks.error());
    return TimeOfDay(Unit(static_cast<typename Unit::rep>(*ticks)));
  }
};

}  // namespace forebay::postgres
