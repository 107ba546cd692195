// The demo on a terminal: it draws in place, Ctrl-C is a key, and the terminal is left as it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/terminal_program.hpp"

namespace forebay::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(DemoTerminalTest, CtrlCEndsTheViewAndLeavesTheSummary) {
  TerminalProgram program({"demo"});
  ASSERT_TRUE(program.read_until("0:01")) << program.seen();
  EXPECT_FALSE(program.echoes());

  program.type("\x03");

  EXPECT_EQ(program.wait(), 0);
  EXPECT_TRUE(program.echoes());
  EXPECT_THAT(program.seen(), AllOf(HasSubstr("starting a throw-away PostgreSQL"),
                                    HasSubstr(kHideCursor), HasSubstr("\x1b[32m")));
  const std::size_t shown_again = program.seen().rfind(kShowCursor);
  ASSERT_NE(shown_again, std::string::npos);
  EXPECT_THAT(
      program.seen().substr(shown_again),
      AllOf(HasSubstr("forebay demo: "), HasSubstr(", 0 failed"), Not(HasSubstr(kHideCursor))));
}

TEST(DemoTerminalTest, WithNoColorThereAreNoColours) {
  TerminalProgram program({"demo", "--seconds", "1"}, "NO_COLOR");

  EXPECT_EQ(program.wait(), 0);
  EXPECT_THAT(program.seen(), AllOf(HasSubstr("connections"), Not(HasSubstr("\x1b[32m")),
                                    Not(HasSubstr("\x1b[0m"))));
}

TEST(DemoTerminalTest, AnErrorLeavesTheTerminalAsItWas) {
  TerminalProgram program(
      {"demo", "--fill-limit", "300ms", "--database", "postgresql://app@127.0.0.1:1/x"});

  EXPECT_EQ(program.wait(), 1);
  EXPECT_TRUE(program.echoes());
  const std::string after = program.seen().substr(program.seen().rfind(kShowCursor));
  EXPECT_THAT(after, HasSubstr("forebay demo: no connection to"));
}

TEST(DemoTerminalTest, ACrashLeavesTheTerminalAsItWas) {
  TerminalProgram program({"demo", "--database", "postgresql://app@127.0.0.1:1/x"});
  ASSERT_TRUE(program.read_until("filling"));

  program.send(SIGABRT);

  EXPECT_EQ(program.wait(), 128 + SIGABRT);
  EXPECT_TRUE(program.echoes());
  EXPECT_GT(program.seen().rfind(kShowCursor), program.seen().rfind(kHideCursor));
}

}  // namespace
}  // namespace forebay::cli
