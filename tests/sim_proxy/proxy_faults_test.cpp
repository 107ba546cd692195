// Each kind of fault befalls two proxies under leases: no promise is broken, clients notice what
// they must, and at the end everybody is served again.
#include <gtest/gtest.h>

#include "forebay/sim/run.hpp"
#include "sim_proxy/told_run.hpp"

namespace forebay::sim {
namespace {

using namespace std::chrono_literals;

Scenario two_proxies() {
  Scenario scenario;
  scenario.name = "faults";
  scenario.duration = 45s;
  scenario.sample_every = 500ms;
  scenario.healing = 15s;
  scenario.assertions.converge_within.reset();
  scenario.database.connects_per_second = 20;
  scenario.database.connect_burst = 5;
  scenario.database.max_connections = 7;
  scenario.coordination.stagger = 100ms;
  scenario.coordination.lease_ttl = 8s;
  scenario.coordination.request_timeout = 1s;
  ServiceSpec& service = scenario.services.emplace_back();
  service.name = "proxy";
  service.replicas = 2;
  service.target_ready = 2;
  service.max = 4;
  service.base_lifetime = 20s;
  service.jitter = 4s;
  service.guard_window = 2s;
  service.proxy.clients = 3;
  service.proxy.statements = 2;
  service.proxy.think_time = 600ms;
  service.proxy.query_wait = 2s;
  return scenario;
}

FaultSpec fault(FaultKind kind) {
  FaultSpec fault;
  fault.kind = kind;
  fault.at = 10s;
  fault.length = 5s;
  fault.overlap = 2s;
  fault.skew = 300ms;
  fault.every = 20s;
  return fault;
}

class ProxyFaultTest : public testing::TestWithParam<FaultKind> {};

TEST_P(ProxyFaultTest, BreaksNoPromise) {
  Scenario scenario = two_proxies();
  scenario.faults.push_back(fault(GetParam()));

  const RunResult result = run(scenario);

  EXPECT_EQ(broken(result), "");
  EXPECT_GT(figures(result).units, 600u);
  EXPECT_EQ(result.most_sessions, std::min(result.most_sessions, 7));
  int up = 0;
  for (const ServiceResult& process : result.services)
    if (process.end == ProcessEnd::up) up += process.open_at_end > 0 ? 1 : 0;
  EXPECT_EQ(up, 2);
}

std::string kind_name(const testing::TestParamInfo<FaultKind>& test) {
  return std::string(name(test.param));
}

INSTANTIATE_TEST_SUITE_P(Kinds, ProxyFaultTest,
                         testing::Values(FaultKind::rolling_restart, FaultKind::mass_drop,
                                         FaultKind::crash, FaultKind::store_outage,
                                         FaultKind::clock_skew, FaultKind::slow_connect,
                                         FaultKind::connect_errors, FaultKind::deploy,
                                         FaultKind::freeze, FaultKind::server_restart,
                                         FaultKind::server_stall, FaultKind::broken_streams),
                         kind_name);

// The proxy's way to the server, to the store, or both.
TEST(ProxyPartitionTest, WhatIsCutOffComesBack) {
  for (const bool cuts_store : {false, true}) {
    Scenario scenario = two_proxies();
    FaultSpec cut = fault(FaultKind::partition);
    cut.services = {"proxy-1"};
    cut.cuts_database = true;
    cut.cuts_store = cuts_store;
    scenario.faults.push_back(cut);

    const RunResult result = run(scenario);

    EXPECT_EQ(broken(result), "");
    EXPECT_GT(figures(result).lost + figures(result).unserved, 0u);
    EXPECT_GT(result.services.front().open_at_end, 0);
    EXPECT_GT(figures(result).units, 600u);
  }
}

// Nothing that a fault leaves alone costs a client its session.
TEST(ProxyPartitionTest, WithoutTheStoreClientsNoticeNothing) {
  Scenario scenario = two_proxies();
  FaultSpec cut = fault(FaultKind::partition);
  scenario.faults.push_back(cut);

  const RunResult result = run(scenario);

  EXPECT_EQ(broken(result), "");
  EXPECT_EQ(figures(result).lost, 0u);
  EXPECT_EQ(result.callers().failed, 0u);
}

}  // namespace
}  // namespace forebay::sim
