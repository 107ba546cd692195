// The scenarios that come with the program, and those of poolsim, whose figures they share.
#include "forebay/sim/scenario/shipped_scenarios.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/sim/scenario/scenario_file.hpp"
#include "forebay/sim/scenario/service_pool.hpp"
#include "sim/scenario_texts.hpp"

namespace forebay::sim {
namespace {

using testing::IsEmpty;

TEST(ShippedScenariosTest, AllOfThemAreReadAndSayWhatTheyShow) {
  const std::vector<BundledFile> files = shipped_scenarios();

  EXPECT_GE(files.size(), 20u);
  for (const BundledFile& file : files) {
    const ScenarioReading reading = read_scenario(file.text, std::string(file.name));
    EXPECT_THAT(reading.problems, IsEmpty());
    EXPECT_THAT(reading.scenario.description, testing::EndsWith(".")) << file.name;
    EXPECT_EQ(file.text, contents(source_folder() / "scenarios" / file.name));
    for (const ServiceSpec& process : processes(reading.scenario))
      EXPECT_THAT(problems(pool_options(process, reading.scenario.database)), IsEmpty());
  }
}

TEST(ShippedScenariosTest, TheyAreInOrder) {
  const std::vector<BundledFile> files = shipped_scenarios();

  EXPECT_TRUE(std::ranges::is_sorted(files, {}, &BundledFile::name));
}

// Ours use replicas and defaults where poolsim's spell everything out; the meaning is the same.
TEST(PoolsimFilesTest, TheyAreReadUnchangedAndOursMeanTheSame) {
  const char* named = std::getenv("FOREBAY_POOLSIM_DATA");
  const std::filesystem::path folder =
      named != nullptr ? std::filesystem::path(named) : source_folder() / "../shared/data/poolsim";
  if (!std::filesystem::is_directory(folder)) {
    std::cout << "left out: there are no files of poolsim in " << folder
              << "; FOREBAY_POOLSIM_DATA may name another folder\n";
    return;
  }
  for (const char* name : {"local", "ecs-150wps", "ecs-400wps", "mass-drop", "workload-test"}) {
    const std::string file = std::string(name) + ".yaml";
    const ScenarioReading theirs = read_scenario_file(folder / file);
    const ScenarioReading ours = read_scenario_file(source_folder() / "scenarios" / file);

    EXPECT_THAT(theirs.problems, IsEmpty());
    EXPECT_THAT(ours.problems, IsEmpty());
    EXPECT_EQ(processes(ours.scenario), processes(theirs.scenario)) << name;
    Scenario ours_without = ours.scenario;
    ours_without.services = theirs.scenario.services;
    ours_without.description = theirs.scenario.description;
    EXPECT_EQ(ours_without, theirs.scenario) << name;
  }
}

}  // namespace
}  // namespace forebay::sim
