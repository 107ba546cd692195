// Timestamps: points in time as PostgreSQL keeps them, in microseconds UTC. Pure; no locale, no
// time zone of the system.
//
// A Timestamp counts from 1970 and reaches from 290309 BC to 294247-01-10 04:00:54.775807+00. So
// all that PostgreSQL can hold is exact, but for its last thirty years, which are refused. What
// lies before 4714-11-24 BC is more than PostgreSQL can hold, and it says so itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/base/error.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

using Timestamp = std::chrono::sys_time<std::chrono::microseconds>;

constexpr Timestamp timestamp_from_microseconds(std::int64_t since_1970) {
  return Timestamp(std::chrono::microseconds(since_1970));
}
constexpr std::int64_t microseconds_of(Timestamp time) { return time.time_since_epoch().count(); }

// The microsecond that it is in.
constexpr Timestamp timestamp_of(WallTime time) {
  return Timestamp(std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch()));
}
// Errc::invalid: before 1677-09-21 or after 2262-04-11, where nanoseconds since 1970 end.
Result<WallTime> wall_time_of(Timestamp time);

// What PostgreSQL prints for timestamptz, timestamp (DateStyle ISO) and what ISO 8601 writes:
// "2026-01-02 03:04:05.678901+00", any offset, "T" for the blank, "Z"; up to six digits of a
// second; "0044-03-15 12:00:00 BC"; years of more than four digits. Without an offset it is UTC.
// Errc::invalid: anything else, such as "infinity", a day alone, or finer than a microsecond.
Result<Timestamp> parse_timestamp(std::string_view text);

// As PostgreSQL prints it with TimeZone UTC: "2026-01-02 03:04:05.678901+00". PostgreSQL takes it
// for timestamptz and, as UTC, for timestamp.
std::string timestamp_text(Timestamp time);

}  // namespace forebay
