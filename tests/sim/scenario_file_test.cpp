// Scenario files that can be read, and what they mean.
#include "forebay/sim/scenario/scenario_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/scenario_texts.hpp"

namespace forebay::sim {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

Scenario accepted(const std::string& text) {
  const ScenarioReading reading = read_scenario(text, "folder/test.yaml");
  EXPECT_THAT(reading.problems, IsEmpty()) << text;
  return reading.scenario;
}

TEST(ScenarioFileTest, WhatIsNotGivenIsTheDefault) {
  Scenario expected;
  expected.name = "test";
  expected.services.emplace_back().name = "api";

  EXPECT_EQ(accepted("services:\n- name: api\n"), expected);

  EXPECT_EQ(expected.seed, 42u);
  EXPECT_EQ(expected.endpoint, "cluster.dsql.eu-west-1.on.aws");
  EXPECT_EQ(expected.duration, 20min);
  EXPECT_EQ(expected.database.connects_per_second, 100);
  EXPECT_EQ(expected.assertions.converge_within, 60s);
  EXPECT_EQ(expected.assertions.max_closures_per_sec, std::nullopt);
  EXPECT_EQ(expected.services[0].target_ready, 50);
}

TEST(ScenarioFileTest, EveryTopKeyIsRead) {
  const Scenario read = accepted(R"(
description: all of it
seed: 18446744073709551615
endpoint: db.example
duration: 1h30m
sampleEvery: 2s
limiterPerSec: 12.5
limiterBurst: 7
maxConnections: 9000
assertMaxConnectsPerSec: 20
assertConvergeWithin: 1m30s
assertStableFor: 0
assertMaxClosurePerSec: 0
assertZeroEmptyEvents: true
assertMaxConnections: 8999
assertAcquireWait: {p50: 1ms, p90: 2ms, p99: 3ms, p999: 4ms, max: 5ms}
assertRecoverWithin: 10s
assertLeasesExactWithin: 20s
assertMaxTimeouts: 3
services: [{name: api, workload: {enabled: true, maxInUse: 1}}]
faults: [{kind: mass_drop}]
)");

  Scenario expected;
  expected.name = "test";
  expected.description = "all of it";
  expected.seed = 18446744073709551615u;
  expected.endpoint = "db.example";
  expected.duration = 90min;
  expected.sample_every = 2s;
  expected.database.connects_per_second = 12.5;
  expected.database.connect_burst = 7;
  expected.database.max_connections = 9000;
  Assertions& assertions = expected.assertions;
  assertions.max_connects_per_sec = 20;
  assertions.converge_within = 90s;
  assertions.stable_for = 0s;
  assertions.max_closures_per_sec = 0;
  assertions.zero_empty_events = true;
  assertions.max_connections = 8999;
  assertions.waits = {{50, 1ms}, {90, 2ms}, {99, 3ms}, {99.9, 4ms}, {100, 5ms}};
  assertions.recover_within = 10s;
  assertions.leases_exact_within = 20s;
  assertions.max_timeouts = 3;
  expected.services.emplace_back().name = "api";
  expected.services[0].workload.is_enabled = true;
  expected.services[0].workload.max_in_use = 1;
  expected.faults.emplace_back().kind = FaultKind::mass_drop;
  EXPECT_EQ(read, expected);
}

TEST(ScenarioFileTest, EveryKeyOfAServiceIsRead) {
  const Scenario read = accepted(R"(
services:
  - {name: a, targetReady: 10, guardWindow: 0, baseLifetime: 5m, jitter: 0, startDelay: 1s,
     replicas: 2, loops: 3, stagger: 2s, max: 20, supply: reservoir, takeOrder: oldest,
     lowWatermark: 3, idleTimeout: 1m, checkAfterIdle: 10s, maxOpening: 4}
  - {name: b, supply: standard, minIdle: 1, keepOpen: 2, idleTimeout: off,
     tenants: {count: 5, maxConnections: 40, perTenant: 4, skew: 1.5, stint: 50ms},
     checkAfterIdle: off, workload: {enabled: true, arrivalsPerSecond: 1.5, holdTime: 1ms,
     holdJitter: 2ms, maxWait: 3s, startAfter: 4s, discardFraction: 0.5, slowFraction: 0.1,
     slowTime: 9s, statementTimeout: off}}
  - {name: c, workload: {enabled: no, maxInUse: 6, spawnEvery: 7ms, arrivalBurst: 8}}
)");

  ServiceSpec a;
  a.name = "a";
  a.target_ready = 10;
  a.guard_window = 0s;
  a.base_lifetime = 5min;
  a.jitter = 0s;
  a.start_delay = 1s;
  a.replicas = 2;
  a.loops = 3;
  a.stagger = 2s;
  a.max = 20;
  a.take_order = TakeOrder::oldest_first;
  a.low_watermark = 3;
  a.idle_timeout = 1min;
  a.check_after_idle = 10s;
  a.max_opening = 4;
  ServiceSpec b;
  b.name = "b";
  b.supply = Supply::standard;
  b.min_idle = 1;
  b.keep_open = 2;
  b.tenants.count = 5;
  b.tenants.max_connections = 40;
  b.tenants.per_tenant = 4;
  b.tenants.skew = 1.5;
  b.tenants.stint = 50ms;
  b.idle_timeout = Duration::max();
  b.check_after_idle = Duration::max();
  b.workload.is_enabled = true;
  b.workload.arrivals_per_second = 1.5;
  b.workload.hold_time = 1ms;
  b.workload.hold_jitter = 2ms;
  b.workload.max_wait = 3s;
  b.workload.start_after = 4s;
  b.workload.discard_fraction = 0.5;
  b.workload.slow_fraction = 0.1;
  b.workload.slow_time = 9s;
  b.workload.statement_timeout = Duration::max();
  ServiceSpec c;
  c.name = "c";
  c.workload.max_in_use = 6;
  c.workload.spawn_every = 7ms;
  c.workload.arrival_burst = 8;
  EXPECT_EQ(read.services, (std::vector{a, b, c}));
}

TEST(ScenarioFileTest, EveryKeyOfProxiesAndStreamsIsRead) {
  const Scenario read = accepted(R"(
streams: {delay: 3ms, delaySpread: 1ms, choppy: true, buffer: 512}
services:
  - {name: a, max: 4, targetReady: 2, proxy: {clients: 7, pooling: session, onSessionState: refuse,
     mostStatements: 3, queryWait: 1s, queryLimit: 2s, idleLimit: 3s, readLimit: off, statements: 4,
     statementTime: 5ms, thinkTime: 6ms, stay: 8, until: 5m, hangUps: 0.1}}
  - {name: b, max: 4, targetReady: 2, proxy: {clients: 1, work: anything, cancels: 0.5}}
)");

  StreamsSpec streams;
  streams.delay = 3ms;
  streams.spread = 1ms;
  streams.is_choppy = true;
  streams.buffer = 512;
  EXPECT_EQ(read.streams, streams);
  ProxySpec a;
  a.clients = 7;
  a.pooling = proxy::Pooling::session;
  a.on_session_state = proxy::OnSessionState::refuse;
  a.most_statements = 3;
  a.query_wait = 1s;
  a.query_limit = 2s;
  a.idle_limit = 3s;
  a.read_limit = Duration::max();
  a.statements = 4;
  a.statement_time = 5ms;
  a.think_time = 6ms;
  a.stay = 8;
  a.until = 5min;
  a.hang_ups = 0.1;
  EXPECT_EQ(read.services[0].proxy, a);
  ProxySpec b;
  b.clients = 1;
  b.work = ClientWork::anything;
  b.cancels = 0.5;
  EXPECT_EQ(read.services[1].proxy, b);
}

TEST(ScenarioFileTest, EveryKeyOfTheDatabaseAndOfCoordinationIsRead) {
  const Scenario read = accepted(small_scenario(R"(
database: {cutAfter: 30m, connectTime: 10ms, connectTimeSpread: 1ms, connectTimeSlowest: 50ms,
  answerTime: 4ms, answerTimeSpread: 3ms, connectFailures: 0.1, conflicts: 0.2,
  missesClientAfter: off, heedsCancels: false}
coordination: {enabled: false, latency: 5ms, latencySpread: 2ms, lostReplies: 0.1, throttled: 0.2,
  leaseTtl: 1m, requestTimeout: 2s, onLeaseLoss: fence, onAbsence: local, store: dynamodb,
  rateMode: window, fenceBefore: 15s, stagger: 3s}
)"));

  DatabaseSpec database;
  database.cut_after = 30min;
  database.connect = {10ms, 1ms, 50ms};
  database.answer = {4ms, 3ms, {}};
  database.connect_failures = 0.1;
  database.conflicts = 0.2;
  database.misses_client_after = Duration::max();
  database.heeds_cancels = false;
  EXPECT_EQ(read.database, database);
  CoordinationSpec coordination;
  coordination.is_enabled = false;
  coordination.latency = {5ms, 2ms, {}};
  coordination.lost_replies = 0.1;
  coordination.throttled = 0.2;
  coordination.lease_ttl = 1min;
  coordination.request_timeout = 2s;
  coordination.on_lease_loss = LeaseLoss::fence;
  coordination.on_absence = StoreAbsence::local;
  coordination.store = StoreKind::dynamodb;
  coordination.rate_mode = RateMode::window;
  coordination.fence_before = 15s;
  coordination.stagger = 3s;
  EXPECT_EQ(read.coordination, coordination);
}

TEST(ScenarioFileTest, SpreadsFollowTheTimesTheyBelongTo) {
  const Scenario read =
      accepted(small_scenario("database: {connectTimeSpread: 9ms, connectTime: 10ms, "
                              "answerTime: 8ms, cutAfter: off}\n"));

  EXPECT_EQ(read.database.connect, (Latency{10ms, 9ms, 40ms}));
  EXPECT_EQ(read.database.answer, (Latency{8ms, 4ms, {}}));
  EXPECT_EQ(read.database.cut_after, Duration::max());
}

TEST(ScenarioFileTest, EveryKindOfFaultIsRead) {
  const Scenario read = accepted(R"(
services:
  - {name: api, replicas: 2, supply: standard, tenants: {count: 7},
     workload: {enabled: true, maxInUse: 1}}
  - {name: b}
faults:
  - {kind: rolling_restart, at: 1m, every: 2s, services: [api]}
  - {kind: mass_drop, at: 0, fraction: 1}
  - {kind: crash, at: 2m, length: 3s, services: [api-2]}
  - {kind: store_outage, length: 4s}
  - {kind: partition, services: [api, b], cuts: both}
  - {kind: partition, cuts: database}
  - {kind: clock_skew, skew: -5s}
  - {kind: slow_connect, factor: 6.5}
  - {kind: connect_errors, fraction: 0.7}
  - {kind: deploy, overlap: 8s}
  - {kind: tenant_storm, factor: 9, tenants: 7}
  - {kind: freeze, length: 7s, services: [b]}
)");

  std::vector<FaultSpec> faults(12);
  faults[0].kind = FaultKind::rolling_restart;
  faults[0].at = 1min;
  faults[0].every = 2s;
  faults[0].services = {"api"};
  faults[1].kind = FaultKind::mass_drop;
  faults[1].at = 0s;
  faults[1].fraction = 1;
  faults[2].kind = FaultKind::crash;
  faults[2].at = 2min;
  faults[2].length = 3s;
  faults[2].services = {"api-2"};
  faults[3].kind = FaultKind::store_outage;
  faults[3].length = 4s;
  faults[4].kind = FaultKind::partition;
  faults[4].services = {"api", "b"};
  faults[4].cuts_database = true;
  faults[5].kind = FaultKind::partition;
  faults[5].cuts_store = false;
  faults[5].cuts_database = true;
  faults[6].kind = FaultKind::clock_skew;
  faults[6].skew = -5s;
  faults[7].kind = FaultKind::slow_connect;
  faults[7].factor = 6.5;
  faults[8].kind = FaultKind::connect_errors;
  faults[8].fraction = 0.7;
  faults[9].kind = FaultKind::deploy;
  faults[9].overlap = 8s;
  faults[10].kind = FaultKind::tenant_storm;
  faults[10].factor = 9;
  faults[10].tenants = 7;
  faults[11].kind = FaultKind::freeze;
  faults[11].length = 7s;
  faults[11].services = {"b"};
  EXPECT_EQ(read.faults, faults);
}

TEST(ScenarioFileTest, TheScenarioOfPoolsimIsTheFirstFault) {
  FaultSpec drop;
  drop.kind = FaultKind::mass_drop;
  FaultSpec restart;
  restart.kind = FaultKind::rolling_restart;
  FaultSpec crash;
  crash.kind = FaultKind::crash;

  EXPECT_THAT(accepted(small_scenario("scenario: {kind: cold_start}")).faults, IsEmpty());
  EXPECT_THAT(accepted(small_scenario("scenario: {}")).faults, IsEmpty());
  EXPECT_THAT(accepted(small_scenario("scenario: {kind: mass_drop}")).faults, ElementsAre(drop));
  EXPECT_THAT(accepted(small_scenario("scenario: {kind: rolling_restart, dropAt: 1m}")).faults,
              ElementsAre(restart));
  EXPECT_THAT(
      accepted(small_scenario("faults: [{kind: crash}]\nscenario: {kind: mass_drop}")).faults,
      ElementsAre(drop, crash));
  drop.at = 2min;
  drop.fraction = 0.5;
  EXPECT_THAT(
      accepted(small_scenario("scenario: {kind: mass_drop, dropAt: 2m, dropFraction: 0.5}")).faults,
      ElementsAre(drop));
  restart.every = 90s;
  EXPECT_THAT(
      accepted(small_scenario("scenario: {kind: rolling_restart, rollEvery: 1m30s}")).faults,
      ElementsAre(restart));
}

TEST(ScenarioFileTest, ConvergenceNeedNotBeExpected) {
  EXPECT_EQ(accepted(small_scenario("assertConvergeWithin: off")).assertions.converge_within,
            std::nullopt);
}

TEST(ScenarioFileTest, TheDescriptionIsTheFirstParagraphOfTheLeadingComment) {
  const std::string rest = small_scenario("");
  EXPECT_EQ(accepted("# One\n# two\n#\n# three\n" + rest).description, "One two");
  EXPECT_EQ(accepted("#\n#   One  \r\n## two\n\n# three\n" + rest).description, "One two");
  EXPECT_EQ(accepted("\xef\xbb\xbf# One\n" + rest).description, "One");
  EXPECT_EQ(accepted(rest + "# One\n").description, "");
  EXPECT_EQ(accepted("# One\n" + rest + "description: two\n").description, "two");
}

TEST(ScenarioFileTest, JsonIsReadToo) {
  const Scenario read = accepted(R"({
    "duration": "5m",
    "assertZeroEmptyEvents": true,
    "assertConvergeWithin": "off",
    "services": [
      {"name": "api", "targetReady": 10, "workload": {"enabled": true, "maxInUse": 3}}
    ],
    "faults": [{"kind": "crash", "at": "1m", "length": "10s", "services": ["api"]}]
  })");

  EXPECT_EQ(read.duration, 5min);
  EXPECT_TRUE(read.assertions.zero_empty_events);
  EXPECT_EQ(read.services[0].target_ready, 10);
  EXPECT_EQ(read.services[0].workload.max_in_use, 3);
  EXPECT_EQ(read.faults[0].length, 10s);
}

TEST(ScenarioFileTest, AnAliasSavesWriting) {
  const Scenario read = accepted(
      "services:\n"
      "  - {name: a, workload: &callers {enabled: true, maxInUse: 3}}\n"
      "  - {name: b, workload: *callers}\n");

  EXPECT_EQ(read.services[0].workload, read.services[1].workload);
}

TEST(ScenarioFileTest, AFileOnDiskIsCalledByItsName) {
  const ScenarioReading reading =
      read_scenario_file(source_folder() / "scenarios" / "ecs-150wps.yaml");

  EXPECT_THAT(reading.problems, IsEmpty());
  EXPECT_EQ(reading.scenario.name, "ecs-150wps");
}

}  // namespace
}  // namespace forebay::sim
