// Processes that stand still, statements that outlive their callers, and networks that swallow
// everything: what they do to a small world, and what they must not do.
#include <list>
#include <memory>

#include <gtest/gtest.h>

#include "forebay/sim/run.hpp"
#include "forebay/sim/tampering.hpp"

namespace forebay::sim {
namespace {

using namespace std::chrono_literals;

// Two processes that want more than there is.
Scenario narrow_world(LeaseLoss on_loss) {
  Scenario scenario;
  scenario.name = "narrow";
  scenario.duration = 210s;
  scenario.database.max_connections = 40;
  scenario.coordination.lease_ttl = 20s;
  scenario.coordination.latency = {5ms, 2ms, {}};
  scenario.coordination.on_lease_loss = on_loss;
  scenario.assertions.converge_within.reset();
  for (const char* name : {"a", "b"}) {
    ServiceSpec& service = scenario.services.emplace_back();
    service.name = name;
    service.target_ready = 22;
    service.max = 35;
    service.base_lifetime = 1min;
    service.jitter = 10s;
    service.guard_window = 5s;
    service.workload.is_enabled = true;
    service.workload.max_in_use = 8;
    service.workload.spawn_every = 100ms;
    service.workload.max_wait = 1s;
  }
  return scenario;
}

FaultSpec fault(FaultKind kind, Duration length) {
  FaultSpec fault;
  fault.kind = kind;
  fault.at = 1min;
  fault.length = length;
  fault.services = {"a"};
  return fault;
}

int refused(const RunResult& result) {
  int sum = 0;
  for (const ClusterSample& sample : result.cluster) sum += sample.refused;
  return sum;
}

std::string broken(const RunResult& result) {
  return result.broken_promise ? result.broken_promise->what + "; " + result.broken_promise->state
                               : "";
}

class FreezeTest : public testing::TestWithParam<LeaseLoss> {};
INSTANTIATE_TEST_SUITE_P(Policies, FreezeTest, testing::Values(LeaseLoss::keep, LeaseLoss::fence));

// Nobody notices but its own callers, of whom some wait in line at any moment.
TEST_P(FreezeTest, AShortOneCostsNoLease) {
  Scenario scenario = narrow_world(GetParam());
  scenario.services[0].workload.max_in_use = 60;
  scenario.services[0].workload.arrival_burst = 60;
  scenario.services[0].workload.hold_time = 100ms;
  scenario.faults.push_back(fault(FaultKind::freeze, 10s));

  const RunResult result = run(scenario);

  EXPECT_EQ(broken(result), "");
  EXPECT_EQ(refused(result), 0);
  EXPECT_GE(result.services[0].waits.max, 9s) << "who waited has heard late";
}

// Its sessions stay at the server while others have its room: that is let off, and nothing else is.
TEST_P(FreezeTest, ALongOneIsLetOffUntilItsSessionsAreCoveredAgain) {
  Scenario scenario = narrow_world(GetParam());
  scenario.faults.push_back(fault(FaultKind::freeze, 90s));

  const RunResult result = run(scenario);

  EXPECT_EQ(broken(result), "");
  EXPECT_GT(refused(result), 0) << "the server has no room for what it still counts";
  EXPECT_LE(result.cluster.back().leases, 40);
}

TEST(StatementTimeoutTest, PlacesAreHeldUntilTheServerHasLetGo) {
  for (const bool heeds_cancels : {true, false}) {
    Scenario scenario = narrow_world(LeaseLoss::keep);
    scenario.database.heeds_cancels = heeds_cancels;
    for (ServiceSpec& service : scenario.services) {
      service.workload.slow_fraction = 0.05;
      service.workload.slow_time = 2min;
      service.workload.statement_timeout = 500ms;
    }
    scenario.faults.push_back(fault(FaultKind::crash, 20s));

    const RunResult result = run(scenario);

    EXPECT_EQ(broken(result), "");
    EXPECT_EQ(refused(result), 0);
    EXPECT_EQ(result.most_sessions, 40);
  }
}

// 2. A cancel that is sent when its user gives up, whatever the rate.
class CancelsAtOnce final : public SimConnection {
 public:
  explicit CancelsAtOnce(Link& link) : SimConnection(link), link_(link) {}
  bool needs_cancel() const noexcept override {
    const bool needs = SimConnection::needs_cancel();
    if (needs) link_.database().admit_cancel(link_.process(), link_.scheduler().now());
    return needs;
  }

 private:
  Link& link_;
};

class WithoutPermits final : public Tampering {
 public:
  Connector& connector(Connector&, Link& link) override { return connectors_.emplace_back(link); }

 private:
  class Impatient final : public SimConnector {
   public:
    using SimConnector::SimConnector;

   protected:
    std::unique_ptr<SimConnection> make_connection(Link& link) override {
      return std::make_unique<CancelsAtOnce>(link);
    }
  };
  std::list<Impatient> connectors_;
};

TEST(StatementTimeoutTest, CancelsTakeTheirPlaceInTheRate) {
  Scenario scenario = narrow_world(LeaseLoss::keep);
  for (ServiceSpec& service : scenario.services) {
    service.workload.slow_fraction = 0.05;
    service.workload.slow_time = 2min;
    service.workload.statement_timeout = 500ms;
  }
  WithoutPermits tampering;

  const RunResult honest = run(scenario), planted = run(scenario, tampering);

  EXPECT_EQ(broken(honest), "");
  int connects = 0;
  for (const ClusterSample& each : honest.cluster) connects += each.connects;
  std::uint64_t opened = 0;
  for (const ServiceResult& each : honest.services) opened += each.samples.back().opened;
  EXPECT_GT(connects, static_cast<int>(opened) + 100);
  EXPECT_NE(broken(planted).find("too early"), std::string::npos) << broken(planted);
}

TEST(BlackHoleTest, TheServerMissesWhomItCannotReach) {
  Scenario scenario = narrow_world(LeaseLoss::keep);
  FaultSpec hole = fault(FaultKind::partition, 45s);
  hole.cuts_database = true;
  hole.cuts_store = false;
  scenario.faults.push_back(hole);

  const RunResult result = run(scenario);

  EXPECT_EQ(broken(result), "");
  EXPECT_EQ(refused(result), 0);
  EXPECT_GT(result.services[0].open_at_end, 15);
}

}  // namespace
}  // namespace forebay::sim
