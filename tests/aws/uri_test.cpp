// Addresses, their encoding, and the dates of answers.
#include "forebay/aws/signing/uri.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "forebay/aws/http_date.hpp"

namespace forebay::aws {
namespace {

using namespace std::chrono_literals;

TEST(UriTest, AnAddressIsTakenApart) {
  const Url whole = split_url("https://user.example.com:8443/a/b?c=d&e#f");
  EXPECT_EQ(whole.scheme, "https");
  EXPECT_EQ(whole.host, "user.example.com:8443");
  EXPECT_EQ(whole.path, "/a/b");
  EXPECT_EQ(whole.query, "c=d&e");

  const Url bare = split_url("http://example.com");
  EXPECT_EQ(bare.host, "example.com");
  EXPECT_EQ(bare.path, "/");
  EXPECT_EQ(bare.query, "");

  EXPECT_EQ(split_url("https://example.com?a=/b").path, "/");
  EXPECT_EQ(split_url("https://example.com?a=/b").query, "a=/b");
}

TEST(UriTest, PathsAreNormalized) {
  EXPECT_EQ(normalized_path("/"), "/");
  EXPECT_EQ(normalized_path("//"), "/");
  EXPECT_EQ(normalized_path("/./"), "/");
  EXPECT_EQ(normalized_path("/a/.."), "/");
  EXPECT_EQ(normalized_path("/a/../.."), "/");
  EXPECT_EQ(normalized_path("//a//b/"), "/a/b/");
  EXPECT_EQ(normalized_path("/./a"), "/a");
  EXPECT_EQ(normalized_path("/a/b/../c"), "/a/c");
  EXPECT_EQ(normalized_path("/a/."), "/a/");
}

TEST(UriTest, WhatIsReservedIsEncoded) {
  EXPECT_EQ(uri_encoded("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(uri_encoded("a b/c+d=\xe1\x88\xb4"), "a%20b%2Fc%2Bd%3D%E1%88%B4");
  EXPECT_EQ(uri_encoded("a b/c", Slashes::kept), "a%20b/c");
  EXPECT_EQ(uri_decoded("a%20b%2Fc+%2B"), "a b/c++");
  EXPECT_EQ(uri_decoded("100%, %4, %zz, %"), "100%, %4, %zz, %");
}

TEST(UriTest, DecodingUndoesEncoding) {
  rc::check("any text survives", [](const std::string& text) {
    RC_ASSERT(uri_decoded(uri_encoded(text)) == text);
    RC_ASSERT(uri_decoded(uri_encoded(text, Slashes::kept)) == text);
  });
}

TEST(HttpDateTest, TheUsualFormIsRead) {
  EXPECT_EQ(http_date("Sun, 30 Aug 2015 12:36:00 GMT"), WallTime(1'440'938'160s));
  EXPECT_EQ(http_date("Thu, 01 Jan 1970 00:00:00 GMT"), WallTime());
  EXPECT_EQ(http_date("Thu, 29 Feb 2024 23:59:59 GMT"), WallTime(1'709'251'199s));
}

TEST(HttpDateTest, AnythingElseIsNot) {
  for (const char* text :
       {"", "2015-08-30T12:36:00Z", "Sun, 30 Aug 2015 12:36 GMT", "Sun, 30 Foo 2015 12:36:00 GMT",
        "Sun, 31 Feb 2015 12:36:00 GMT", "Sun, xx Aug 2015 12:36:00 GMT"}) {
    EXPECT_FALSE(http_date(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace forebay::aws
