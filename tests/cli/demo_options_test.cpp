// From words to options: what is right is understood, what is wrong is told, all of it, once.
#include "forebay/cli/demo/demo_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

// Whatever the pool complains about that the demo can set comes out in the demo's words.
TEST(DemoOptionsTest, TheUserSeesTheOptionsOfTheCommandLine) {
  DemoArguments arguments;
  arguments.ready = "30";
  arguments.guard = "6s";
  arguments.rate = "-1";
  arguments.burst = "0";
  arguments.fill_limit = "-1s";

  EXPECT_THAT(
      problems_of(arguments),
      ElementsAre("--ready is 30: it must be between 1 and 20 (it is a share of all connections)",
                  "--guard is 6s: it must be shorter than the shortest life, 5s",
                  "--rate is -1 a second: it must be between 0.001 and 1000000, or 0 for no limit",
                  "--burst is 0: it must be between 1 and 1000000 (connects at once when rested)",
                  "--fill-limit is -1s: it must be zero or more and at most 365 days"));
}

}  // namespace
}  // namespace forebay::cli
