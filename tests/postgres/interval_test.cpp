// Intervals as text, in all styles that a server has, without one.
#include "forebay/postgres/sql/interval.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "postgres/sql_values.hpp"

namespace forebay::postgres {
namespace {

using namespace std::chrono_literals;

Interval interval_of(std::int32_t months, std::int32_t days, std::chrono::microseconds time) {
  return Interval{months, days, time};
}

TEST(IntervalTest, IsWrittenWithASignForEachPart) {
  EXPECT_EQ(to_sql(interval_of(14, -3, 4h + 5min + 6s + 7us)), "+14 mons -3 days +04:05:06.000007");
  EXPECT_EQ(to_sql(interval_of(-1, 0, -1s)), "-1 mons +0 days -00:00:01");
  EXPECT_EQ(to_sql(Interval()), "+0 mons +0 days +00:00:00");
}

// What PostgreSQL 15 prints for each of them.
TEST(IntervalTest, IsReadInEveryStyle) {
  struct Case {
    Interval interval;
    std::vector<const char*> texts;
  };
  const auto time = 4h + 5min + 6s + 700ms;
  for (const Case& example : std::vector<Case>{
           {interval_of(14, -3, time),
            {"1 year 2 mons -3 days +04:05:06.7", "@ 1 year 2 mons -3 days 4 hours 5 mins 6.7 secs",
             "+1-2 -3 +4:05:06.7", "P1Y2M-3DT4H5M6.7S"}},
           {interval_of(-14, -3, -time),
            {"-1 years -2 mons -3 days -04:05:06.7",
             "@ 1 year 2 mons 3 days 4 hours 5 mins 6.7 secs ago", "-1-2 -3 -4:05:06.7",
             "P-1Y-2M-3DT-4H-5M-6.7S"}},
           {interval_of(0, -3, -time),
            {"-3 days -04:05:06.7", "@ 3 days 4 hours 5 mins 6.7 secs ago", "-3 4:05:06.7"}},
           {interval_of(0, -3, time),
            {"-3 days +04:05:06.7", "@ 3 days -4 hours -5 mins -6.7 secs ago", "+0-0 -3 +4:05:06.7",
             "P-3DT4H5M6.7S"}},
           {interval_of(14, 0, 0s), {"1 year 2 mons", "@ 1 year 2 mons", "1-2", "P1Y2M"}},
           {interval_of(-2, 0, 0s), {"-2 mons", "@ 2 mons ago", "-0-2", "P-2M"}},
           {interval_of(0, 0, -700ms), {"-00:00:00.7", "@ 0.7 secs ago", "-0:00:00.7", "PT-0.7S"}},
           {interval_of(0, 1, 0s), {"1 day", "@ 1 day", "1 0:00:00", "P1D"}},
           {Interval(), {"00:00:00", "@ 0", "0", "PT0S"}}}) {
    for (const char* text : example.texts) {
      const Result<Interval> read = from_sql<Interval>(text);
      ASSERT_TRUE(read) << text << ": " << read.error().text();
      EXPECT_EQ(*read, example.interval) << text;
    }
  }
}

TEST(IntervalTest, IsExactAtItsLimits) {
  using Days = std::numeric_limits<std::int32_t>;
  using Time = std::chrono::microseconds;
  expect_exact(interval_of(Days::min(), Days::min(), Time::min()));
  expect_exact(interval_of(Days::max(), Days::max(), Time::max()));
  for (const char* text :
       {"2147483648 days", "178956970 years 8 mons", "-2147483649 mons", "2562047788:00:54.775808",
        "999999999999999999 hours", "9999999999999999999 days", "P99999999999999999999D"}) {
    EXPECT_EQ(refusal<Interval>(text).substr(0, 9), "a text of") << text;
  }
}

TEST(IntervalTest, WhatIsNoneIsRefused) {
  for (const char* text : {"",          "P",
                           "PT",        "P1",
                           "P1H",       "PT1D",
                           "P1.5D",     "1 moment",
                           "1.5 days",  "1 day ",
                           "@",         "@ ",
                           "ago",       "1 day ago",
                           "--1 day",   "1-",
                           "-",         "1-2-3",
                           "1--2",      "1:2",
                           "1:60:00",   "1:00:60",
                           "1:00:00.",  "infinity",
                           "-infinity", "1:00:00.1234567",
                           "1 day 2:3", "P1Y T1S",
                           "+",         "1 2 day",
                           "@ 1 day 2"})
    EXPECT_NE(refusal<Interval>(text), "accepted") << text;
  EXPECT_EQ(refusal<Interval>("infinity"), "infinity is not an interval");
}

TEST(IntervalTest, HasALengthWithoutMonths) {
  EXPECT_EQ(interval_of(0, 2, -1h).elapsed().value(), 47h);
  EXPECT_FALSE(interval_of(1, 0, 0s).elapsed());
  EXPECT_FALSE(interval_of(0, 1, std::chrono::microseconds::max()).elapsed());
}

TEST(IntervalTest, AnyIntervalComesBack) {
  EXPECT_TRUE(rc::check("intervals", [](std::int32_t months, std::int32_t days, std::int64_t time) {
    const Interval interval = interval_of(months, days, std::chrono::microseconds(time));
    RC_ASSERT(there_and_back(interval).value() == interval);
  }));
  EXPECT_TRUE(rc::check("any text is one or refused", [] {
    const auto word =
        rc::gen::element<std::string>("1", "-", "+", ".5", ":", " ", "day", "mons", "P", "T", "S",
                                      "M", "@ ", " ago", "99999999999");
    std::string text;
    for (const std::string& part : *rc::gen::container<std::vector<std::string>>(word))
      text += part;
    const Result<Interval> read = from_sql<Interval>(text);
    if (read) RC_ASSERT(there_and_back(*read).value() == *read);
  }));
}

}  // namespace
}  // namespace forebay::postgres
