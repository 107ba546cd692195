#include "forebay/aws/credentials/iso_time.hpp"

#include <gtest/gtest.h>

namespace forebay::aws {
namespace {

std::optional<std::int64_t> seconds_of(std::string_view text) {
  const std::optional<WallTime> time = parse_iso_time(text);
  if (!time) return std::nullopt;
  return std::chrono::floor<std::chrono::seconds>(time->time_since_epoch()).count();
}

TEST(IsoTimeTest, UnderstandsWhatAwsWrites) {
  EXPECT_EQ(seconds_of("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(seconds_of("2026-01-01T00:00:00Z"), 1'767'225'600);
  EXPECT_EQ(seconds_of("2024-02-29T23:59:59Z"), 1'709'251'199);
  EXPECT_EQ(seconds_of("2026-01-01T00:00:00.123Z"), 1'767'225'600);
  EXPECT_EQ(seconds_of("2026-01-01T01:30:00+01:30"), 1'767'225'600);
  EXPECT_EQ(seconds_of("2025-12-31T19:00:00-0500"), 1'767'225'600);
}

TEST(IsoTimeTest, RefusesEverythingElse) {
  for (const char* text : {"", "now", "2026-01-01", "2026-01-01T00:00:00", "2026-13-01T00:00:00Z",
                           "2025-02-29T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
                           "2026-1-01T00:00:00Z", "2026-01-01T00:00:00Zx", "9999-01-01T00:00:00Z",
                           "2026-01-01 00:00:00Z", "1767225600", "2026-01-01T00:00:00+99:00"})
    EXPECT_EQ(parse_iso_time(text), std::nullopt) << text;
}

}  // namespace
}  // namespace forebay::aws
