// Points in time, days, times of day and durations as text, without a server.
#include "forebay/postgres/sql/sql_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "forebay/ids/timestamp.hpp"
#include "postgres/sql_values.hpp"

namespace forebay::postgres {
namespace {

using namespace std::chrono;
using testing::HasSubstr;

TEST(SqlTimesTest, TimesOfEveryUnitAreValues) {
  expect_exact(sys_days(2025y / November / 15));
  expect_exact(sys_days(-44y / March / 15));
  expect_exact(sys_seconds(1'763'205'296s));
  expect_exact(sys_time<hours>(hours(-5)));
  expect_exact(WallTime(1'763'205'296'123'456us));
  expect_exact(local_days(2025y / November / 15));
  expect_exact(local_time<milliseconds>(-1ms));
  EXPECT_EQ(to_sql(sys_time<nanoseconds>(1'999ns)), "1970-01-01 00:00:00.000001+00");
  EXPECT_EQ(to_sql(sys_time<nanoseconds>(-1ns)), "1969-12-31 23:59:59.999999+00");
  EXPECT_EQ(to_sql(local_seconds(1s)), "1970-01-01 00:00:01");
  EXPECT_EQ(to_sql(local_seconds(local_days(-43y / March / 15) + 12h)), "0044-03-15 12:00:00 BC");
  EXPECT_EQ(from_sql<sys_days>("2025-11-15").value(), sys_days(2025y / November / 15));
  EXPECT_EQ(from_sql<sys_days>("0044-03-15 BC").value(), sys_days(-43y / March / 15));
  EXPECT_EQ(from_sql<sys_days>("2025-11-15 23:59:59").value(), sys_days(2025y / November / 15));
  EXPECT_EQ(from_sql<sys_seconds>("1970-01-01 05:30:00.9+05:30").value(), sys_seconds(0s));
}

TEST(SqlTimesTest, WhatIsNoTimeIsRefused) {
  for (const char* text : {"", "infinity", "-infinity", "now", "2025-02-29", "01/02/2025", "2025",
                           "2025-01-01 24:01:00", "2025-01-01 00:00:00.", "2025-01-01 00:00",
                           "2025-01-01 ", "2025-01-01 00:00:00 PST", "999999-01-01"}) {
    EXPECT_NE(refusal<Timestamp>(text), "accepted") << text;
    EXPECT_NE(refusal<local_time<microseconds>>(text), "accepted") << text;
  }
  EXPECT_EQ(refusal<Timestamp>("infinity"),
            "infinity is not a point in time as DateStyle = ISO writes it");
  EXPECT_EQ(refusal<WallTime>("2300-01-01 00:00:00+00"),
            "a point in time too far away for its C++ type");
  EXPECT_THAT(refusal<local_seconds>("2025-01-01 00:00:00+00"), HasSubstr("with an offset"));
}

// Of units that reach further than microseconds, and counts that no calendar has.
TEST(SqlTimesTest, NothingOverflows) {
  using Limits = std::numeric_limits<std::int64_t>;
  for (const std::int64_t count : {Limits::min(), Limits::min() + 1, Limits::max()}) {
    EXPECT_NE(to_sql(sys_time<duration<std::int64_t, years::period>>(
                  duration<std::int64_t, years::period>(count))),
              std::nullopt);
    EXPECT_NE(to_sql(sys_time<hours>(hours(count))), std::nullopt);
    EXPECT_NE(to_sql(duration<std::int64_t, years::period>(count)), std::nullopt);
    expect_exact(Timestamp(microseconds(count)));
    expect_exact(microseconds(count));
    expect_exact(local_time<microseconds>(microseconds(count)));
  }
  expect_exact(sys_days(days(2'000'000'000)));
  expect_exact(sys_days(-43y / March / 15));
  using Byte = duration<std::int8_t>;
  EXPECT_EQ(from_sql<Byte>("00:02:07").value(), Byte(127));
  EXPECT_EQ(refusal<Byte>("00:02:08"), "an interval too long for its C++ type");
}

TEST(SqlTimesTest, DaysOfTheCalendarAreValues) {
  for (const year_month_day day : {2025y / November / 15, 2024y / February / 29, 0y / January / 1,
                                   -4712y / January / 1, 32767y / December / 31, 1y / January / 1})
    expect_exact(day);
  EXPECT_EQ(to_sql(year_month_day(0y / January / 1)), "0001-01-01 BC");
  EXPECT_EQ(to_sql(year_month_day(12345y / January / 1)), "12345-01-01");
  EXPECT_EQ(to_sql(year_month_day(2025y / February / 30)), "2025-02-30");  // the server says no
  EXPECT_EQ(refusal<year_month_day>("infinity"),
            "infinity is not a date as DateStyle = ISO writes it");
  EXPECT_THAT(refusal<year_month_day>("32768-01-01"), HasSubstr("std::chrono::sys_days"));
  for (const char* text : {"", "2025-11-15 00:00:00", "15.11.2025", "2025-11-31", "2025-11-15 AD"})
    EXPECT_NE(refusal<year_month_day>(text), "accepted") << text;
}

TEST(SqlTimesTest, TimesOfDayAndDurationsAreValues) {
  EXPECT_EQ(to_sql(hh_mm_ss(4h + 5min + 6s + 700ms)), "04:05:06.7");
  EXPECT_EQ(from_sql<hh_mm_ss<microseconds>>("24:00:00").value().to_duration(), 24h);
  EXPECT_EQ(from_sql<hh_mm_ss<minutes>>("23:59:59.999999").value().to_duration(), 23h + 59min);
  EXPECT_EQ(to_sql(-90min), "-01:30:00");
  EXPECT_EQ(to_sql(1h), "01:00:00");
  EXPECT_EQ(to_sql(1'000h), "1000:00:00");
  EXPECT_EQ(to_sql(-1ns), "-00:00:00.000001");
  EXPECT_EQ(from_sql<seconds>("-01:30:00").value(), -90min);
  EXPECT_EQ(from_sql<milliseconds>("PT1.5S").value(), 1'500ms);
  for (const char* text : {"24:00:00.000001", "-00:00:01", "04:05:06+02", "04:05", "1 day", ""})
    EXPECT_NE(refusal<hh_mm_ss<microseconds>>(text), "accepted") << text;
  EXPECT_THAT(refusal<seconds>("1 day"), HasSubstr("read it as a forebay::postgres::Interval"));
  EXPECT_THAT(refusal<seconds>("1 mon"), HasSubstr("read it as a forebay::postgres::Interval"));
  EXPECT_EQ(refusal<seconds>("04:05:06+02"),
            "a text of 11 bytes is not a time of day or an interval");
}

TEST(SqlTimesTest, AnyTimeComesBackToTheMicrosecond) {
  EXPECT_TRUE(rc::check("microseconds", [](std::int64_t count) {
    RC_ASSERT(there_and_back(Timestamp(microseconds(count))).value() ==
              Timestamp(microseconds(count)));
    RC_ASSERT(there_and_back(local_time<microseconds>(microseconds(count))).value() ==
              local_time<microseconds>(microseconds(count)));
    RC_ASSERT(there_and_back(microseconds(count)).value() == microseconds(count));
  }));
  // The other way of writing a timestamp is the model of this one.
  EXPECT_TRUE(rc::check("as the library's timestamps", [](std::int64_t count) {
    const Timestamp time{microseconds(count)};
    RC_ASSERT(to_sql(time) == timestamp_text(time));
    RC_ASSERT(from_sql<Timestamp>(timestamp_text(time)).value() == time);
  }));
  EXPECT_TRUE(rc::check("the library's wall time", [](std::int64_t count) {
    const WallTime value{microseconds(count / 1000)};
    RC_ASSERT(there_and_back(value).value() == value);
  }));
  EXPECT_TRUE(rc::check("days", [] {
    const sys_days day(days(*rc::gen::inRange(-12'000'000, 11'000'000)));
    RC_ASSERT(there_and_back(year_month_day(day)).value() == year_month_day(day));
    RC_ASSERT(from_sql<sys_days>(*to_sql(year_month_day(day))).value() == day);
  }));
}

TEST(SqlTimesTest, AnyTextIsATimeOrRefused) {
  EXPECT_TRUE(rc::check("texts", [] {
    const auto letters = rc::gen::elementOf(std::string("0123456789-:. +TZBCPDMS"));
    const auto text = *rc::gen::container<std::string>(letters);
    const Result<Timestamp> point = from_sql<Timestamp>(text);
    if (point) RC_ASSERT(there_and_back(*point).value() == *point);
    const Result<microseconds> time = from_sql<microseconds>(text);
    if (time) RC_ASSERT(there_and_back(*time).value() == *time);
    const Result<year_month_day> day = from_sql<year_month_day>(text);
    if (day) RC_ASSERT(day->ok());
  }));
}

}  // namespace
}  // namespace forebay::postgres
