// Times as they are typed and shown.
#include "forebay/env/duration_text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;

TEST(DurationTextTest, ANumberAndAUnitMakeATime) {
  EXPECT_EQ(parse_duration("250ms"), 250ms);
  EXPECT_EQ(parse_duration("5s"), 5s);
  EXPECT_EQ(parse_duration("2m"), 2min);
  EXPECT_EQ(parse_duration("1h"), 1h);
  EXPECT_EQ(parse_duration("7us"), 7us);
  EXPECT_EQ(parse_duration("9ns"), 9ns);
  EXPECT_EQ(parse_duration("1.5s"), 1500ms);
  EXPECT_EQ(parse_duration("0.25h"), 15min);
  EXPECT_EQ(parse_duration("1.0ns"), 1ns);
  EXPECT_EQ(parse_duration("-5s"), -5s);
  EXPECT_EQ(parse_duration("0"), 0s);
  EXPECT_EQ(parse_duration("0ms"), 0s);
}

TEST(DurationTextTest, SeveralUnitsAddUp) {
  EXPECT_EQ(parse_duration("1m30s"), 90s);
  EXPECT_EQ(parse_duration("1h30m"), 90min);
  EXPECT_EQ(parse_duration("1h2m3s4ms5us6ns"), 1h + 2min + 3s + 4ms + 5us + 6ns);
  EXPECT_EQ(parse_duration("1h1ms"), 1h + 1ms);
  EXPECT_EQ(parse_duration("1m0.5s"), 60500ms);
  EXPECT_EQ(parse_duration("1.5m1s"), 91s);
  EXPECT_EQ(parse_duration("-1m30s"), -90s);
  EXPECT_EQ(parse_duration("20m0s"), 20min);
}

// The forms that only Go has, each with what its time.ParseDuration says.
TEST(DurationTextTest, WhateverGoReadsIsReadTheSame) {
  EXPECT_EQ(parse_duration("+5m"), 5min);
  EXPECT_EQ(parse_duration("+0"), 0s);
  EXPECT_EQ(parse_duration("-0"), 0s);
  EXPECT_EQ(parse_duration(".5h"), 30min);
  EXPECT_EQ(parse_duration("-.5s"), -500ms);
  EXPECT_EQ(parse_duration("5.s"), 5s);
  EXPECT_EQ(parse_duration("+5.6s"), 5600ms);
  EXPECT_EQ(parse_duration("12\u00b5s"), 12us);
  EXPECT_EQ(parse_duration("12\u03bcs34ns"), 12034ns);
  EXPECT_EQ(parse_duration("3ms14.1s5m"), 5min + 14103ms);
  EXPECT_EQ(parse_duration("1m1m"), 2min);
  EXPECT_EQ(parse_duration("1.50ns"), 1ns);
  EXPECT_EQ(parse_duration("0.0000000001s"), 0s);
  EXPECT_EQ(parse_duration("0.100000000000000000000h"), 6min);
  EXPECT_EQ(parse_duration("0.3333333333333333333h"), 20min - 1ns);
  EXPECT_EQ(parse_duration("9223372036.854775807s"), Duration::max());
}

TEST(DurationTextTest, AnythingElseIsNone) {
  for (const char* text : {"",
                           "5",
                           "s",
                           "ms",
                           "5 s",
                           " 5s",
                           "5s ",
                           "5S",
                           "5sec",
                           "5d",
                           "--5s",
                           "1e3s",
                           "1.2.3s",
                           "0x5s",
                           "inf",
                           "nan",
                           "-",
                           "five",
                           "1m30",
                           "1m-30s",
                           "1m 30s",
                           "1m30x",
                           "2562047h48m",
                           "9223372036854775808ns",
                           "2562048h",
                           "99999999999999999999h",
                           "+",
                           "+-5s",
                           "-+5s",
                           ".",
                           ".s",
                           "-.s",
                           "5\xc2\xb5",
                           "5\xc2s",
                           "5\xce\xb5s",
                           "9223372036.854775808s"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

TEST(DurationTextTest, TheTextIsTheShortestExactOne) {
  EXPECT_EQ(duration_text(0s), "0s");
  EXPECT_EQ(duration_text(250ms), "250ms");
  EXPECT_EQ(duration_text(1500ms), "1500ms");
  EXPECT_EQ(duration_text(120s), "2m");
  EXPECT_EQ(duration_text(-90min), "-90m");
  EXPECT_EQ(duration_text(Duration::max()), "unlimited");
}

RC_GTEST_PROP(DurationTextProperty, WhatIsWrittenReadsTheSame, (std::int64_t nanoseconds)) {
  RC_PRE(nanoseconds != std::numeric_limits<std::int64_t>::min());
  RC_PRE(nanoseconds != std::numeric_limits<std::int64_t>::max());
  const Duration time(nanoseconds);

  RC_ASSERT(parse_duration(duration_text(time)) == time);
}

RC_GTEST_PROP(DurationTextProperty, WhatIsWrittenInAnyUnitReadsTheSame, ()) {
  const auto unit = *rc::gen::element<std::int64_t>(1'000, 1'000'000, 1'000'000'000, 60'000'000'000,
                                                    3'600'000'000'000);
  const Duration time(*rc::gen::inRange<std::int64_t>(0, 2'000'000) * unit);

  RC_ASSERT(parse_duration(duration_text(time)) == time);
}

RC_GTEST_PROP(DurationTextProperty, PartsReadAsTheirSum, ()) {
  const Duration hours = std::chrono::hours(*rc::gen::inRange(0, 1'000));
  const Duration seconds = std::chrono::seconds(*rc::gen::inRange(1, 60));
  const Duration rest = std::chrono::nanoseconds(*rc::gen::inRange(0, 1'000));
  const std::string text = std::to_string(hours / 1h) + "h" + duration_text(seconds) +
                           std::to_string(rest.count()) + "ns";

  RC_ASSERT(parse_duration(text) == hours + seconds + rest);
}

RC_GTEST_PROP(DurationTextProperty, NoTextBreaksTheParser, (const std::string& text)) {
  parse_duration(text);
}

}  // namespace
}  // namespace forebay
