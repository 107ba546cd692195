#include "forebay/base/json_text.hpp"

#include <string>

#include <gtest/gtest.h>

namespace forebay {
namespace {

TEST(JsonTextTest, WhatIsPlainStaysAsItIs) {
  EXPECT_EQ(json_quoted(""), R"("")");
  EXPECT_EQ(json_quoted("a service, 50 %"), R"("a service, 50 %")");
  EXPECT_EQ(json_quoted("ünïcode \u20ac \U0001f40d"), "\"ünïcode \u20ac \U0001f40d\"");
}

TEST(JsonTextTest, QuotesBackslashesAndControlCharactersAreEscaped) {
  EXPECT_EQ(json_quoted(R"(say "hi" \ there)"), R"("say \"hi\" \\ there")");
  EXPECT_EQ(json_quoted(std::string("a\nb\t\0c\x1f\x7f", 8)),
            R"("a\u000ab\u0009\u0000c\u001f\u007f")");
}

TEST(JsonTextTest, CharactersThatTerminalsObeyOrThatEndALineAreEscaped) {
  EXPECT_EQ(json_quoted("a\u0085b\u009bc\u00a0"), "\"a\\u0085b\\u009bc\u00a0\"");
  EXPECT_EQ(json_quoted("a\u2028b\u2029c\u202a"), "\"a\\u2028b\\u2029c\u202a\"");
}

TEST(JsonTextTest, BytesThatAreNoCharactersAreReplacedOneByOne) {
  EXPECT_EQ(json_quoted("caf\xe9!"), R"("caf\ufffd!")");
  EXPECT_EQ(json_quoted("\xe2\x82"), R"("\ufffd\ufffd")");                      // cut off
  EXPECT_EQ(json_quoted("\xc0\xaf"), R"("\ufffd\ufffd")");                      // overlong
  EXPECT_EQ(json_quoted("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");            // a surrogate
  EXPECT_EQ(json_quoted("\xf4\x90\x80\x80"), R"("\ufffd\ufffd\ufffd\ufffd")");  // too far
}

}  // namespace
}  // namespace forebay
