// The log's sink: replaceable, and back to stderr when it is taken away.
#include "forebay/base/log.hpp"

#include <utility>

#include <gtest/gtest.h>

namespace forebay::log {
namespace {

class LogTest : public testing::Test {
 protected:
  ~LogTest() override { set_sink({}); }
};

TEST_F(LogTest, MessagesGoToTheSinkWithTheirLevel) {
  std::vector<std::pair<Level, std::string>> seen;
  set_sink([&seen](Level level, std::string_view message) { seen.emplace_back(level, message); });

  info("opened");
  warning("refused");

  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0], std::pair(Level::info, std::string("opened")));
  EXPECT_EQ(seen[1], std::pair(Level::warning, std::string("refused")));
}

TEST_F(LogTest, WithoutASinkOnlyWarningsAndErrorsReachStderr) {
  testing::internal::CaptureStderr();

  info("opened");
  warning("refused");
  write(Level::error, "lost");
  const std::string output = testing::internal::GetCapturedStderr();

  EXPECT_EQ(output, "forebay warning: refused\nforebay error: lost\n");
}

TEST_F(LogTest, AnEmptySinkBringsTheDefaultBack) {
  int count = 0;
  set_sink([&count](Level, std::string_view) { ++count; });
  set_sink({});
  testing::internal::CaptureStderr();

  warning("refused");
  const std::string output = testing::internal::GetCapturedStderr();

  EXPECT_EQ(count, 0);
  EXPECT_EQ(output, "forebay warning: refused\n");
}

// The sink runs outside the lock, so it may write to the log, or replace itself.
TEST_F(LogTest, ASinkMayReplaceItself) {
  int count = 0;
  set_sink([&count](Level, std::string_view) {
    ++count;
    set_sink([](Level, std::string_view) {});
  });

  info("first");
  info("second");

  EXPECT_EQ(count, 1);
}

TEST_F(LogTest, EveryLevelHasAName) {
  EXPECT_EQ(name(Level::debug), "debug");
  EXPECT_EQ(name(Level::info), "info");
  EXPECT_EQ(name(Level::warning), "warning");
  EXPECT_EQ(name(Level::error), "error");
}

}  // namespace
}  // namespace forebay::log
