#include "forebay/aws/credentials/shell_words.hpp"

#include <gtest/gtest.h>

namespace forebay::aws {
namespace {

using Words = std::vector<std::string>;

TEST(ShellWordsTest, BlanksDivideWords) {
  EXPECT_EQ(shell_words("  a  b\tc\n"), (Words{"a", "b", "c"}));
  EXPECT_EQ(shell_words(""), Words());
  EXPECT_EQ(shell_words(" "), Words());
}

TEST(ShellWordsTest, QuotesAndBackslashesHideBlanksAndEachOther) {
  EXPECT_EQ(shell_words(R"('a b' "c d" e\ f)"), (Words{"a b", "c d", "e f"}));
  EXPECT_EQ(shell_words(R"(a'b'"c"\d)"), (Words{"abcd"}));
  EXPECT_EQ(shell_words(R"('' "" x)"), (Words{"", "", "x"}));
  EXPECT_EQ(shell_words(R"('a\b' "a\b" "a\"b" "a\\b" a\'b)"),
            (Words{R"(a\b)", R"(a\b)", R"(a"b)", R"(a\b)", "a'b"}));
}

TEST(ShellWordsTest, NothingIsPutIn) {
  EXPECT_EQ(shell_words("$HOME ~ * | > # `x`"), (Words{"$HOME", "~", "*", "|", ">", "#", "`x`"}));
}

TEST(ShellWordsTest, WhatIsNotClosedIsNoCommandLine) {
  for (const char* const line : {"'", "a \"b", "a\\", "'a\"b"})
    EXPECT_EQ(shell_words(line), std::nullopt) << line;
}

}  // namespace
}  // namespace forebay::aws
