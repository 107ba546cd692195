// The live view: what it says, and that it fits.
#include "forebay/cli/demo/demo_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/demo_samples.hpp"

namespace forebay::cli {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::vector<std::string> view_of(const DemoTrend& trend, const TextStyle& style) {
  return render(demo_options(), DemoStage::running, trend, style);
}

// Visible columns: escape sequences take none.
int visible(const std::string& line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\x1b') {
      text += line[i];
      continue;
    }
    while (line[i] != 'm') ++i;
  }
  return columns_of(text);
}

TEST(DemoViewTest, AtEightyColumnsItReadsLikeThis) {
  const std::string text = joined(view_of(demo_trend(), {80, false, false}));

  EXPECT_EQ(text,
            R"(forebay demo  on a throw-away PostgreSQL that allows 20                     1:23
8 callers hold a session for 2ms each; connections live 5s           Ctrl-C ends

connections  19 of at most 20
  ready           10  #################.................  target 20
  lent             5  #########.........................
  cleaning         2  ###...............................
  opening          1  ##................................
  closing          1  ##................................

supply
  connects    25.0/s  #########.........................  limit 100/s, burst 10
  opened         142  0 failed, a connect takes 4ms
  discarded      123  120 replaced, 3 broken

callers
  statements 3,120/s  1,234,567 in all, 0 failed
  acquire    p50 508us     p99 1.02ms    p99.9 1.02ms    last 10s
  empty            0  times a caller found none ready; 0 waiting now
)");
}

TEST(DemoViewTest, NothingIsWiderThanTheTerminalAndAllFitsInto24Lines) {
  for (const int width : {20, 40, 60, 79, 80, 100, 132, 250}) {
    for (const bool has_colour : {false, true}) {
      const auto lines = view_of(crowded_trend(), {width, has_colour, true});
      for (const std::string& line : lines) EXPECT_LE(visible(line), width) << line;
      EXPECT_LE(lines.size(), 24u) << width;
    }
  }
}

TEST(DemoViewTest, ANarrowTerminalIsToldThatLinesAreCut) {
  EXPECT_EQ(view_of(crowded_trend(), {40, false, true})[1], "40 columns are too few; 72 show all");
  for (const std::string& line : view_of(crowded_trend(), {72, false, true}))
    EXPECT_EQ(line.find("too few"), std::string::npos) << line;
}

TEST(DemoViewTest, WithoutColourThereIsNoEscapeSequence) {
  const std::string text = joined(view_of(crowded_trend(), {80, false, true}));

  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(DemoViewTest, EmptyEventsErrorsAndFailuresAreRed) {
  const std::string text = joined(view_of(crowded_trend(), {80, true, true}));

  EXPECT_THAT(text, HasSubstr("\x1b[31m1,234,567\x1b[0m"));
  EXPECT_THAT(text, HasSubstr("\x1b[31mlast connect error\x1b[0m: xxx"));
  EXPECT_THAT(text, HasSubstr("\x1b[31mlast failure\x1b[0m: yyy"));
  EXPECT_THAT(text, HasSubstr("\x1b[31m1,234,567 failed\x1b[0m"));
}

TEST(DemoViewTest, ARunOfKnownLengthShowsIt) {
  DemoOptions options = demo_options();
  options.run_time = 2min;

  const auto lines = render(options, DemoStage::running, demo_trend(), {80, false, true});

  EXPECT_THAT(lines.front(), HasSubstr("1:23 of 2:00"));
}

TEST(DemoViewTest, WithoutALimitThereIsNoBarForConnects) {
  DemoOptions options = demo_options();
  options.pool.connect_rate = 0;

  const auto lines = render(options, DemoStage::running, demo_trend(), {80, false, true});

  EXPECT_THAT(lines, Contains("  connects    25.0/s  no limit"));
}

TEST(DemoViewTest, WordsOfTheServerCannotSteerTheTerminal) {
  DemoTrend trend = demo_trend();
  trend.now.pool.last_connect_error = "bad\x1b[2J\r\nworse";

  const std::string text = joined(view_of(trend, {80, false, true}));

  EXPECT_THAT(text, HasSubstr("bad [2J  worse"));
}

}  // namespace
}  // namespace forebay::cli
