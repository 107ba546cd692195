// The log: levels, sinks that come and go, that throw and that log themselves, and floods.
#include "forebay/base/log.hpp"

#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/captured_log.hpp"

namespace forebay::log {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

// What a piece of work writes to stderr. Each starts with nothing held back.
template <class Work>
std::string stderr_of(Work&& work) {
  write_all_repeats();
  testing::internal::CaptureStderr();
  work();
  return testing::internal::GetCapturedStderr();
}

class LogTest : public testing::Test {
 protected:
  LogTest() { write_all_repeats(); }
  ~LogTest() override {
    set_sink({});
    set_level(Level::warning);
    set_format(Format::text);
  }
};

TEST_F(LogTest, EventsGoToTheSinkWithLevelAndFields) {
  const test::CapturedLog log;

  debug("Opened");
  info("Filled", {field("size", 50)});
  warning("Refused", {field("error", "no room"), field("attempt", 3)});
  error("Lost");

  EXPECT_THAT(log.lines(),
              ElementsAre("debug Opened", "info Filled size=50",
                          "warning Refused error=\"no room\" attempt=3", "error Lost"));
}

TEST_F(LogTest, WithoutASinkOnlyWarningsAndErrorsReachStderr) {
  const std::string output = stderr_of([] {
    info("Opened");
    warning("Refused", {field("pool", "orders")});
    error("Lost");
  });

  constexpr const char* kTime = "[0-9]+-[0-9]+-[0-9]+T[0-9]+:[0-9]+:[0-9]+\\.[0-9]+Z";
  EXPECT_THAT(output, MatchesRegex(std::string(kTime) + " warning Refused pool=orders\n" + kTime +
                                   " error Lost\n"));
}

TEST_F(LogTest, JsonIsWrittenOnRequest) {
  set_format(Format::json);

  const std::string output = stderr_of([] { warning("Refused", {field("attempt", 3)}); });

  EXPECT_THAT(output, testing::StartsWith(R"({"time":"2)"));
  EXPECT_THAT(output, testing::EndsWith(
                          "\",\"level\":\"warning\",\"message\":\"Refused\",\"attempt\":3}\n"));
}

TEST_F(LogTest, TheLevelHoldsForEverySink) {
  const test::CapturedLog log(Level::error);

  warning("Refused");
  error("Lost");

  EXPECT_FALSE(is_on(Level::warning));
  EXPECT_TRUE(is_on(Level::error));
  EXPECT_THAT(log.lines(), ElementsAre("error Lost"));
}

TEST_F(LogTest, ASuggestedLevelGivesWayToOneThatWasSet) {
  set_level(Level::error);
  suggest_level(Level::debug);

  EXPECT_FALSE(is_on(Level::warning));
}

TEST_F(LogTest, AMutedThreadSaysNothingAndOthersDo) {
  const test::CapturedLog log;
  const Mute mute;

  error("Muted");
  std::thread([] { error("Heard"); }).join();

  EXPECT_THAT(log.lines(), ElementsAre("error Heard"));
}

TEST_F(LogTest, AnEmptySinkBringsTheDefaultBack) {
  int count = 0;
  set_sink([&count](const Event&) { ++count; });
  set_sink({});

  const std::string output = stderr_of([] { warning("Refused"); });

  EXPECT_EQ(count, 0);
  EXPECT_THAT(output, HasSubstr(" warning Refused\n"));
}

// The sink runs outside the lock, so it may write to the log, or replace itself.
TEST_F(LogTest, ASinkMayReplaceItself) {
  int count = 0;
  set_sink([&count](const Event&) {
    ++count;
    set_sink([](const Event&) {});
    warning("From the sink");
  });

  warning("First");
  warning("Second");

  EXPECT_EQ(count, 1);
}

TEST_F(LogTest, WhatASinkCannotTakeGoesToStderr) {
  set_sink([](const Event&) { throw std::runtime_error("the disk is full"); });

  const std::string output = stderr_of([] { warning("Refused", {field("attempt", 3)}); });

  EXPECT_THAT(output, HasSubstr(" warning Refused attempt=3\n"));
}

TEST_F(LogTest, AFloodIsToldWithACount) {
  const test::CapturedLog log;

  for (int i = 1; i <= 100; ++i) warning("Refused", {field("pool", "a"), field("attempt", i)});
  for (int i = 1; i <= 2; ++i) warning("Refused", {field("pool", "b"), field("attempt", i)});
  EXPECT_EQ(log.count("Refused"), 7u);
  write_repeats();  // too early
  EXPECT_EQ(log.count("Refused"), 7u);
  write_all_repeats();

  EXPECT_EQ(log.lines().back(), "warning Refused pool=a attempt=100 repeated=95");
}

TEST_F(LogTest, NothingIsHeldBackOfWhatIsToldInDetail) {
  const test::CapturedLog log;

  for (int i = 0; i < 100; ++i) debug("Opened");

  EXPECT_EQ(log.count("Opened"), 100u);
}

TEST_F(LogTest, NoEventOfManyThreadsIsLost) {
  const test::CapturedLog log;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int j = 0; j < 1000; ++j) error("Lost", {field("pool", "orders")});
    });
  }
  for (std::thread& thread : threads) thread.join();
  write_all_repeats();

  // Each line stands for itself, and the last for those that were held back.
  std::size_t told = log.count("Lost") - log.values("Lost", "repeated").size();
  for (const std::string& repeated : log.values("Lost", "repeated")) told += std::stoul(repeated);
  EXPECT_EQ(told, 4000u);
}

TEST_F(LogTest, EveryLevelHasAName) {
  EXPECT_EQ(name(Level::debug), "debug");
  EXPECT_EQ(name(Level::info), "info");
  EXPECT_EQ(name(Level::warning), "warning");
  EXPECT_EQ(name(Level::error), "error");
}

}  // namespace
}  // namespace forebay::log
