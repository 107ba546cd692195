// What assertions count, and which processes they blame.
#include "forebay/sim/checks/assertions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/sim/run.hpp"

namespace forebay::sim {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

const Verdict* find(const std::vector<Verdict>& verdicts, std::string_view name) {
  const auto found = std::ranges::find(verdicts, name, &Verdict::name);
  return found == verdicts.end() ? nullptr : &*found;
}

// Four processes of forty connections each, whose lives end one by one.
Scenario quiet_world() {
  Scenario scenario;
  scenario.name = "quiet";
  scenario.duration = 4min;
  ServiceSpec& service = scenario.services.emplace_back();
  service.name = "api";
  service.replicas = 4;
  service.target_ready = 40;
  return scenario;
}

FaultSpec fault_at(FaultKind kind, Duration at) {
  FaultSpec fault;
  fault.kind = kind;
  fault.at = at;
  return fault;
}

TEST(ClosureAssertionTest, IsJudgedOnlyWhereTheFileAsksForIt) {
  Scenario scenario = quiet_world();
  scenario.duration = 30s;
  EXPECT_EQ(find(run(scenario).assertions, "assertMaxClosurePerSec"), nullptr);

  scenario.assertions.max_closures_per_sec = 0;
  EXPECT_NE(find(run(scenario).assertions, "assertMaxClosurePerSec"), nullptr);
}

// Each of these ends at least forty sessions in one second.
TEST(ClosureAssertionTest, WhatTheScenarioItselfEndsDoesNotCount) {
  for (const FaultKind kind :
       {FaultKind::mass_drop, FaultKind::rolling_restart, FaultKind::deploy, FaultKind::crash}) {
    Scenario scenario = quiet_world();
    scenario.assertions.max_closures_per_sec = 0;
    scenario.assertions.converge_within.reset();
    scenario.faults.push_back(fault_at(kind, 1min));
    scenario.faults[0].length = kind == FaultKind::crash ? 10s : 0s;

    const RunResult result = run(scenario);

    EXPECT_TRUE(result.holds()) << name(kind);
    const int most = std::ranges::max(result.cluster, {}, &ClusterSample::closures).closures;
    EXPECT_GE(most, 40) << name(kind) << ": the samples have them";
  }
}

TEST(ClosureAssertionTest, WhatPoolsRetireCounts) {
  Scenario scenario = quiet_world();
  scenario.assertions.max_closures_per_sec = 0;
  scenario.assertions.converge_within.reset();
  scenario.services[0].base_lifetime = 2min;

  const RunResult result = run(scenario);

  const Verdict* const verdict = find(result.assertions, "assertMaxClosurePerSec");

  ASSERT_NE(verdict, nullptr);
  EXPECT_FALSE(verdict->holds);
  EXPECT_THAT(verdict->processes, IsEmpty());
}

ServiceResult process(std::string name, std::optional<Duration> converged_after) {
  ServiceResult result;
  result.name = std::move(name);
  result.started_at = 0s;
  result.converged_after = converged_after;
  result.samples.emplace_back();
  return result;
}

TEST(BlameTest, ProcessesAreNamedThatFailedAnAssertion) {
  RunResult result;
  result.duration = 10min;
  result.services = {process("good", 1s), process("slow", 70s), process("never", std::nullopt),
                     process("new", std::nullopt), process("later", std::nullopt)};
  result.services[3].started_at = 595s;  // it has not had its time
  result.services[4].started_at.reset();
  result.services[0].unstable_at = 3s;
  result.services[1].samples[0].empty_events = 2;
  result.services[2].samples[0].timeouts = 5;
  Assertions assertions;
  assertions.zero_empty_events = true;
  assertions.max_timeouts = 4;

  const std::vector<Verdict> verdicts = judge(assertions, Judged(), result);

  EXPECT_THAT(find(verdicts, "assertConvergeWithin")->processes, ElementsAre("slow", "never"));
  EXPECT_THAT(find(verdicts, "assertStableFor")->processes, ElementsAre("good"));
  EXPECT_THAT(find(verdicts, "assertZeroEmptyEvents")->processes, ElementsAre("slow"));
  EXPECT_THAT(find(verdicts, "assertMaxTimeouts")->processes, ElementsAre("never"));

  assertions.max_timeouts = 5;
  const std::vector<Verdict> again = judge(assertions, Judged(), result);
  EXPECT_THAT(find(again, "assertMaxTimeouts")->processes, IsEmpty()) << "it holds";
}

TEST(BlameTest, WhoseCallersWaitedTooLongIsNamed) {
  RunResult result;
  result.services = {process("quick", 1s), process("lame", 1s)};
  LatencyHistogram all;
  LatencyHistogram quick;
  LatencyHistogram lame;
  quick.record(1ms);
  lame.record(1s);
  all.record(1ms);
  all.record(1s);
  Judged judged;
  judged.waits = all.snapshot();
  judged.waits_of = {quick.snapshot(), lame.snapshot()};
  Assertions assertions;
  assertions.waits = {{99, 10ms}};

  const std::vector<Verdict> verdicts = judge(assertions, judged, result);

  EXPECT_THAT(find(verdicts, "assertAcquireWait")->processes, ElementsAre("lame"));
}

// One process is cut off from the database for longer than the run goes on.
TEST(BlameTest, WhoIsNotWellAgainAfterAFaultIsNamed) {
  Scenario scenario = quiet_world();
  scenario.assertions.recover_within = 5s;
  scenario.faults = {fault_at(FaultKind::mass_drop, 1min), fault_at(FaultKind::partition, 30s)};
  scenario.faults[0].fraction = 1;
  scenario.faults[1].services = {"api-3"};
  scenario.faults[1].cuts_database = true;

  const RunResult result = run(scenario);

  const Verdict* const verdict = find(result.assertions, "assertRecoverWithin");
  ASSERT_NE(verdict, nullptr);
  EXPECT_FALSE(verdict->holds);
  EXPECT_THAT(verdict->processes, testing::Contains("api-3"));
}

TEST(ProcessEndTest, SaysHowEachProcessWasWhenTheRunEnded) {
  Scenario scenario = quiet_world();
  scenario.assertions.converge_within.reset();
  scenario.faults = {fault_at(FaultKind::deploy, 1min), fault_at(FaultKind::crash, 2min),
                     fault_at(FaultKind::deploy, 10min)};
  scenario.faults[0].services = {"api-1"};
  scenario.faults[1].services = {"api-2"};
  scenario.faults[2].services = {"api-3"};

  const RunResult result = run(scenario);

  std::vector<std::string> ends;
  for (const ServiceResult& process : result.services)
    ends.push_back(process.name + " " + std::string(name(process.end)));
  EXPECT_THAT(ends, ElementsAre("api-1 drained", "api-2 down", "api-3 up", "api-4 up",
                                "api-1 (new) up", "api-3 (new) not_started"));
}

// Drained callers finish; those of a process that dies do not.
TEST(CallerTotalsTest, EveryCallerIsAtWorkDoneOrHasFailed) {
  Scenario scenario = quiet_world();
  WorkloadSpec& workload = scenario.services[0].workload;
  workload.is_enabled = true;
  workload.max_in_use = 10;
  workload.hold_time = 50ms;
  EXPECT_EQ(run(scenario).callers().failed, 0u);

  scenario.faults = {fault_at(FaultKind::crash, 1min)};
  scenario.faults[0].length = 5s;
  const CallerTotals callers = run(scenario).callers();

  EXPECT_GT(callers.failed, 0u);
  EXPECT_EQ(callers.timeouts, 0u);
  EXPECT_LE(callers.started - callers.completed - callers.failed, 40u);
}

}  // namespace
}  // namespace forebay::sim
