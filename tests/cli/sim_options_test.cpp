// From words to options of a simulation. What is refused is in bad_input_test.cpp.
#include "forebay/cli/sim/sim_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.hpp"

namespace forebay::cli {
namespace {

using testing::IsEmpty;

SimOptions read_well(const SimArguments& arguments) {
  std::vector<std::string> problems;
  SimOptions options = read(arguments, problems);
  EXPECT_THAT(problems, IsEmpty());
  return options;
}

SimArguments with_file() {
  SimArguments arguments;
  arguments.file = data_file("holds.yaml");
  return arguments;
}

TEST(SimOptionsTest, TheScenarioSpeaksForItself) {
  const SimOptions options = read_well(with_file());

  EXPECT_EQ(options.scenario.name, "holds");
  EXPECT_EQ(options.scenario.seed, 42U);
  EXPECT_EQ(options.scenario.duration, 30s);
  EXPECT_EQ(options.seeds.has_value(), false);
  EXPECT_GE(options.jobs, 1);
}

// As poolsim does.
TEST(SimOptionsTest, WhoNamesNoScenarioGetsTheLocalOne) {
  SimArguments arguments;
  arguments.seed = "7";

  const SimOptions options = read_well(arguments);

  EXPECT_EQ(options.scenario.name, "local");
  EXPECT_EQ(options.replay(7), "forebay sim local --seed 7");
}

TEST(SimOptionsTest, SeedAndDurationOverruleTheScenario) {
  SimArguments arguments = with_file();
  arguments.seed = "18446744073709551615";
  arguments.duration = "2m";

  const SimOptions options = read_well(arguments);

  EXPECT_EQ(options.scenario.seed, UINT64_MAX);
  EXPECT_EQ(options.scenario.duration, 2min);
}

TEST(SimOptionsTest, SeedsAreARangeOrACount) {
  SimArguments arguments = with_file();
  arguments.seeds = "5..9";
  EXPECT_EQ(read_well(arguments).seeds->from, 5U);
  EXPECT_EQ(read_well(arguments).seeds->count(), 5U);

  arguments.seeds = "7";
  EXPECT_EQ(read_well(arguments).seeds->from, 1U);
  EXPECT_EQ(read_well(arguments).seeds->to, 7U);

  arguments.seeds = "0..9999999";
  EXPECT_EQ(read_well(arguments).seeds->count(), 10'000'000U);
}

TEST(SimOptionsTest, TheReplayCanBePastedIntoAShell) {
  SimOptions options;
  options.file = "local";
  EXPECT_EQ(options.replay(17), "forebay sim local --seed 17");

  options.file = "it's mine.yaml";
  options.duration = 90s;
  EXPECT_EQ(options.replay(1), R"(forebay sim 'it'\''s mine.yaml' --seed 1 --duration 90s)");
}

// A file in the current folder may have the name of a shipped scenario.
TEST(SimOptionsTest, AFileWinsOverAShippedScenario) {
  const Folder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::copy_file(data_file("holds.yaml"), folder.path() / "local");
  std::filesystem::current_path(folder.path());
  SimArguments arguments;
  arguments.file = "local";

  const SimOptions options = read_well(arguments);

  std::filesystem::current_path(before);
  EXPECT_EQ(options.scenario.duration, 30s);
}

}  // namespace
}  // namespace forebay::cli
