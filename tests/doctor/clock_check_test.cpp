#include "forebay/doctor/clock_check.hpp"

#include "doctor/findings.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;
using doctor::certain_skew;
using doctor::check_clocks;
using doctor::ClockReading;
using testing::Contains;
using testing::ElementsAre;

constexpr WallTime kTheirs{1'700'000'000s};

// Our clock is so far ahead, and the way there and back takes so long.
ClockReading clock_reading(Duration ahead, Duration round_trip, Duration resolution = {}) {
  ClockReading reading("the database", kTheirs);
  reading.before = kTheirs + ahead - round_trip / 2;
  reading.after = kTheirs + ahead + round_trip / 2;
  reading.resolution = resolution;
  return reading;
}

TEST(ClockCheckTest, WhatTheRoundTripExplainsIsNoSkew) {
  EXPECT_EQ(certain_skew(clock_reading(2s, 5s)), 0s);
  EXPECT_EQ(certain_skew(clock_reading(3s, 2s)), 2s);
  EXPECT_EQ(certain_skew(clock_reading(-3s, 2s)), -2s);
}

TEST(ClockCheckTest, ADateInWholeSecondsMayBeUpToOneLater) {
  EXPECT_EQ(certain_skew(clock_reading(900ms, 0s, 1s)), 0s);
  EXPECT_EQ(certain_skew(clock_reading(3s, 0s, 1s)), 2s);
}

TEST(ClockCheckTest, SecondsAreAWarningAndMinutesAnError) {
  EXPECT_THAT(check_clocks({clock_reading(500ms, 10ms)}, true),
              ElementsAre(tells(Severity::ok, "agrees with the database")));
  EXPECT_THAT(check_clocks({clock_reading(3s, 10ms)}, true),
              ElementsAre(tells(Severity::warning, "ahead of that of the database", "chrony")));
  EXPECT_THAT(check_clocks({clock_reading(-10min, 10ms)}, true),
              ElementsAre(tells(Severity::error, "behind that of the database", "refused")));
}

TEST(ClockCheckTest, WhereNothingIsSignedAWrongClockIsAWarning) {
  EXPECT_THAT(check_clocks({clock_reading(-10min, 10ms)}, false),
              Contains(tells(Severity::warning, "behind")));
}

TEST(ClockCheckTest, WithoutAnotherClockThereIsNothingToSay) {
  EXPECT_THAT(check_clocks({}, true), Contains(tells(Severity::note, "not checked because")));
}

}  // namespace
}  // namespace forebay::test
