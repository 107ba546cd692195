// What follows from a scenario: its processes, whom a fault is about, and the pools.
#include "forebay/sim/scenario/scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/sim/scenario/service_pool.hpp"

namespace forebay::sim {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

ServiceSpec service(std::string name, int replicas) {
  ServiceSpec service;
  service.name = std::move(name);
  service.replicas = replicas;
  return service;
}

std::vector<std::string> names(const std::vector<ServiceSpec>& services) {
  std::vector<std::string> names;
  for (const ServiceSpec& service : services) names.push_back(service.name);
  return names;
}

TEST(ScenarioTest, ReplicasAreNumberedAndStartOneAfterTheOther) {
  Scenario scenario;
  scenario.services = {service("history", 3), service("worker", 1)};
  scenario.services[0].start_delay = 1s;
  scenario.services[0].stagger = 50ms;

  const std::vector<ServiceSpec> all = processes(scenario);

  ASSERT_THAT(names(all), ElementsAre("history-1", "history-2", "history-3", "worker"));
  EXPECT_EQ(all[0].start_delay, 1s);
  EXPECT_EQ(all[1].start_delay, 1050ms);
  EXPECT_EQ(all[2].start_delay, 1100ms);
  EXPECT_EQ(all[2].replicas, 1);
  EXPECT_EQ(all[2].stagger, 0s);
}

TEST(ScenarioTest, NumbersHaveAsManyDigitsAsTheLast) {
  Scenario scenario;
  scenario.services = {service("a", 9), service("b", 10), service("c", 100)};

  const std::vector<std::string> all = names(processes(scenario));

  EXPECT_EQ(all[0], "a-1");
  EXPECT_EQ(all[8], "a-9");
  EXPECT_EQ(all[9], "b-01");
  EXPECT_EQ(all[18], "b-10");
  EXPECT_EQ(all[19], "c-001");
}

TEST(ScenarioTest, AFaultIsAboutServicesProcessesOrAll) {
  Scenario scenario;
  scenario.services = {service("history", 3), service("worker", 1), service("api", 2)};
  FaultSpec fault;

  EXPECT_THAT(affected_processes(scenario, fault), ElementsAre(0, 1, 2, 3, 4, 5));
  fault.services = {"api", "history-2"};
  EXPECT_THAT(affected_processes(scenario, fault), ElementsAre(1, 4, 5));
  fault.services = {"worker"};
  EXPECT_THAT(affected_processes(scenario, fault), ElementsAre(3));
}

TEST(ScenarioTest, EveryKindOfFaultHasAName) {
  EXPECT_EQ(name(FaultKind::cold_start), "cold_start");
  EXPECT_EQ(name(FaultKind::crash), "crash");
  EXPECT_EQ(name(FaultKind::clock_skew), "clock_skew");
  EXPECT_EQ(name(FaultKind::tenant_storm), "tenant_storm");
  EXPECT_EQ(name(FaultKind::broken_streams), "broken_streams");
  EXPECT_EQ(static_cast<std::size_t>(FaultKind::broken_streams), kFaultKinds - 1);
}

// What a scenario does not say is as production has it.
TEST(ServicePoolTest, TheClustersDefaultsAreTheLibrarys) {
  Scenario scenario;
  scenario.coordination.lease_ttl = 1min;
  ClusterOptions expected;
  expected.ttl = 1min;

  const ClusterOptions options = cluster_options(scenario);

  EXPECT_EQ(fence_before(options), fence_before(expected));
  EXPECT_EQ(fence_before(options), 10s);
  EXPECT_EQ(options.stagger, expected.stagger);
  EXPECT_EQ(options.max_wait, expected.max_wait);
  EXPECT_EQ(options.request_timeout, expected.request_timeout);
  EXPECT_EQ(options.on_loss, expected.on_loss);
  EXPECT_EQ(options.on_absence, expected.on_absence);
  EXPECT_EQ(options.connects_per_second, expected.connects_per_second);
  EXPECT_EQ(options.limit, expected.limit);
}

TEST(ServicePoolTest, TheClusterTakesWhatTheScenarioSays) {
  Scenario scenario;
  scenario.database.max_connections = 70;
  scenario.database.connects_per_second = 7;
  scenario.database.connect_burst = 17;
  scenario.database.misses_client_after = 9s;
  scenario.coordination.fence_before = 20s;
  scenario.coordination.stagger = 0s;
  scenario.coordination.rate_mode = RateMode::window;

  const ClusterOptions options = cluster_options(scenario);

  EXPECT_EQ(options.limit, 70);
  EXPECT_EQ(rate_limits(options).connects_per_second, 7);
  EXPECT_EQ(rate_limits(options).burst, 17);
  EXPECT_EQ(rate_limits(options).mode, RateMode::window);
  EXPECT_EQ(session_linger(options), 9s);
  EXPECT_EQ(fence_before(options), 20s);
  EXPECT_EQ(options.stagger, 0s);
}

TEST(ServicePoolTest, AReservoirTakesWhatTheServiceSays) {
  ServiceSpec spec = service("api", 1);
  spec.target_ready = 40;
  spec.low_watermark = 10;
  spec.max = 44;
  spec.guard_window = 30s;
  spec.base_lifetime = 9min;
  spec.jitter = 1min;
  spec.idle_timeout = 7min;
  spec.check_after_idle = 20s;
  spec.max_opening = 8;
  spec.take_order = TakeOrder::oldest_first;

  const PoolOptions options = pool_options(spec, DatabaseSpec());

  EXPECT_EQ(options.name, "api");
  EXPECT_EQ(options.supply, Supply::reservoir);
  EXPECT_EQ(options.size.max, 44);
  EXPECT_EQ(options.size.target_ready, 40);
  EXPECT_EQ(options.size.low_watermark, 10);
  EXPECT_EQ(options.guard_window, 30s);
  EXPECT_EQ(options.lifetime, 9min);
  EXPECT_EQ(options.lifetime_jitter, 1min);
  EXPECT_EQ(options.server_limit, 60min);
  EXPECT_EQ(options.longest_transaction, 5min);
  EXPECT_EQ(options.idle_timeout, 7min);
  EXPECT_EQ(options.check_after_idle, 20s);
  EXPECT_EQ(options.max_opening, 8);
  EXPECT_EQ(options.take_order, TakeOrder::oldest_first);
  EXPECT_EQ(options.connect_rate, 0);
  EXPECT_THAT(problems(options), IsEmpty());
}

TEST(ServicePoolTest, WithoutAMaxThereIsATenthMoreThanReadyAndInUse) {
  ServiceSpec spec = service("api", 1);
  spec.target_ready = 50;
  EXPECT_EQ(pool_options(spec, {}).size.max, 55);
  spec.target_ready = 1;
  EXPECT_EQ(pool_options(spec, {}).size.max, 2);
  spec.target_ready = 50;
  spec.workload.max_in_use = 31;
  EXPECT_EQ(pool_options(spec, {}).size.max, 55) << "the callers are not enabled";
  spec.workload.is_enabled = true;
  EXPECT_EQ(pool_options(spec, {}).size.max, 90);
  // 300 a second who hold for 30 ms on average are 9 at once.
  spec.workload.arrivals_per_second = 300;
  spec.workload.hold_time = 20ms;
  spec.workload.hold_jitter = 20ms;
  EXPECT_EQ(pool_options(spec, {}).size.max, 65);
}

TEST(ServicePoolTest, AStandardPoolHasNoTarget) {
  ServiceSpec spec = service("api", 1);
  spec.supply = Supply::standard;
  spec.keep_open = 20;
  spec.min_idle = 5;

  const PoolOptions options = pool_options(spec, DatabaseSpec());

  EXPECT_EQ(options.size.target_ready, std::nullopt);
  EXPECT_EQ(options.size.keep_open, 20);
  EXPECT_EQ(options.size.min_idle, 5);
  EXPECT_EQ(options.size.max, 22);
  EXPECT_THAT(problems(options), IsEmpty());
}

TEST(ServicePoolTest, TheLongestTransactionIsAPartOfTheSession) {
  DatabaseSpec database;
  EXPECT_EQ(longest_transaction(database), 5min);
  database.cut_after = 2h;
  EXPECT_EQ(longest_transaction(database), 5min);
  database.cut_after = 6min;
  EXPECT_EQ(longest_transaction(database), 30s);
  database.cut_after = Duration::max();
  EXPECT_EQ(longest_transaction(database), 5min);
  EXPECT_THAT(problems(pool_options(service("api", 1), database)), IsEmpty());
}

}  // namespace
}  // namespace forebay::sim
