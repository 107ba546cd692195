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

}  // namespace
}  // namespace forebay
