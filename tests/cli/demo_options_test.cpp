// From words to options: what is right is understood, what is wrong is told, all of it, once.
#include "forebay/cli/demo_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/cli/option_names.hpp"

namespace forebay::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;
using Problems = std::vector<std::string>;

Problems problems_of(const DemoArguments& arguments) {
  Problems problems;
  read(arguments, problems);
  return problems;
}

TEST(DemoOptionsTest, TheDefaultsAreRight) {
  Problems problems;
  const DemoOptions options = read(DemoArguments(), problems);

  EXPECT_THAT(problems, IsEmpty());
  EXPECT_EQ(options.pool.size.max, 20);
  EXPECT_EQ(options.pool.lifetime, 5s);
  EXPECT_EQ(options.pool.guard_window, 500ms);
  EXPECT_EQ(options.pool.connect_rate, 100);
  EXPECT_EQ(options.threads, 8);
  EXPECT_EQ(options.hold, 2ms);
  EXPECT_EQ(options.run_time, 0s);
  EXPECT_EQ(options.database, std::nullopt);
}

TEST(DemoOptionsTest, AWrongSizeIsNotBlamedOnOthers) {
  DemoArguments arguments;
  arguments.connections = "0";
  arguments.ready = "5";

  EXPECT_THAT(problems_of(arguments), ElementsAre(HasSubstr("--connections is 0: ")));
}

TEST(DemoOptionsTest, AWrongLifetimeIsNotBlamedOnTheGuard) {
  DemoArguments arguments;
  for (const char* lifetime : {"0s", "-5s", "soon", "400000h"}) {
    arguments.lifetime = lifetime;
    EXPECT_THAT(problems_of(arguments), ElementsAre(HasSubstr("--lifetime is "))) << lifetime;
  }
}

TEST(DemoOptionsTest, AThrowAwayServerHasALimitThatOthersHaveNot) {
  DemoArguments arguments;
  arguments.connections = "5000";
  EXPECT_THAT(problems_of(arguments), ElementsAre(HasSubstr("between 1 and 1000")));

  arguments.database = "postgresql://db.example/x";
  EXPECT_THAT(problems_of(arguments), IsEmpty());
}

TEST(DemoOptionsTest, ThePlaceIsNamedWithoutTheUser) {
  DemoArguments arguments;
  arguments.database = "postgresql://app:hunter2@db.example:5433/orders";
  Problems problems;

  const DemoOptions options = read(arguments, problems);

  EXPECT_THAT(problems, IsEmpty());
  EXPECT_EQ(options.place, "db.example:5433/orders");
}

TEST(OptionNamesTest, TheUserSeesTheOptionsOfTheCommandLine) {
  EXPECT_EQ(in_words_of_command_line(
                "target_ready is 30: it must be between 1 and 20 (it is a share of max)"),
            "--ready is 30: it must be between 1 and 20 (it is a share of --connections)");
  EXPECT_EQ(in_words_of_command_line("guard_window is 6 s: it must be shorter than the shortest "
                                     "life (lifetime 5 s, lifetime_jitter 0 us)"),
            "--guard is 6 s: it must be shorter than the shortest life (--lifetime 5 s)");
  EXPECT_EQ(in_words_of_command_line("connect_rate is -1 a second: between 0 (no limit) and 9"),
            "--rate is -1 a second: between 0 (no limit) and 9");
}

// Whatever the pool complains about that the demo can set must come out in the demo's words.
TEST(OptionNamesTest, NoNameOfThePoolIsLeft) {
  PoolOptions pool;
  pool.supply = Supply::reservoir;
  pool.size.max = 0;
  pool.size.target_ready = -1;
  pool.lifetime = -1s;
  pool.guard_window = -1s;
  pool.connect_rate = -1;
  pool.connect_burst = 0;
  pool.initial_fill_limit = -1s;
  int translated = 0;
  for (const std::string& problem : problems(pool)) {
    if (in_words_of_command_line(problem).starts_with("--")) ++translated;
  }

  EXPECT_GE(translated, 7);
}

}  // namespace
}  // namespace forebay::cli
