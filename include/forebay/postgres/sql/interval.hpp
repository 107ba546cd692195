// Interval: PostgreSQL's interval, in the three parts that it keeps apart.
//
// A month has no fixed length, nor has a day where clocks are changed; so the parts are compared
// one by one, and only add up with a calendar. Where an interval has neither, any
// std::chrono::duration can take its place. Reading understands every IntervalStyle. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/postgres/sql/sql_value.hpp"

namespace forebay::postgres {

struct Interval {
  std::int32_t months = 0;
  std::int32_t days = 0;
  std::chrono::microseconds time{0};

  friend bool operator==(const Interval&, const Interval&) = default;

  // With days of 24 hours, as differences of timestamps have them. Errc::invalid: it has months, or
  // is too long to count.
  Result<std::chrono::microseconds> elapsed() const;
};

template <>
struct SqlValue<Interval> {
  // "+14 mons -3 days +04:05:06.000007", which means the same under every IntervalStyle.
  static std::string to_text(const Interval& interval);
  static Result<Interval> from_text(std::string_view text);
};

}  // namespace forebay::postgres
