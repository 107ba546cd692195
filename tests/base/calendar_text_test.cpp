// Days and dates agree with std::chrono where it reaches, and with each other beyond.
#include "forebay/base/calendar_text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace forebay {
namespace {

TEST(CalendarTextTest, EveryDayOfSixThousandYearsIsThatOfTheStandardLibrary) {
  const std::int64_t first = -4'000 * 365;
  for (std::int64_t days = first; days < first + 6'000 * 366; ++days) {
    const std::chrono::sys_days day{std::chrono::days(days)};
    const std::chrono::year_month_day expected{day};
    const CalendarDate date = date_of(days);
    ASSERT_EQ(date.year, static_cast<int>(expected.year())) << days;
    ASSERT_EQ(date.month, static_cast<int>(static_cast<unsigned>(expected.month()))) << days;
    ASSERT_EQ(date.day, static_cast<int>(static_cast<unsigned>(expected.day()))) << days;
    ASSERT_EQ(days_of(date), days);
  }
}

TEST(CalendarTextTest, DatesFarAwayComeBack) {
  EXPECT_TRUE(rc::check("days_of(date_of(days)) is days", [] {
    const auto days = *rc::gen::inRange<std::int64_t>(-200'000'000, 200'000'000);
    RC_ASSERT(days_of(date_of(days)) == days);
  }));
}

TEST(CalendarTextTest, ADateMustExist) {
  for (const char* text : {"2024-02-29", "2000-02-29", "0000-02-29", "12026-12-31"}) {
    EXPECT_TRUE(CalendarReader(text).date()) << text;
  }
  for (const char* text :
       {"2025-02-29", "1900-02-29", "2026-00-01", "2026-13-01", "2026-04-31", "2026-01-00",
        "2026-1-1", "226-01-01", "2026-01", "2026/01/01", "12345678901-01-01", "-2026-01-01"}) {
    EXPECT_FALSE(CalendarReader(text).date()) << text;
  }
}

TEST(CalendarTextTest, TheYearBeforeOneIsOneBeforeChristAndThereIsNoYearZero) {
  const std::optional<CalendarDate> last = CalendarReader("0001-12-31").date(true);
  ASSERT_TRUE(last);
  EXPECT_EQ(days_of(*last) + 1, days_of(CalendarReader("0001-01-01").date().value()));
  EXPECT_FALSE(CalendarReader("0000-01-01").date(true));
}

TEST(CalendarTextTest, OffsetsReachToTheSecond) {
  using std::chrono::seconds;
  EXPECT_EQ(CalendarReader("Z").offset(), seconds(0));
  EXPECT_EQ(CalendarReader("+01").offset(), seconds(3600));
  EXPECT_EQ(CalendarReader("-0330").offset(), -seconds(12'600));
  EXPECT_EQ(CalendarReader("+05:53:28").offset(), seconds(21'208));
  for (const char* text : {"", "1", "+1", "+24", "+01:", "+01:6", "+01:60", "+01:00:60", "z"}) {
    EXPECT_FALSE(CalendarReader(text).offset()) << text;
  }
}

}  // namespace
}  // namespace forebay
