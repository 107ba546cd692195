// The checks of the promises can fail: for each promise a bug is planted, and the simulator finds
// it.
#include <list>
#include <memory>

#include <gtest/gtest.h>

#include "forebay/env/sleep.hpp"
#include "forebay/sim/checks/promise_book.hpp"
#include "forebay/sim/run.hpp"
#include "forebay/sim/tampering.hpp"

namespace forebay::sim {
namespace {

using namespace std::chrono_literals;

// Two services with callers, sharing a rate and a cap.
Scenario small_world() {
  Scenario scenario;
  scenario.name = "planted";
  scenario.duration = 5min;
  scenario.database.max_connections = 100;
  for (const char* name : {"a", "b"}) {
    ServiceSpec service;
    service.name = name;
    service.target_ready = 20;
    service.base_lifetime = 1min;
    service.jitter = 10s;
    service.guard_window = 5s;
    service.workload.is_enabled = true;
    service.workload.max_in_use = 8;
    service.workload.spawn_every = 100ms;
    service.workload.max_wait = 1s;
    scenario.services.push_back(service);
  }
  return scenario;
}

// More callers than connections: there is always a line.
Scenario crowded_world() {
  Scenario scenario = small_world();
  for (ServiceSpec& service : scenario.services) {
    service.max = 22;
    service.workload.max_in_use = 60;
    service.workload.arrival_burst = 60;
    service.workload.hold_time = 100ms;
    service.workload.hold_jitter = 100ms;
  }
  return scenario;
}

void expect_broken(const RunResult& result, Promise promise) {
  ASSERT_TRUE(result.broken_promise.has_value());
  EXPECT_EQ(result.broken_promise->promise, static_cast<int>(promise))
      << result.broken_promise->what;
  EXPECT_FALSE(result.broken_promise->what.empty());
  EXPECT_FALSE(result.broken_promise->state.empty());
  EXPECT_GT(result.broken_promise->event, 0u);
  EXPECT_FALSE(result.holds());
}

TEST(BrokenPromisesTest, HonestWorldsBreakNone) {
  for (const Scenario& scenario : {small_world(), crowded_world()}) {
    const RunResult result = run(scenario);

    EXPECT_FALSE(result.broken_promise.has_value()) << result.broken_promise->what;
    EXPECT_TRUE(result.holds());
    EXPECT_GT(result.waits.count, 1000u);
  }
}

// 1. A connection that is two at the server, with one approval.
class TwiceConnected final : public SimConnection {
 public:
  explicit TwiceConnected(Link& link) : SimConnection(link), link_(link) {
    link.database().admit(second_, link.process(), link.scheduler().now());
  }
  ~TwiceConnected() override { link_.database().end(second_, link_.scheduler().now()); }

 private:
  Link& link_;
  Session second_;
};

// 7. A connection that denies that its user left anything behind.
class NeverDirty final : public SimConnection {
 public:
  using SimConnection::SimConnection;
  bool needs_reset() const noexcept override { return false; }
};

template <class BuggyConnection>
class WithConnections final : public Tampering {
 public:
  class BuggyConnector final : public SimConnector {
   public:
    using SimConnector::SimConnector;

   protected:
    std::unique_ptr<SimConnection> make_connection(Link& link) override {
      return std::make_unique<BuggyConnection>(link);
    }
  };
  Connector& connector(Connector&, Link& link) override { return connectors_.emplace_back(link); }

 private:
  std::list<BuggyConnector> connectors_;
};

TEST(BrokenPromisesTest, OneSessionTooManyBreaksTheCap) {
  Scenario scenario = small_world();
  scenario.database.connect_burst = 1000;
  scenario.database.max_connections.reset();  // or the leases would tell it first
  WithConnections<TwiceConnected> tampering;

  expect_broken(run(scenario, tampering), Promise::cap);
}

TEST(BrokenPromisesTest, WhatTheLastUserLeftIsSeen) {
  WithConnections<NeverDirty> tampering;

  expect_broken(run(small_world(), tampering), Promise::clean);
}

// 2. A pacer that counts wrong: everybody may start now.
class NowIsFine final : public PermitSource {
 public:
  explicit NowIsFine(Scheduler& scheduler) : scheduler_(scheduler) {}
  Task<Result<Instant>> reserve(Instant) override { co_return scheduler_.now(); }
  void give_back(Instant) override {}

 private:
  Scheduler& scheduler_;
};

// 8. A pacer that stops giving permits after a while.
class NeverAgain final : public PermitSource {
 public:
  NeverAgain(PermitSource& honest, Scheduler& scheduler) : honest_(honest), scheduler_(scheduler) {}
  Task<Result<Instant>> reserve(Instant deadline) override {
    if (scheduler_.now() < Instant(30s)) return honest_.reserve(deadline);
    return refuse(deadline);
  }
  void give_back(Instant start) override { honest_.give_back(start); }

 private:
  Task<Result<Instant>> refuse(Instant deadline) {
    co_await sleep_until(scheduler_, deadline);
    co_return failure(Errc::timed_out, "never again");
  }

  PermitSource& honest_;
  Scheduler& scheduler_;
};

class WithPermits final : public Tampering {
 public:
  explicit WithPermits(bool stops) : stops_(stops) {}
  PermitSource* permits(PermitSource* honest, Scheduler& scheduler) override {
    if (stops_) return &endings_.emplace_back(*honest, scheduler);
    return &beginnings_.emplace_back(scheduler);
  }

 private:
  const bool stops_;
  std::list<NowIsFine> beginnings_;
  std::list<NeverAgain> endings_;
};

TEST(BrokenPromisesTest, OneConnectTooEarlyBreaksTheRate) {
  WithPermits tampering(false);

  expect_broken(run(small_world(), tampering), Promise::rate);
}

TEST(BrokenPromisesTest, AReservoirThatIsNotRefilledBreaksTheSupply) {
  WithPermits tampering(true);

  expect_broken(run(small_world(), tampering), Promise::supply);
}

// 3. A pool that lets connections live longer than it was told.
class LivesLonger final : public Tampering {
 public:
  PoolOptions options(PoolOptions honest) override {
    *honest.lifetime *= 2;
    return honest;
  }
};

TEST(BrokenPromisesTest, AStaleConnectionIsNoticedWhenItIsHandedOut) {
  LivesLonger tampering;

  expect_broken(run(small_world(), tampering), Promise::freshness);
}

// 4. Leases that no store knows of.
class FromNowhere final : public LeaseSource {
 public:
  Task<Result<Lease>> acquire(Instant) override { co_return Lease(*this); }

 private:
  void give_back() noexcept override {}
  bool stands(std::uint64_t) const override { return true; }
};

class WithLeases final : public Tampering {
 public:
  LeaseSource* leases(LeaseSource*) override { return &source_; }

 private:
  FromNowhere source_;
};

// The same, but only after the process has been started again.
class HonestOnce final : public Tampering {
 public:
  LeaseSource* leases(LeaseSource* honest) override { return ++lives_ <= 2 ? honest : &source_; }

 private:
  int lives_ = 0;
  FromNowhere source_;
};

// Whatever the store is.
class BrokenLeasesTest : public testing::TestWithParam<StoreKind> {
 protected:
  static Scenario world() {
    Scenario scenario = small_world();
    scenario.coordination.store = GetParam();
    return scenario;
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, BrokenLeasesTest,
                         testing::Values(StoreKind::memory, StoreKind::dynamodb));

TEST_P(BrokenLeasesTest, TheLeasesOfAnEarlierLifeCoverNothing) {
  Scenario scenario = world();
  FaultSpec crash;
  crash.kind = FaultKind::crash;
  crash.at = 1min;
  crash.length = 10s;
  scenario.faults.push_back(crash);
  HonestOnce tampering;

  const RunResult result = run(scenario, tampering);

  expect_broken(result, Promise::leases);
  EXPECT_LT(result.broken_promise->when, 75s);
}

TEST_P(BrokenLeasesTest, AConnectionWithoutALeaseIsNoticed) {
  WithLeases tampering;

  expect_broken(run(world(), tampering), Promise::leases);
}

TEST_P(BrokenLeasesTest, NothingIsNoticedOfHonestProcesses) {
  Tampering honest;

  EXPECT_FALSE(run(world(), honest).broken_promise.has_value());
}

// 1. A pool that gives a place back while the server still works for it.
class ClosesInHaste final : public Tampering {
 public:
  PoolOptions options(PoolOptions honest) override {
    honest.on_stuck_close = StuckClose::give_up_after(100ms);
    return honest;
  }
};

// 4. Reapers who do not wait until the server has missed the dead.
class ReapsInHaste final : public Tampering {
 public:
  ClusterOptions cluster(ClusterOptions honest) override {
    honest.session_linger = 0s;
    return honest;
  }
};

// Callers give up on statements that the server does not cancel.
Scenario stuck_world() {
  Scenario scenario = small_world();
  scenario.database.heeds_cancels = false;
  for (ServiceSpec& service : scenario.services) {
    service.workload.slow_fraction = 0.05;
    service.workload.slow_time = 2min;
    service.workload.statement_timeout = 500ms;
  }
  return scenario;
}

TEST(BrokenPromisesTest, APlaceThatIsGivenBackTooEarlyBreaksTheCap) {
  ClosesInHaste tampering;

  expect_broken(run(stuck_world(), tampering), Promise::cap);
  EXPECT_FALSE(run(stuck_world()).broken_promise.has_value());
}

TEST(BrokenPromisesTest, ALeaseThatIsReapedTooEarlyIsNoticed) {
  Scenario scenario = stuck_world();
  scenario.database.misses_client_after = 30s;
  scenario.coordination.lease_ttl = 10s;
  FaultSpec crash;
  crash.kind = FaultKind::crash;
  crash.at = 1min;
  crash.services = {"a"};
  scenario.faults.push_back(crash);
  ReapsInHaste tampering;

  expect_broken(run(scenario, tampering), Promise::leases);
  EXPECT_FALSE(run(scenario).broken_promise.has_value());
}

// Nobody is let off for longer than a policy says.
TEST(BrokenPromisesTest, TheRateIsPromisedAgainWhenTheStoreIsBack) {
  class LaterThan final : public Tampering {
   public:
    PermitSource* permits(PermitSource* honest, Scheduler& scheduler) override {
      return &sources_.emplace_back(*honest, scheduler);
    }

   private:
    class Source final : public PermitSource {
     public:
      Source(PermitSource& honest, Scheduler& scheduler) : honest_(honest), scheduler_(scheduler) {}
      Task<Result<Instant>> reserve(Instant deadline) override {
        if (scheduler_.now() < Instant(3min)) return honest_.reserve(deadline);
        return now();
      }
      void give_back(Instant) override {}

     private:
      Task<Result<Instant>> now() { co_return scheduler_.now(); }
      PermitSource& honest_;
      Scheduler& scheduler_;
    };
    std::list<Source> sources_;
  };
  Scenario scenario = small_world();
  scenario.coordination.on_absence = StoreAbsence::local;
  FaultSpec outage;
  outage.kind = FaultKind::store_outage;
  outage.at = 30s;
  outage.length = 30s;
  FaultSpec drop;
  drop.kind = FaultKind::mass_drop;
  drop.at = 200s;
  drop.fraction = 1;
  scenario.faults = {outage, drop};
  LaterThan tampering;

  const RunResult result = run(scenario, tampering);

  expect_broken(result, Promise::rate);
  EXPECT_GT(result.broken_promise->when, 3min);
}

// 5, 6, 9. Doors between callers and the pool.
class StandsAside final : public Door {  // every second caller lets others pass
 public:
  explicit StandsAside(Scheduler& scheduler) : scheduler_(scheduler) {}
  Task<Result<PooledConnection>> acquire(Pool& pool, Instant deadline) override {
    const bool is_polite = ++callers_ % 2 == 0;
    const bool has_to_wait = pool.gauges().ready == 0;
    Result<PooledConnection> got = co_await pool.acquire(deadline);
    if (is_polite && has_to_wait) co_await sleep_for(scheduler_, 20ms);
    co_return got;
  }

 private:
  Scheduler& scheduler_;
  int callers_ = 0;
};

class WaitsTooLong final : public Door {
 public:
  explicit WaitsTooLong(Scheduler&) {}
  Task<Result<PooledConnection>> acquire(Pool& pool, Instant deadline) override {
    co_return co_await pool.acquire(deadline + 1s);
  }
};

class AsksTheWorld final : public Door {  // before it looks what is ready
 public:
  explicit AsksTheWorld(Scheduler& scheduler) : scheduler_(scheduler) {}
  Task<Result<PooledConnection>> acquire(Pool& pool, Instant deadline) override {
    co_await sleep_for(scheduler_, 1ms);
    co_return co_await pool.acquire(deadline);
  }

 private:
  Scheduler& scheduler_;
};

class NeverServes final : public Door {
 public:
  explicit NeverServes(Scheduler& scheduler) : scheduler_(scheduler) {}
  Task<Result<PooledConnection>> acquire(Pool&, Instant deadline) override {
    co_await sleep_until(scheduler_, deadline);
    co_return failure(Errc::timed_out, "nothing for you");
  }

 private:
  Scheduler& scheduler_;
};

template <class BuggyDoor>
class WithDoor final : public Tampering {
 public:
  Door* door(Scheduler& scheduler) override { return &doors_.emplace_back(scheduler); }

 private:
  std::list<BuggyDoor> doors_;
};

TEST(BrokenPromisesTest, ACallerThatOvertakesTheLineBreaksTheOrder) {
  WithDoor<StandsAside> tampering;

  expect_broken(run(crowded_world(), tampering), Promise::order);
}

TEST(BrokenPromisesTest, AWaiterWhoIsNotAnsweredInTimeIsNoticed) {
  Scenario scenario = crowded_world();
  for (ServiceSpec& service : scenario.services) service.workload.max_wait = 100ms;
  WithDoor<WaitsTooLong> tampering;

  expect_broken(run(scenario, tampering), Promise::every_waiter_ends);
}

TEST(BrokenPromisesTest, ACallerWhoGetsNothingThoughSomethingIsReadyIsNoticed) {
  WithDoor<NeverServes> tampering;

  expect_broken(run(small_world(), tampering), Promise::never_blocks);
}

TEST(BrokenPromisesTest, ACallerWhoWaitsForTheWorldIsNoticed) {
  Scenario scenario = small_world();
  scenario.seed = 43;  // with ties by chance, the door also breaks the order
  WithDoor<AsksTheWorld> tampering;

  expect_broken(run(scenario, tampering), Promise::never_blocks);
}

// 5, of tenants. More of them want connections than there are, and nobody gives any up.
class EndlessStints final : public Tampering {
 public:
  TenantOptions tenants(TenantOptions honest) override {
    honest.stint = 1min;
    return honest;
  }
};

TEST(BrokenPromisesTest, ATenantThatIsStarvedByOthersIsNoticed) {
  Scenario scenario = small_world();
  scenario.duration = 2min;
  scenario.database.max_connections.reset();
  scenario.assertions.converge_within.reset();
  ServiceSpec& service = scenario.services.front();
  service.supply = Supply::standard;
  service.max.reset();
  service.tenants.count = 40;
  service.tenants.max_connections = 20;
  service.workload.is_enabled = true;
  service.workload.arrivals_per_second = 200;
  service.workload.hold_time = 500ms;
  service.workload.max_wait = 30s;
  Tampering honest;
  EndlessStints tampering;

  const RunResult fair = run(scenario, honest);
  EXPECT_FALSE(fair.broken_promise.has_value()) << fair.broken_promise->what;
  expect_broken(run(scenario, tampering), Promise::order);
}

}  // namespace
}  // namespace forebay::sim
