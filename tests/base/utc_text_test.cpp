#include "forebay/base/utc_text.hpp"

#include <gtest/gtest.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kMoment = 1'770'091'506s;

TEST(UtcTextTest, AMomentIsWrittenAsItsReadersWantIt) {
  EXPECT_EQ(iso_text(kMoment), "2026-02-03T04:05:06Z");
  EXPECT_EQ(short_iso_text(kMoment), "20260203T040506Z");
  EXPECT_EQ(http_date_text(kMoment), "Tue, 03 Feb 2026 04:05:06 GMT");
  EXPECT_EQ(http_date_text(0ns), "Thu, 01 Jan 1970 00:00:00 GMT");
}

TEST(UtcTextTest, AFractionIsThereWhereItIsWanted) {
  EXPECT_EQ(exact_iso_text(kMoment), "2026-02-03T04:05:06Z");
  EXPECT_EQ(exact_iso_text(kMoment + 500ms), "2026-02-03T04:05:06.5Z");
  EXPECT_EQ(exact_iso_text(kMoment + 10ns), "2026-02-03T04:05:06.00000001Z");
  EXPECT_EQ(iso_text(kMoment + 999ms), "2026-02-03T04:05:06Z");
}

TEST(UtcTextTest, BeforeItsBeginningTimeGoesOn) {
  EXPECT_EQ(exact_iso_text(-1ns), "1969-12-31T23:59:59.999999999Z");
  EXPECT_EQ(iso_text(-1ns), "1969-12-31T23:59:59Z");
}

TEST(UtcTextTest, ShortTextsAreReadBackAndNothingElseIs) {
  for (const char* const text : {"20260203T040506Z", "19700101T000000Z", "20240229T235959Z"}) {
    const auto time = parse_short_iso(text);
    ASSERT_TRUE(time.has_value()) << text;
    EXPECT_EQ(short_iso_text(*time), text);
  }
  for (const char* const text :
       {"", "20260203T040506", "2026-02-03T04:05:06Z", "20260230T040506Z", "20261303T040506Z",
        "20260203T240506Z", "20260203T046006Z", "2026-203T040506Z", "20260203 040506Z",
        "20260203T04050xZ", "19690203T040506Z", "00260203T040506Z", "99990203T040506Z"})
    EXPECT_FALSE(parse_short_iso(text).has_value()) << text;
}

}  // namespace
}  // namespace forebay
