// Timestamps as PostgreSQL prints and reads them; tests/postgres asks a server whether the known
// texts and figures are its own.
#include "forebay/ids/timestamp.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "support/known_texts.hpp"

namespace forebay {
namespace {

using testing::HasSubstr;

void expect_read(const test::KnownTime& known) {
  const Result<Timestamp> read = parse_timestamp(known.text);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(microseconds_of(*read), known.microseconds) << known.text;
}

void expect_printed_and_read(const test::KnownTime& known) {
  EXPECT_EQ(timestamp_text(timestamp_from_microseconds(known.microseconds)), known.text);
  expect_read(known);
}

TEST(TimestampTest, PrintsAndReadsWhatPostgresPrints) {
  for (const test::KnownTime& known : test::kPrintedTimes) expect_printed_and_read(known);
  // More than PostgreSQL can hold.
  expect_printed_and_read(
      {"290309-12-21 19:59:05.224192+00 BC", std::numeric_limits<std::int64_t>::min()});
}

TEST(TimestampTest, ReadsOtherOffsetsAndWaysOfWriting) {
  for (const test::KnownTime& known : test::kReadTimes) expect_read(known);
}

TEST(TimestampTest, RefusesEverythingElseAndSaysWhy) {
  struct Wrong {
    const char* text;
    const char* why;
  };
  for (const Wrong& wrong : {
           Wrong{"infinity", "no point in time"},
           Wrong{"-infinity", "no point in time"},
           Wrong{"", "expected something like"},
           Wrong{"now", "expected something like"},
           Wrong{"2026-01-02", "expected something like"},
           Wrong{"2026-01-02 24:00:00+00", "expected something like"},
           Wrong{"2026-01-02 03:04", "expected something like"},
           Wrong{"02.01.2026 03:04:05", "expected something like"},
           Wrong{"2026-01-02 03:04:05.", "digits must follow"},
           Wrong{"2026-01-02 03:04:05.1234567+00", "finer than a microsecond"},
           Wrong{"2026-01-02 03:04:05 CET", "offset"},
           Wrong{"2026-01-02 03:04:05+0", "offset"},
           Wrong{"2026-01-02 03:04:05+00 AD", "more text"},
           Wrong{"2026-01-02 03:04:05 BC BC", "offset"},
           Wrong{"294247-01-10 04:00:54.775808+00", "the last that fits is 294247-01-10"},
           Wrong{"294276-12-31 23:59:59.999999+00", "the last that fits is 294247-01-10"},
           Wrong{"290309-12-21 19:59:05.224191+00 BC", "the first that fits is 290309-12-21"},
       }) {
    const Result<Timestamp> read = parse_timestamp(wrong.text);
    ASSERT_FALSE(read) << wrong.text;
    EXPECT_EQ(read.error().code(), Errc::invalid);
    EXPECT_THAT(read.error().text(), HasSubstr(wrong.why)) << wrong.text;
  }
  for (const char* text : test::kNoTimes) EXPECT_FALSE(parse_timestamp(text)) << text;
}

TEST(TimestampTest, EveryMicrosecondComesBackFromItsText) {
  EXPECT_TRUE(rc::check("parse(text(time)) is time", [](std::int64_t near_1970) {
    const auto anywhere = *rc::gen::arbitrary<std::uint64_t>();
    const auto shift = *rc::gen::inRange(0, 40);
    for (const std::int64_t count : {near_1970, static_cast<std::int64_t>(anywhere << shift)}) {
      const Timestamp time = timestamp_from_microseconds(count);
      const Result<Timestamp> read = parse_timestamp(timestamp_text(time));
      RC_ASSERT(read.has_value());
      RC_ASSERT(*read == time);
    }
  }));
}

TEST(TimestampTest, WallTimesLoseOnlyTheirNanoseconds) {
  EXPECT_EQ(microseconds_of(timestamp_of(WallTime(Duration(1'999)))), 1);
  EXPECT_EQ(microseconds_of(timestamp_of(WallTime(Duration(-1)))), -1);
  const Result<WallTime> back = wall_time_of(timestamp_from_microseconds(-7));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->time_since_epoch(), Duration(-7'000));

  for (const Timestamp far : {Timestamp::min(), Timestamp::max()}) {
    const Result<WallTime> none = wall_time_of(far);
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().text(), HasSubstr("from 1677-09-21 00:12:43.145225+00 to 2262-04-11"));
  }
  EXPECT_TRUE(wall_time_of(timestamp_of(WallTime::max())));
}

}  // namespace
}  // namespace forebay
