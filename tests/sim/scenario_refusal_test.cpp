// Scenario files that are refused: every problem in one line, with the place and what to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/sim/scenario/scenario_file.hpp"
#include "sim/scenario_refusals.hpp"
#include "sim/scenario_texts.hpp"

namespace forebay::sim {
namespace {

using testing::ElementsAre;

TEST(ScenarioRefusalTest, FilesThatHoldNoScenario) {
  expect_refused({
      {"", {": is empty; a scenario needs at least services: [{name: history}]"}},
      {"# only words\n", {": is empty; a scenario needs at least services: [{name: history}]"}},
      {"~", {": is empty; a scenario needs at least services: [{name: history}]"}},
      {"[1, 2]", {":1: a list stands where a group of keys like description is expected"}},
      {"\n\nhello", {":3: \"hello\" stands where a group of keys like description is expected"}},
      {"seed: 1\nservices: [", {":2: is not YAML: end of sequence flow not found"}},
      {"a: b: c", {":1: is not YAML: illegal map value"}},
      {"seed: 1\n---\nseed: 2\n",
       {":2: a second document starts here, or what is not YAML; a file holds one "
        "document"}},
      {"? [a]\n: b\n", {":1: has a key that is not a word; write keys like max: 20"}},
      {"a: &a [*a]", {":1: an alias stands inside of what it names"}},
      {"{}",
       {": services: there are none; a scenario needs at least one, like services: [{name: "
        "history}]"}},
      {std::string(300'000, '#'), {": has more than 256 KiB; is it a scenario?"}},
  });
}

TEST(ScenarioRefusalTest, FilesThatCannotBeRead) {
  const std::string folder = testing::TempDir();

  EXPECT_THAT(read_scenario_file(folder + "no-such-file.yaml").problems,
              ElementsAre(folder + "no-such-file.yaml: there is no such file"));
  EXPECT_THAT(read_scenario_file(folder).problems,
              ElementsAre(folder + ": is a folder; name one of the files in it"));
  EXPECT_THAT(read_scenario_file("").problems, ElementsAre(": there is no such file"));
}

TEST(ScenarioRefusalTest, KeysThatDoNotExist) {
  const std::string top =
      "description, seed, endpoint, duration, sampleEvery, limiterPerSec, limiterBurst, "
      "maxConnections, assertMaxConnectsPerSec, assertConvergeWithin, assertStableFor, "
      "assertMaxClosurePerSec, assertZeroEmptyEvents, assertMaxConnections, assertAcquireWait, "
      "assertRecoverWithin, assertLeasesExactWithin, assertMaxTimeouts, database, streams, "
      "coordination, "
      "services, faults, scenario";
  expect_refused({
      {small_scenario("durration: 5m"), {":2: durration: unknown key; did you mean duration?"}},
      {small_scenario("assert_max_connects_per_sec: 5"),
       {":2: assert_max_connects_per_sec: unknown key; did you mean assertMaxConnectsPerSec?"}},
      {small_scenario("anything: 5"), {":2: anything: unknown key; known here: " + top}},
      {one_service("targetRedy: 5"),
       {":3: services[0].targetRedy: unknown key; did you mean targetReady?"}},
      {one_service("workload: {enabled: false,\n  hold_time: 5ms}"),
       {":4: services[0].workload.hold_time: unknown key; did you mean holdTime?"}},
      {small_scenario("database: {connectTimes: 5ms}"),
       {":2: database.connectTimes: unknown key; did you mean connectTime?"}},
      {small_scenario("assertAcquireWait: {p95: 5ms}"),
       {":2: assertAcquireWait.p95: unknown key; did you mean p90?"}},
      {small_scenario("\"\\n\\x07\": 1"), {":2: ??: unknown key; known here: " + top}},
      {small_scenario("seed: 1\nseed: 1\nseed: 2"),
       {":3: seed: given twice, first in line 2; keep one",
        ":4: seed: given twice, first in line 2; keep one"}},
      {one_service("name: other"),
       {":3: services[0].name: given twice, first in line 2; keep one"}},
  });
}

TEST(ScenarioRefusalTest, ValuesThatAreSomethingElse) {
  expect_refused({
      {one_service("targetReady: fifty"),
       {":3: services[0].targetReady: \"fifty\" is not a whole number; write it like 50"}},
      {one_service("targetReady: 5.5"),
       {":3: services[0].targetReady: \"5.5\" is not a whole number; write it like 50"}},
      {one_service("targetReady:"),
       {":3: services[0].targetReady: there is no value; write a whole number like 50, or leave "
        "the key out"}},
      {one_service("targetReady: [1]"),
       {":3: services[0].targetReady: a list stands where a whole number like 50 is expected"}},
      {one_service("targetReady: {a: 1}"),
       {":3: services[0].targetReady: keys stand where a whole number like 50 is expected"}},
      {one_service("targetReady: 99999999999999999999"),
       {":3: services[0].targetReady: \"99999999999999999999\" is not a whole number; write it "
        "like 50"}},
      {small_scenario("duration: 5"),
       {":2: duration: \"5\" is not a time; write it with its unit, like 250ms, 5s, 1m30s or 2h"}},
      {small_scenario("duration: 30s1x"),
       {":2: duration: \"30s1x\" is not a time; write it with its unit, like 250ms, 5s, 1m30s or "
        "2h"}},
      {small_scenario("limiterPerSec: fast"),
       {":2: limiterPerSec: \"fast\" is not a number; write it like 0.5"}},
      {small_scenario("limiterPerSec: nan"),
       {":2: limiterPerSec: nan is not between 0.001 and 1000000"}},
      {small_scenario("seed: -1"),
       {":2: seed: \"-1\" is not a whole number from 0 to 2^64 - 1; write it like 42"}},
      {small_scenario("assertZeroEmptyEvents: maybe"),
       {":2: assertZeroEmptyEvents: \"maybe\" is neither true nor false"}},
      {small_scenario("endpoint: [a]"), {":2: endpoint: a list stands where a text is expected"}},
      {small_scenario("database: 5"),
       {":2: database: \"5\" stands where a group of keys like cutAfter is expected"}},
      {small_scenario("faults: {kind: crash}"),
       {":2: faults: keys stand where a list is expected"}},
      {"services: {name: api}", {":1: services: keys stand where a list is expected"}},
      {"services:\n", {":1: services: there is no value; write a list, or leave the key out"}},
      {"services: []",
       {":1: services: there are none; a scenario needs at least one, like services: [{name: "
        "history}]"}},
      {"services:\n- api\n",
       {":2: services[0]: \"api\" stands where a group of keys like name is expected"}},
      {one_service("supply: reservoirs"),
       {":3: services[0].supply: \"reservoirs\" is unknown; did you mean reservoir?"}},
      {one_service("takeOrder: random"),
       {":3: services[0].takeOrder: \"random\" is unknown; known here: newest, oldest"}},
      {small_scenario("endpoint: &long " + std::string(50, 'x') + "\nduration: *long"),
       {":3: duration: \"" + std::string(40, 'x') +
        "...\" is not a time; write it with its unit, like 250ms, 5s, 1m30s or 2h"}},
  });
}

TEST(ScenarioRefusalTest, ValuesOutOfRange) {
  expect_refused({
      {one_service("targetReady: 0"),
       {":3: services[0].targetReady: 0 is not between 1 and 1000000"}},
      {one_service("targetReady: -5"),
       {":3: services[0].targetReady: -5 is not between 1 and 1000000"}},
      {one_service("targetReady: 1000001"),
       {":3: services[0].targetReady: 1000001 is not between 1 and 1000000"}},
      {one_service("baseLifetime: 0s"),
       {":3: services[0].baseLifetime: 0s is not more than zero and at most 365 days"}},
      {one_service("jitter: -2m"),
       {":3: services[0].jitter: -2m is not zero or more and at most 365 days"}},
      {one_service("startDelay: -1ms"),
       {":3: services[0].startDelay: -1ms is not zero or more and at most 365 days"}},
      {one_service("idleTimeout: 0"),
       {":3: services[0].idleTimeout: 0s is not more than zero and at most 365 days"}},
      {one_service("maxOpening: 10001"),
       {":3: services[0].maxOpening: 10001 is not between 1 and 10000"}},
      {small_scenario("duration: 9000h"),
       {":2: duration: 9000h is not more than zero and at most 365 days"}},
      {small_scenario("limiterPerSec: 0"),
       {":2: limiterPerSec: 0 is not between 0.001 and 1000000"}},
      {small_scenario("limiterBurst: 0"), {":2: limiterBurst: 0 is not between 1 and 1000000"}},
      {small_scenario("maxConnections: 0"), {":2: maxConnections: 0 is not between 1 and 1000000"}},
      {small_scenario("database: {connectFailures: 1.5}"),
       {":2: database.connectFailures: 1.5 is not zero or more and at most 1"}},
      {small_scenario("scenario: {kind: mass_drop, dropFraction: 0}"),
       {":2: scenario.dropFraction: 0 is not more than zero and at most 1"}},
      {small_scenario("scenario: {kind: mass_drop, dropFraction: 1.01}"),
       {":2: scenario.dropFraction: 1.01 is not more than zero and at most 1"}},
      {small_scenario("scenario: {kind: rolling_restart, rollEvery: 0}"),
       {":2: scenario.rollEvery: 0s is not more than zero and at most 365 days"}},
      {small_scenario("faults: [{kind: slow_connect, factor: 0.5}]"),
       {":2: faults[0].factor: 0.5 is not between 1 and 10000"}},
      {small_scenario("faults: [{kind: clock_skew, skew: 0}]"),
       {":2: faults[0].skew: 0s is not a time of at most 365 days, forward or, with a minus, "
        "back"}},
  });
}

TEST(ScenarioRefusalTest, EverythingIsToldAtOnceInTheOrderOfTheFile) {
  expect_refused({{R"(duration: long
sampleEvery: 0
services:
  - name: a b
    targetReady: 60
    max: 50
  - name: worker
    guardWindow: 12m
  - targetReady: none
faults:
  - kind: crush
    at: 90m
  - kind: crash
    services: [wroker]
coordination: {latency: 1}
)",
                   {":1: duration: \"long\" is not a time; write it with its unit, like 250ms, 5s, "
                    "1m30s or 2h",
                    ":2: sampleEvery: 0s is not more than zero and at most 365 days",
                    ":4: services[0].name: \"a b\" is not a name; use letters, digits, - _ and ., "
                    "at most 64",
                    ":5: services[0].targetReady: 60 is more than max, 50",
                    ":8: services[1].guardWindow: 12m is not shorter than baseLifetime, 11m: no "
                    "connection would ever be handed out",
                    ":9: services[2].targetReady: \"none\" is not a whole number; write it like 50",
                    ":9: services[2]: name is missing; give every service one, like name: history",
                    ":11: faults[0].kind: \"crush\" is unknown; did you mean crash?",
                    ":15: coordination.latency: \"1\" is not a time; write it with its unit, like "
                    "250ms, 5s, 1m30s or 2h"}}});
}

}  // namespace
}  // namespace forebay::sim
