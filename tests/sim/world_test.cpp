// Whole worlds: the scenarios that we ship, the seeds' own where they are at hand, and what must
// hold for any of them.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "forebay/sim/run.hpp"
#include "forebay/sim/scenario/scenario_file.hpp"
#include "forebay/sim/scenario/shipped_scenarios.hpp"
#include "support/load_time.hpp"
#include "support/places.hpp"

namespace forebay::sim {
namespace {

using namespace std::chrono_literals;

Scenario shipped(std::string_view name) {
  for (const BundledFile& file : shipped_scenarios()) {
    if (file.name != name) continue;
    ScenarioReading reading = read_scenario(file.text, std::string(name));
    EXPECT_TRUE(reading.problems.empty()) << reading.problems.front();
    return reading.scenario;
  }
  ADD_FAILURE() << "no scenario is called " << name;
  return {};
}

std::string told(const RunResult& result) {
  std::string text = result.scenario + ":";
  if (result.broken_promise) text += " broken: " + result.broken_promise->what;
  for (const Verdict& verdict : result.assertions) {
    if (!verdict.holds)
      text += "\n  " + verdict.name + ": expected " + verdict.expected + ", seen " + verdict.seen;
  }
  return text;
}

class ShippedScenarioTest : public testing::TestWithParam<std::string> {};

// A sanitizer sees what there is to see in some minutes of a world, which takes ten times as long
// under it. What a scenario expects of its whole time is asked of the build for speed.
constexpr Duration kSanitizedTime = 7min;

TEST_P(ShippedScenarioTest, Holds) {
  Scenario scenario = shipped(GetParam());
  const bool is_cut = test::kIsSanitized && scenario.duration > kSanitizedTime;
  if (is_cut) scenario.duration = kSanitizedTime;

  const RunResult result = run(scenario);

  EXPECT_FALSE(result.broken_promise.has_value()) << told(result);
  EXPECT_GT(result.events, 10'000u);
  if (is_cut) return;
  EXPECT_TRUE(result.holds()) << told(result);
  // Where callers go away with nothing, the file says how many may.
  EXPECT_TRUE(result.callers().timeouts == 0 || scenario.assertions.max_timeouts)
      << result.callers().timeouts;
}

// The two with 22,000 connections have a run of their own below.
std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  for (const BundledFile& file : shipped_scenarios()) {
    if (!file.name.starts_with("ecs-400wps")) names.emplace_back(file.name);
  }
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& test) {
  std::string name = test.param.substr(0, test.param.find('.'));
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, ShippedScenarioTest, testing::ValuesIn(shipped_names()), test_name);

// Each loop is a scheduler of its own on the timeline, and who is woken first among them is chance.
class LoopedScenarioTest : public testing::TestWithParam<std::string> {};

TEST_P(LoopedScenarioTest, KeepsItsPromises) {
  Scenario scenario = shipped(GetParam());
  for (ServiceSpec& service : scenario.services) service.loops = 3;
  scenario.seed = 2;

  const RunResult result = run(scenario);

  EXPECT_FALSE(result.broken_promise.has_value()) << told(result);
}

// Under sanitizers, the worst of them.
std::vector<std::string> looped_names() {
  if (test::kIsSanitized) return {"black-hole.yaml", "crash.yaml", "frozen-process.yaml"};
  std::vector<std::string> names = shipped_names();
  std::erase_if(names, [](const std::string& name) { return name.starts_with("proxy-"); });
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, LoopedScenarioTest, testing::ValuesIn(looped_names()), test_name);

TEST(WorldTest, TwentyTwoThousandConnectionsConvergeAtTheClustersRate) {
  Scenario scenario = shipped("ecs-400wps.yaml");
  scenario.duration = 6min;  // the rest is steady

  const RunResult result = run(scenario);

  EXPECT_TRUE(result.holds()) << told(result);
  EXPECT_GE(result.most_sessions, 22'000);
}

TEST(WorldTest, FortyFourServicesShareTenThousandLeases) {
  Scenario scenario = shipped("ecs-400wps-capped.yaml");
  scenario.duration = 6min;

  const RunResult result = run(scenario);

  EXPECT_TRUE(result.holds()) << told(result);
  EXPECT_EQ(result.most_sessions, 10'000);
  EXPECT_EQ(result.cluster.back().lease_limit, 10'000);
}

TEST(WorldTest, TheBurstHalvesAColdStart) {
  const auto slowest = [](const RunResult& result) {
    Duration time{};
    for (const ServiceResult& service : result.services)
      time = std::max(time, service.started_at.value() + service.converged_after.value());
    return time;
  };

  const RunResult plain = run(shipped("ecs-150wps.yaml"));
  const RunResult burst = run(shipped("ecs-150wps-burst.yaml"));

  EXPECT_GT(slowest(plain), 19s);
  EXPECT_LT(slowest(plain), 21s);
  EXPECT_GT(slowest(burst), 9s);
  EXPECT_LT(slowest(burst), 12s);
}

// Ends a run after so many samples.
class StopAfter final : public RunWatch {
 public:
  explicit StopAfter(int samples) : left_(samples) {}
  bool go_on(Duration, std::uint64_t) override { return --left_ > 0; }

 private:
  int left_;
};

// Whatever is going on then: services that have not started, faults that have not ended.
TEST(WorldTest, ARunCanEndAtAnyTime) {
  Scenario scenario = shipped("many-faults.yaml");
  scenario.sample_every = 1s;
  for (FaultSpec& fault : scenario.faults) fault.at /= 60;
  for (FaultSpec& fault : scenario.faults) fault.length /= 6;
  for (ServiceSpec& service : scenario.services) service.start_delay *= 20;
  for (int samples = 1; samples < 40; ++samples) {
    StopAfter watch(samples);
    const RunResult result = run(scenario, &watch);

    EXPECT_EQ(result.cluster.size(), static_cast<std::size_t>(samples));
    EXPECT_FALSE(result.broken_promise.has_value()) << result.broken_promise->what;
  }
}

// A crash brings back what it killed, and nothing else; a deployment replaces what is there.
TEST(WorldTest, NobodyIsBroughtBackWhoWasNotThere) {
  Scenario scenario = shipped("local.yaml");
  scenario.duration = 4min;
  scenario.services.front().start_delay = 3min;
  FaultSpec deploy;
  deploy.kind = FaultKind::deploy;
  deploy.at = 1min;
  deploy.overlap = 10s;
  FaultSpec crash;
  crash.kind = FaultKind::crash;
  crash.at = 2min;
  crash.length = 5s;
  scenario.faults = {deploy, crash};

  const RunResult result = run(scenario);

  ASSERT_EQ(result.services.size(), 8u);
  EXPECT_EQ(result.services[0].started_at, 3min);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_FALSE(result.services[i].samples.back().is_up);
  EXPECT_FALSE(result.services[4].started_at.has_value());
  for (std::size_t i = 5; i < 8; ++i) EXPECT_TRUE(result.services[i].samples.back().is_up);
}

TEST(WorldTest, ASeedIsAWorld) {
  Scenario scenario = shipped("workload-test.yaml");
  scenario.duration = 30s;

  const RunResult first = run(scenario);
  const RunResult second = run(scenario);
  scenario.seed += 1;
  const RunResult other = run(scenario);

  EXPECT_EQ(first.trace_hash, second.trace_hash);
  EXPECT_EQ(first.events, second.events);
  EXPECT_NE(first.trace_hash, other.trace_hash);
}

// What once went wrong.
TEST(WorldTest, RegressionsHold) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(test::source_file("scenarios/regressions"))) {
    const ScenarioReading reading = read_scenario_file(entry.path().string());
    ASSERT_TRUE(reading.problems.empty()) << reading.problems.front();
    const RunResult result = run(reading.scenario);

    EXPECT_TRUE(result.holds()) << told(result);
    ++files;
  }
  EXPECT_GE(files, 2);
}

// The files of the seeds' simulator, unchanged.
TEST(PoolsimWorldTest, TheirScenariosHold) {
  const char* given = std::getenv("FOREBAY_POOLSIM_DATA");
  const std::filesystem::path folder =
      given != nullptr ? given : test::source_file("../shared/data/poolsim");
  if (!std::filesystem::is_directory(folder)) {
    std::printf("left out: there is no folder %s; FOREBAY_POOLSIM_DATA names another\n",
                folder.c_str());
    return;
  }
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    ScenarioReading reading = read_scenario_file(entry.path().string());
    ASSERT_TRUE(reading.problems.empty()) << reading.problems.front();
    // In the suite the largest is cut when it has converged; `forebay sim` runs it whole.
    if (reading.scenario.services.size() > 40) reading.scenario.duration = 6min;
    const RunResult result = run(reading.scenario);

    EXPECT_TRUE(result.holds()) << told(result);
    ++files;
  }
  EXPECT_EQ(files, 5);
}

}  // namespace
}  // namespace forebay::sim
