// Lines that never grow wider than told.
#include "forebay/cli/text/styled_line.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace forebay::cli {
namespace {

constexpr TextStyle kPlain{20, false, true};

TEST(StyledLineTest, WhatDoesNotFitIsCutBetweenCharacters) {
  const StyledLine line = StyledLine({3, false, true}).add("a\u00e9\u2588z");

  EXPECT_EQ(line.text(), "a\u00e9\u2588");
  EXPECT_EQ(line.columns(), 3);
}

TEST(StyledLineTest, ControlCharactersBecomeSpaces) {
  EXPECT_EQ(StyledLine(kPlain).add("a\x1b[2Jb\r\nc\x7f\u009b").text(), "a [2Jb  c  ");
}

TEST(StyledLineTest, BrokenCharactersBecomeSpaces) {
  EXPECT_EQ(StyledLine(kPlain)
                .add("a\n\x8e"
                     "b\xe2\x96"
                     "c\xf0")
                .text(),
            "a  b c ");
}

TEST(StyledLineTest, ColoursCostNoWidthAndEndWithTheText) {
  const StyledLine line = StyledLine({20, true, true}).add("no", Colour::red).add("yes");

  EXPECT_EQ(line.text(), "\x1b[31mno\x1b[0myes");
  EXPECT_EQ(line.columns(), 5);
}

TEST(StyledLineTest, TextAtTheRightEndsAtTheEdgeOrIsLeftOut) {
  EXPECT_EQ(StyledLine(kPlain).add("left").at_right("right").text(), "left           right");
  EXPECT_EQ(StyledLine({8, false, true}).add("left").at_right("right").text(), "left");
}

TEST(StyledLineTest, BarsShowTheShare) {
  const TextStyle ascii{20, false, false};

  EXPECT_EQ(StyledLine(ascii).bar(10, 5, 10, Colour::green).text(), "#####.....");
  EXPECT_EQ(StyledLine(ascii).bar(10, 1, 1000, Colour::green).text(), "#.........");
  EXPECT_EQ(StyledLine(ascii).bar(4, 0, 10, Colour::green).text(), "....");
  EXPECT_EQ(StyledLine(ascii).bar(4, 20, 10, Colour::green).text(), "####");
  EXPECT_EQ(StyledLine(ascii).bar(4, 1, 0, Colour::green).text(), "#...");
}

TEST(StyledLineTest, LargeNumbersAreGrouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'000), "1,000");
  EXPECT_EQ(grouped(1'234'567), "1,234,567");
}

RC_GTEST_PROP(StyledLineProperty, NoTextMakesALineTooWideOrSteersTheTerminal,
              (const std::string& text)) {
  const int width = *rc::gen::inRange(0, 40);

  const StyledLine line = StyledLine({width, false, true}).add(text);

  RC_ASSERT(columns_of(line.text()) <= width);
  RC_ASSERT(line.text().find_first_of("\x1b\r\n\b\x7f") == std::string::npos);
}

}  // namespace
}  // namespace forebay::cli
