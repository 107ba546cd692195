// SqlValue of ids and of points in time: uuid, timestamptz, timestamp (taken as UTC) and date.
//
// Points in time are std::chrono::sys_time of any unit (Timestamp and sys_days among them) and
// the library's own WallTime. PostgreSQL counts microseconds: what is finer is cut off on the way
// there. Reading needs DateStyle = ISO, the default; "infinity", and what the unit cannot hold, is
// Errc::invalid. Pure.
#pragma once

#include <chrono>
#include <ratio>
#include <string>
#include <string_view>

#include "forebay/ids/timestamp.hpp"
#include "forebay/ids/uuid.hpp"
#include "forebay/postgres/sql/sql_value.hpp"

namespace forebay::postgres {

template <>
struct SqlValue<Uuid> {
  static std::string to_text(const Uuid& id) { return id.text(); }
  static Result<Uuid> from_text(std::string_view text) { return Uuid::parse(text); }
};

// A day alone is its midnight.
Result<Timestamp> parse_timestamp_or_date(std::string_view text);

template <class Clock, class Unit>
struct SqlTime {
  using Point = std::chrono::time_point<Clock, Unit>;
  using Microseconds = std::chrono::microseconds;

  static std::string to_text(Point point) {
    return timestamp_text(Timestamp(std::chrono::floor<Microseconds>(point.time_since_epoch())));
  }
  static Result<Point> from_text(std::string_view text) {
    const Result<Timestamp> parsed = parse_timestamp_or_date(text);
    if (!parsed) return failure(parsed.error());
    const Microseconds count = parsed->time_since_epoch();
    // Coarser units reach further than microseconds, finer ones do not.
    if constexpr (std::ratio_less_v<typename Unit::period, std::micro>) {
      if (count < std::chrono::ceil<Microseconds>(Unit::min()) ||
          count > std::chrono::floor<Microseconds>(Unit::max())) {
        return not_a("a time that fits into its type", text);
      }
    }
    return Point(std::chrono::floor<Unit>(count));
  }
};

template <class Unit>
struct SqlValue<std::chrono::sys_time<Unit>>
    : SqlTime<typename std::chrono::sys_time<Unit>::clock, Unit> {};
template <>
struct SqlValue<WallTime> : SqlTime<Wall, Duration> {};

}  // namespace forebay::postgres
