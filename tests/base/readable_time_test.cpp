#include "forebay/base/readable_time.hpp"

#include <gtest/gtest.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;

TEST(ReadableTimeTest, IsWrittenAsOperatorsKnowIt) {
  EXPECT_EQ(readable_time(11min), "11m0s");
  EXPECT_EQ(readable_time(12345ms), "12.3s");
  EXPECT_EQ(readable_time(30s), "30s");
  EXPECT_EQ(readable_time(45s), "45s");
  EXPECT_EQ(readable_time(59'960ms), "1m0s");
  EXPECT_EQ(readable_time(90s), "1m30s");
  EXPECT_EQ(readable_time(1h + 5min + 39s), "1h5m39s");
  EXPECT_EQ(readable_time(250ms), "250ms");
  EXPECT_EQ(readable_time(1500us), "1.5ms");
  EXPECT_EQ(readable_time(1234us), "1.23ms");
  EXPECT_EQ(readable_time(999'900us), "1s");
  EXPECT_EQ(readable_time(7us), "7us");
  EXPECT_EQ(readable_time(99'960ns), "100us");
  EXPECT_EQ(readable_time(7ns), "7ns");
  EXPECT_EQ(readable_time(0s), "0s");
  EXPECT_EQ(readable_time(-30s), "-30s");
  EXPECT_EQ(readable_time(std::chrono::nanoseconds::max()), "unlimited");
  EXPECT_EQ(readable_time(std::chrono::nanoseconds::min()), "-2562047h47m17s");
}

}  // namespace
}  // namespace forebay
