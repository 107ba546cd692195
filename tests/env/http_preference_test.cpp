#include "forebay/env/http_preference.hpp"

#include <gtest/gtest.h>

namespace forebay::test {
namespace {

TEST(HttpPreferenceTest, IsTheWeightOfWhatIsNamed) {
  EXPECT_EQ(http_preference("gzip, deflate, br", "gzip"), 1);
  EXPECT_EQ(http_preference("deflate;q=0.9, GZIP ; Q=0.25", "gzip"), 0.25);
  EXPECT_EQ(http_preference("text/plain;version=0.0.4;q=0.5", "text/plain"), 0.5);
  EXPECT_EQ(http_preference("deflate", "gzip"), 0);
  EXPECT_EQ(http_preference("", "gzip"), 0);
}

TEST(HttpPreferenceTest, TheMoreExactWordCounts) {
  EXPECT_EQ(http_preference("*", "gzip"), 1);
  EXPECT_EQ(http_preference("gzip;q=0, *", "gzip"), 0);
  EXPECT_EQ(http_preference("*/*;q=0.1, text/*;q=0.3", "text/plain"), 0.3);
  EXPECT_EQ(http_preference("text/*;q=0.3, text/plain;q=0.2, */*", "text/plain"), 0.2);
  EXPECT_EQ(http_preference("image/*, textual/*", "text/plain"), 0);
  EXPECT_EQ(http_preference("a/b;q=0.2, a/b;q=0.6", "a/b"), 0.6);
}

TEST(HttpPreferenceTest, WhatMakesNoSenseIsNotWanted) {
  EXPECT_EQ(http_preference("gzip;q=much", "gzip"), 0);
  EXPECT_EQ(http_preference(",,;;,=", "gzip"), 0);
  EXPECT_EQ(http_preference("gzip;q=7", "gzip"), 1);
}

}  // namespace
}  // namespace forebay::test
