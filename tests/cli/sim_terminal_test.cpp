// "forebay sim" on a terminal: a progress line for long runs, colours, and Ctrl-C as a key.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/terminal_program.hpp"

namespace forebay::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(SimTerminalTest, ALongRunShowsProgressAndCtrlCEndsIt) {
  TerminalProgram program({"sim", data_file("long.yaml")});
  ASSERT_TRUE(program.read_until("events/s")) << program.seen();
  EXPECT_FALSE(program.echoes());

  program.type("\x03");

  EXPECT_EQ(program.wait(), 130);
  EXPECT_TRUE(program.echoes());
  EXPECT_THAT(program.seen(), AllOf(HasSubstr(kHideCursor), HasSubstr(" of 8760:00:00 ")));
  EXPECT_THAT(program.seen().substr(program.seen().rfind(kShowCursor)),
              HasSubstr("forebay sim: interrupted at "));
}

TEST(SimTerminalTest, ManySeedsShowProgressToo) {
  TerminalProgram program({"sim", data_file("long.yaml"), "--seeds", "1..50"});
  ASSERT_TRUE(program.read_until("0 of 50 seeds")) << program.seen();

  program.type("q");

  EXPECT_EQ(program.wait(), 130);
  EXPECT_THAT(program.seen(), AllOf(HasSubstr("0 failed"), HasSubstr("interrupted after 0 of 50")));
}

TEST(SimTerminalTest, WhatIsQuietShowsNoProgress) {
  for (const char* option : {"--quiet", "--json"}) {
    TerminalProgram program({"sim", data_file("long.yaml"), option});
    EXPECT_FALSE(program.read_until("events/s", 1s));

    program.type("\x03");

    EXPECT_EQ(program.wait(), 130);
    EXPECT_THAT(program.seen(), Not(HasSubstr(kHideCursor)));
  }
}

TEST(SimTerminalTest, VerdictsAreColouredUnlessToldOtherwise) {
  TerminalProgram coloured({"sim", data_file("fails.yaml")});
  EXPECT_EQ(coloured.wait(), 1);
  EXPECT_THAT(coloured.seen(), HasSubstr("\x1b[31mFAIL\x1b[0m"));

  TerminalProgram plain({"sim", data_file("fails.yaml")}, "NO_COLOR");
  EXPECT_EQ(plain.wait(), 1);
  EXPECT_THAT(plain.seen(), AllOf(HasSubstr("FAIL"), Not(HasSubstr("\x1b[31m"))));
}

}  // namespace
}  // namespace forebay::cli
