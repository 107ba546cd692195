// Values of scenario files that are possible in themselves, but not together.
#include "forebay/sim/scenario/scenario_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/sim/scenario/scenario_file.hpp"
#include "sim/scenario_refusals.hpp"
#include "sim/scenario_texts.hpp"

namespace forebay::sim {
namespace {

using testing::IsEmpty;

TEST(ScenarioChecksTest, TheLifeOfAConnection) {
  expect_refused({
      {one_service("guardWindow: 11m"),
       {":3: services[0].guardWindow: 11m is not shorter than baseLifetime, 11m: no connection "
        "would ever be handed out"}},
      {one_service("baseLifetime: 40s\njitter: 0"),
       {":2: services[0].guardWindow: 45s is not shorter than baseLifetime, 40s: no connection "
        "would ever be handed out"}},
      {one_service("jitter: 21m"),
       {":3: services[0].jitter: 21m makes lives as short as 30s, which is not longer than "
        "guardWindow, 45s; it must be less than 1230s"}},
      {one_service("jitter: 1h"),
       {":3: services[0].jitter: 1h makes lives as short as -19m, which is not longer than "
        "guardWindow, 45s; it must be less than 1230s"}},
      {small_scenario("database: {cutAfter: 48s}"),
       {":1: services[0].guardWindow: 45s is not shorter than the longest life, 44s, which the "
        "database allows by database.cutAfter, 48s"}},
  });
}

TEST(ScenarioChecksTest, SizesOfAService) {
  expect_refused({
      {one_service("max: 49"), {":2: services[0].targetReady: 50 is more than max, 49"}},
      {one_service("targetReady: 20\nlowWatermark: 21"),
       {":4: services[0].lowWatermark: 21 is more than targetReady, 20"}},
      {one_service("supply: standard\nmax: 10\nminIdle: 11\nkeepOpen: 12"),
       {":5: services[0].minIdle: 11 is more than max, 10",
        ":6: services[0].keepOpen: 12 is more than max, 10"}},
      {one_service("supply: standard\ntenants: {count: 9, maxConnections: 20, perTenant: 14}"),
       {":4: services[0].tenants.perTenant: 14 is more than the 13 that tenants have of "
        "maxConnections together"}},
      {one_service("tenants: {count: 9}"),
       {":2: services[0].targetReady: 50 is more than tenants.perTenant, 3"}},
      {one_service("supply: standard\nminIdle: 4\nkeepOpen: 5\ntenants: {count: 9}"),
       {":4: services[0].minIdle: 4 is more than tenants.perTenant, 3",
        ":5: services[0].keepOpen: 5 is more than tenants.perTenant, 3"}},
      {one_service("targetReady: 1000000"),
       {":2: services[0]: would have up to 1100000 connections, at most 1000000 are possible; give "
        "max, or make targetReady or the workload smaller"}},
      {one_service("targetReady: 1000\nreplicas: 1000"),
       {":1: services: there would be up to 1100000 connections in all, at most 1000000 are "
        "possible"}},
      {"services: [{name: a, replicas: 10000, max: 1, targetReady: 1}, {name: b}]",
       {":1: services: there are 10001 processes in all, at most 10000 are possible"}},
  });
}

TEST(ScenarioChecksTest, KeysThatWouldDoNothing) {
  expect_refused({
      {one_service("minIdle: 1\nkeepOpen: 1"),
       {":3: services[0].minIdle: means nothing to a reservoir, which keeps targetReady ready; "
        "leave it out",
        ":4: services[0].keepOpen: means nothing to a reservoir, which keeps targetReady ready; "
        "leave it out"}},
      {one_service("supply: standard\ntargetReady: 5"),
       {":4: services[0].targetReady: means nothing to supply: standard, which has minIdle and "
        "keepOpen; leave it out"}},
      {one_service("supply: standard\ntenants: {perTenant: 2}"),
       {":4: services[0].tenants: count is missing; it says how many tenants there are, like "
        "count: 80"}},
      {one_service("supply: standard\nmax: 30\ntenants: {count: 2}"),
       {":4: services[0].max: means nothing beside tenants, which have maxConnections; leave it "
        "out"}},
      {one_service("workload: {maxInUse: 3}"),
       {":3: services[0].workload: enabled is missing; write enabled: true to have these callers, "
        "or false"}},
      {one_service("workload: {enabled: true}"),
       {":3: services[0].workload: has no callers; give maxInUse or arrivalsPerSecond, or write "
        "enabled: false"}},
      {one_service("workload: {enabled: true, arrivalsPerSecond: 5,\n  spawnEvery: 5ms}"),
       {":4: services[0].workload.spawnEvery: means nothing beside arrivalsPerSecond; leave it "
        "out"}},
  });
}

TEST(ScenarioChecksTest, NamesOfServices) {
  expect_refused({
      {"services:\n- name: a\n- name: b\n- name: a\n",
       {":4: services[2].name: \"a\" is a name in services[0] already; names must differ"}},
      {"services:\n- {name: a, replicas: 3}\n- {name: a-2}\n",
       {":3: services[1].name: \"a-2\" is a name in services[0] already; names must differ"}},
      {"services:\n- name: a-02\n- {name: a, replicas: 12}\n",
       {":3: services[1].name: \"a-02\" is a name in services[0] already; names must differ"}},
      {"services:\n- name: ''\n",
       {":2: services[0].name: \"\" is not a name; use letters, digits, - _ and ., at most 64"}},
      {"services: [{targetReady: 5}]",
       {":1: services[0]: name is missing; give every service one, like name: history"}},
  });
}

TEST(ScenarioChecksTest, TimesOfTheRun) {
  expect_refused({
      {small_scenario("duration: 5s\nsampleEvery: 6s"),
       {":3: sampleEvery: 6s is longer than duration, 5s"}},
      {small_scenario("duration: 2h\nsampleEvery: 1ms"),
       {":3: sampleEvery: 1ms in a duration of 2h makes 7200000 samples, at most 100000 are "
        "possible"}},
      {"services: [{name: a, replicas: 1000, targetReady: 1}]\nduration: 2h\n",
       {": sampleEvery: 1s makes 7200 samples of each of 1000 processes, at most 5000000 in all "
        "are possible; take them less often"}},
      {one_service("startDelay: 20m"),
       {":3: services[0].startDelay: 20m is not before the end of the run, 20m"}},
      {one_service("replicas: 5\nstagger: 5m"),
       {":4: services[0].stagger: 5m between 5 replicas starts the last one after the end of the "
        "run, 20m"}},
      {one_service("startDelay: 10m\nworkload: {enabled: true, maxInUse: 1, startAfter: 10m}"),
       {":4: services[0].workload.startAfter: 10m after the service's start is not before the end "
        "of the run, 20m"}},
      {one_service("workload: {enabled: true, maxInUse: 1, spawnEvery: 1us}"),
       {":3: services[0].workload: callers would come 1200000000 times, at most 1000000000 are "
        "possible; let fewer come, or for a shorter duration"}},
  });
  EXPECT_THAT(read_scenario(one_service("replicas: 5\nstagger: 299s"), "f.yaml").problems,
              IsEmpty());
}

TEST(ScenarioChecksTest, Latencies) {
  expect_refused({
      {small_scenario("database: {connectTime: 5ms, connectTimeSpread: 6ms}"),
       {":2: database.connectTimeSpread: 6ms is more than database.connectTime itself, 5ms; times "
        "below zero do not exist"}},
      {small_scenario("database: {connectTime: 5ms, connectTimeSlowest: 6ms}"),
       {":2: database.connectTimeSlowest: 6ms is less than what is usual, 5ms + 2500us"}},
      {small_scenario("coordination: {latencySpread: 1ms}"),
       {":2: coordination.latencySpread: 1ms is more than coordination.latency itself, 0s; times "
        "below zero do not exist"}},
      {small_scenario("coordination: {leaseTtl: 5s}"),
       {":2: coordination.requestTimeout: 5s is not shorter than leaseTtl, 5s: a lease could end "
        "while it is renewed"}},
      {small_scenario("coordination: {latency: 1s, latencySpread: 500ms, requestTimeout: 1s500ms}"),
       {":2: coordination.requestTimeout: 1500ms is not longer than a request may take, 1500ms: "
        "what is answered would count as failed"}},
      {small_scenario("coordination: {leaseTtl: 20s, fenceBefore: 11s}"),
       {":2: coordination.fenceBefore: 11s is more than half of leaseTtl, 20s: no renewal would "
        "ever be in time"}},
      {small_scenario("coordination: {stagger: 30s}"),
       {":2: coordination.stagger: 30s is not shorter than 30s, the longest wait for a permit: the "
        "first connects would fail"}},
  });
}

TEST(ScenarioChecksTest, SlowStatements) {
  expect_refused({
      {one_service("workload: {enabled: true, maxInUse: 1, slowTime: 9s}"),
       {":3: services[0].workload.slowTime: means nothing without slowFraction; leave it "
        "out"}},
      {one_service("workload: {enabled: true, maxInUse: 1, slowFraction: 0.1}") +
           "maxConnections: 100\ncoordination: {onLeaseLoss: fence, leaseTtl: 1m}\n",
       {":3: services[0].workload.holdTime: callers may hold a connection for 6s; with "
        "onLeaseLoss: "
        "fence and a leaseTtl of 1m they must give back within 5s"}},
      {one_service("workload: {enabled: true, maxInUse: 1, slowFraction: 0.1}") +
           "maxConnections: 100\ndatabase: {missesClientAfter: 8s}\n"
           "coordination: {onLeaseLoss: fence, leaseTtl: 1m, fenceBefore: 15s}",
       {":5: database.missesClientAfter: with onLeaseLoss: fence and a leaseTtl of 1m the database "
        "must miss a client within 7500ms, or sessions would outlive their leases"}},
  });
}

TEST(ScenarioChecksTest, AWindowNeedsABurstOfTwoSeconds) {
  expect_refused({
      {small_scenario("limiterPerSec: 10\nlimiterBurst: 19\ncoordination: {rateMode: window}"),
       {":4: coordination.rateMode: with window, the connects of two seconds may come together; "
        "limiterBurst must be at least 20, twice limiterPerSec, not 19"}},
  });
  EXPECT_THAT(read_scenario(small_scenario("limiterPerSec: 10\nlimiterBurst: 20\n"
                                           "coordination: {rateMode: window}"),
                            "f.yaml")
                  .problems,
              IsEmpty());
}

TEST(ScenarioChecksTest, Faults) {
  expect_refused({
      {small_scenario("faults: [{at: 5m}]"),
       {":2: faults[0]: kind is missing; it says what happens, like kind: crash"}},
      {small_scenario("faults: [{kind: cold_start}]"),
       {":2: faults[0].kind: cold_start is no fault, every run starts cold; leave it out"}},
      {small_scenario("faults:\n- kind: mass_drop\n  length: 5m\n"),
       {":4: faults[0].length: means nothing to mass_drop, which has at, fraction"}},
      {small_scenario("faults: [{kind: clock_skew}]"),
       {":2: faults[0]: skew is missing; it says how far the clocks are off, like skew: 90s or "
        "skew: -2m"}},
      {small_scenario("faults: [{kind: crash, at: 20m}]"),
       {":2: faults[0].at: it would happen at 20m, but the run ends at 20m"}},
      {small_scenario("faults: [{kind: crash, at: 19m, length: 2m}]"),
       {":2: faults[0].length: it would end at 21m, but the run ends at 20m; leave length out if "
        "it is to last to the end"}},
      {small_scenario("faults: [{kind: deploy, at: 19m, overlap: 2m}]"),
       {":2: faults[0].overlap: the old processes would go at 21m, but the run ends at 20m"}},
      {small_scenario("duration: 5m\nscenario: {kind: mass_drop}"),
       {":3: scenario.dropAt: it would happen at 5m, but the run ends at 5m"}},
      {small_scenario("duration: 5m\nscenario: {kind: rolling_restart}"),
       {":3: scenario: it would happen at 5m, but the run ends at 5m"}},
      {"services: [{name: history, replicas: 2}, {name: worker}]\n"
       "faults:\n- {kind: crash, services: [history, histroy-2, nobody]}\n",
       {":3: faults[0].services[1]: there is no service \"histroy-2\"; did you mean history-2?",
        ":3: faults[0].services[2]: there is no service \"nobody\"; known here: history, "
        "history-1, history-2, worker"}},
      {small_scenario("faults: [{kind: crash, services: api}]"),
       {":2: faults[0].services: \"api\" stands where a list is expected"}},
      {small_scenario("faults: [{kind: tenant_storm}]"),
       {":2: faults[0]: none of its services has callers and any tenants; give one tenants"}},
      {small_scenario("scenario: {kind: crash}"),
       {":2: scenario.kind: \"crash\" is unknown; known here: cold_start, rolling_restart, "
        "mass_drop"}},
  });
}

TEST(ScenarioChecksTest, Proxies) {
  expect_refused({
      {"services: [{name: a, max: 9, targetReady: 1, proxy: {pooling: session}}]",
       {":1: services[0].proxy: clients is missing; it says how many clients each process has, "
        "like clients: 20"}},
      {"services: [{name: a, targetReady: 1, proxy: {clients: 1}}]",
       {":1: services[0]: max is missing; a proxy needs it, like max: 10"}},
      {"services: [{name: a, max: 9, targetReady: 1, loops: 2, proxy: {clients: 1}}]",
       {":1: services[0].loops: means nothing to a proxy, which has clients on one loop; leave it "
        "out"}},
      {"services: [{name: a, max: 9, targetReady: 1, proxy: {clients: 1, work: anything, stay: "
       "2}}]",
       {":1: services[0].proxy.stay: means nothing to work: anything, where each client has its "
        "own; leave it out"}},
      {"services: [{name: a, max: 9, targetReady: 1, proxy: {clients: 1, cancels: 0.5}}]",
       {":1: services[0].proxy.cancels: means nothing to work: transactions, which nobody cancels; "
        "leave it out"}},
      {small_scenario("streams: {delay: 1ms}"),
       {":2: streams: mean nothing without a service that has proxy; leave them out"}},
      {small_scenario("faults: [{kind: broken_streams}]"),
       {":2: faults[0]: none of the services it is about has proxy; only clients of proxies have "
        "streams that can break"}},
      {small_scenario("faults: [{kind: server_stall}]"),
       {":2: faults[0]: length is missing; it says how long the server is away, like length: 2s"}},
      {"services: [{name: a, max: 9, targetReady: 1, proxy: {clients: 1}}]\nmaxConnections: 9\n"
       "coordination: {onLeaseLoss: fence}\n",
       {":3: coordination.onLeaseLoss: fence cannot be kept by a proxy, \"a\", whose clients may "
        "keep a server as long as they like; write keep"}},
  });
}

TEST(ScenarioChecksTest, TooManyFaults) {
  std::string text = small_scenario("faults:\n");
  for (int i = 0; i < 101; ++i) text += "- kind: mass_drop\n";

  expect_refused({{text, {":2: faults: there are 101 of them, at most 100 are possible"}}});
}

TEST(ScenarioChecksTest, Assertions) {
  expect_refused({
      {small_scenario("assertConvergeWithin: 21m"),
       {":2: assertConvergeWithin: 21m is longer than the run, 20m"}},
      {small_scenario("assertStableFor: 21m"),
       {":2: assertStableFor: 21m is longer than the run, 20m"}},
      {small_scenario("assertRecoverWithin: 1m"),
       {":2: assertRecoverWithin: there is no fault to recover from"}},
      {small_scenario("assertRecoverWithin: 1m\nfaults: [{kind: mass_drop, at: 19m1s}]"),
       {":2: assertRecoverWithin: 1m after the end of faults[0] is 1201s, but the run ends at "
        "20m"}},
      {"services: [{name: a, replicas: 16}]\nassertRecoverWithin: 1m\n"
       "scenario: {kind: rolling_restart}\n",
       {":2: assertRecoverWithin: 1m after the end of scenario is 21m, but the run ends at 20m"}},
      {small_scenario("assertLeasesExactWithin: 1m"),
       {":2: assertLeasesExactWithin: without maxConnections no leases are taken; give it"}},
      {small_scenario("assertLeasesExactWithin: 1m\nmaxConnections: 100\n"
                      "coordination: {enabled: false}"),
       {":2: assertLeasesExactWithin: with coordination.enabled: false no leases are taken"}},
      {small_scenario("assertAcquireWait: {p99: 5ms}"),
       {":2: assertAcquireWait: there are no callers who could wait; enable a workload"}},
  });
  EXPECT_THAT(read_scenario(small_scenario("duration: 10s"), "f.yaml").problems, IsEmpty())
      << "the default of assertConvergeWithin is longer, and nobody wrote it";
}

}  // namespace
}  // namespace forebay::sim
