// Lease, token, permit, connect: in this order, and whatever was taken goes back when a later step
// fails.
#include "forebay/pool/gate.hpp"

#include <optional>

#include <gtest/gtest.h>

#include "forebay/base/log.hpp"
#include "support/counted_sources.hpp"
#include "support/sim_pool.hpp"

namespace forebay::test {
namespace {

using Steps = std::vector<std::string>;

// A pool that keeps one connection ready.
class GateTest : public testing::Test {
 protected:
  GateTest() {
    server_.fails = [this](const std::string& step, int) {
      return step == "connect" && log_.note("connect");
    };
    options_.size.max = 1;
    options_.supply = Supply::reservoir;
    options_.initial_fill_limit = 1s;
  }
  ~GateTest() override {
    if (pool_) close();
  }

  void start(bool has_tokens = true) {
    PoolSharing sharing;
    sharing.leases = &leases_;
    sharing.permits = &permits_;
    sharing.tokens = has_tokens ? &tokens_ : nullptr;
    pool_.emplace(Env{scheduler_, random_, clock_}, connector_, options_, sharing);
    start_detached(scheduler_, drop(pool_->start()));
  }
  // Until the first attempt is over, whatever came of it; the next waits for at least 187 ms.
  void run_first_attempt() { scheduler_.run_for(100ms); }
  void close() {
    start_detached(scheduler_, drop(pool_->close(scheduler_.now() + 1h)));
    scheduler_.run();
    pool_.reset();
  }
  static Task<void> drop(Task<bool> task) { co_await std::move(task); }

  // Fails the step of that kind and number.
  void fail(std::string kind, int number) {
    log_.fails = [kind, number](const std::string& step, int count) {
      return step == kind && count == number;
    };
  }
  PoolStatistics statistics() const { return pool_->statistics(); }
  std::string error() const { return statistics().last_connect_error; }

  const log::Mute quiet_;
  sim::SimScheduler scheduler_;
  SeededRandom random_{1};
  sim::SimWallClock clock_{scheduler_, WallTime()};
  FakeServer server_{scheduler_};
  FakeConnector connector_{server_};
  StepLog log_;
  CountedLeases leases_{log_};
  CountedTokens tokens_{log_};
  CountedPermits permits_{log_, scheduler_};
  PoolOptions options_;
  std::optional<Pool> pool_;
};

TEST_F(GateTest, TakesWhatPerishesLast) {
  start();
  run_first_attempt();

  EXPECT_EQ(log_.steps, (Steps{"lease", "token", "permit", "connect"}));
  EXPECT_EQ(server_.passwords, Steps{"token1"});
  EXPECT_EQ(statistics().ready, 1);

  close();

  EXPECT_EQ(leases_.out, 0);
}

TEST_F(GateTest, WithoutATokenSourceTheConnectorHasItsOwnPassword) {
  start(false);
  run_first_attempt();

  EXPECT_EQ(log_.steps, (Steps{"lease", "permit", "connect"}));
  EXPECT_EQ(server_.passwords, Steps{""});
}

struct FailingStep {
  std::string kind;
  OpenFailure reason;
  std::string error;
  Steps steps;  // of the attempt that fails
};

class GateStepTest : public GateTest, public testing::WithParamInterface<FailingStep> {};

TEST_P(GateStepTest, WhateverWasTakenGoesBack) {
  fail(GetParam().kind, 1);
  start();
  run_first_attempt();

  EXPECT_EQ(log_.steps, GetParam().steps);
  EXPECT_EQ(leases_.out, 0);
  EXPECT_EQ(server_.sessions, 0);
  EXPECT_EQ(statistics().approved, 0);
  EXPECT_EQ(statistics().counters.failed(GetParam().reason), 1u);
  EXPECT_EQ(statistics().counters.open_failures(), 1u);
  EXPECT_EQ(statistics().last_open_failure, GetParam().reason);
  EXPECT_EQ(error(), GetParam().error);

  scheduler_.run_for(5s);

  EXPECT_EQ(statistics().ready, 1) << "the next attempt succeeds";
  EXPECT_EQ(leases_.out, 1);
  EXPECT_EQ(error(), "");
  EXPECT_FALSE(statistics().last_open_failure.has_value());
}

INSTANTIATE_TEST_SUITE_P(
    Steps, GateStepTest,
    testing::Values(FailingStep{"lease", OpenFailure::lease_acquire,
                                "no lease: the cluster is full", Steps{"lease"}},
                    FailingStep{"token", OpenFailure::token_provider, "no token: no credentials",
                                Steps{"lease", "token", "lease back"}},
                    FailingStep{"permit", OpenFailure::rate_limit, "no permit: nobody knows",
                                Steps{"lease", "token", "permit", "lease back"}},
                    FailingStep{"connect", OpenFailure::connection_open, "the server is away",
                                Steps{"lease", "token", "permit", "connect", "lease back"}}),
    [](const auto& test_case) { return test_case.param.kind; });

// A process that was stopped while it waited for its permit: others have its lease by now.
TEST_F(GateTest, NothingIsOpenedOnALeaseThatEndedDuringTheWait) {
  bool has_ended = false;
  leases_.has_ended = [&] { return has_ended; };
  start();
  while (log_.count("permit") == 0 && scheduler_.step()) {
  }
  has_ended = true;
  run_first_attempt();

  EXPECT_EQ(log_.steps, (Steps{"lease", "token", "permit", "permit back", "lease back"}));
  EXPECT_EQ(statistics().last_open_failure, OpenFailure::lease_acquire);
  EXPECT_NE(error().find("the lease ended before its connect could start"), std::string::npos);

  has_ended = false;
  scheduler_.run_for(5s);

  EXPECT_EQ(log_.count("lease"), 2) << "it is asked for anew";
  EXPECT_EQ(statistics().ready, 1);
}

// The second attempt comes later still.
TEST_F(GateTest, ARetryAsksTheLeaseAgain) {
  server_.expired_tokens = {"token1"};
  leases_.has_ended = [this] { return log_.count("connect") > 0; };
  start();
  run_first_attempt();

  EXPECT_EQ(log_.steps, (Steps{"lease", "token", "permit", "connect", "reject token1", "token",
                               "permit", "permit back", "lease back"}));
}

// The lease covers the connection until the server has let go of it.
TEST_F(GateTest, ARefusingHookGivesTheLeaseBackWhenTheConnectionIsClosed) {
  server_.close_time = 50ms;
  options_.after_connect = [](Connection&, Instant) -> Task<Result<void>> {
    co_return failure(Errc::invalid, "wrong schema");
  };
  start();
  while (log_.count("connect") == 0 && scheduler_.step()) {
  }
  scheduler_.run_for(20ms);
  EXPECT_EQ(server_.sessions, 1);
  EXPECT_EQ(leases_.out, 1);

  scheduler_.run_for(60ms);

  EXPECT_EQ(server_.sessions, 0);
  EXPECT_EQ(leases_.out, 0);
  EXPECT_EQ(statistics().last_open_failure, OpenFailure::after_connect);
  EXPECT_EQ(error(), "the after-connect hook refused it: wrong schema");
}

TEST_F(GateTest, AnExpiredTokenIsReplacedOnceAndTheRetryHasAPermitOfItsOwn) {
  server_.expired_tokens = {"token1"};
  start();
  run_first_attempt();

  EXPECT_EQ(log_.steps, (Steps{"lease", "token", "permit", "connect", "reject token1", "token",
                               "permit", "connect"}));
  EXPECT_EQ(server_.passwords, (Steps{"token1", "token2"}));
  EXPECT_EQ(statistics().ready, 1);
  EXPECT_EQ(statistics().counters.open_failures(), 0u);
  EXPECT_EQ(leases_.out, 1);
}

TEST_F(GateTest, AFreshTokenThatIsRefusedTooBlamesTheClock) {
  server_.expired_tokens = {"token1", "token2"};
  start();
  run_first_attempt();

  EXPECT_EQ(log_.steps, (Steps{"lease", "token", "permit", "connect", "reject token1", "token",
                               "permit", "connect", "lease back"}));
  EXPECT_EQ(leases_.out, 0);
  EXPECT_EQ(statistics().counters.failed(OpenFailure::connection_open), 1u);
  EXPECT_NE(error().find("the clock of this machine is probably wrong"), std::string::npos);
  EXPECT_EQ(error().find("token2"), std::string::npos) << "tokens are secrets";
}

struct FailingRetry {
  std::string kind;
  OpenFailure reason;
  Steps steps;  // after the rejection
};

class GateRetryTest : public GateTest, public testing::WithParamInterface<FailingRetry> {};

TEST_P(GateRetryTest, WhateverWasTakenGoesBack) {
  server_.expired_tokens = {"token1"};
  fail(GetParam().kind, 2);
  start();
  run_first_attempt();

  Steps expected = {"lease", "token", "permit", "connect", "reject token1"};
  expected.insert(expected.end(), GetParam().steps.begin(), GetParam().steps.end());
  EXPECT_EQ(log_.steps, expected);
  EXPECT_EQ(leases_.out, 0);
  EXPECT_EQ(statistics().approved, 0);
  EXPECT_EQ(statistics().counters.open_failures(), 1u);
  EXPECT_EQ(statistics().last_open_failure, GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(
    Steps, GateRetryTest,
    testing::Values(
        FailingRetry{"token", OpenFailure::token_provider, {"token", "lease back"}},
        FailingRetry{"permit", OpenFailure::rate_limit, {"token", "permit", "lease back"}},
        FailingRetry{
            "connect", OpenFailure::connection_open, {"token", "permit", "connect", "lease back"}}),
    [](const auto& test_case) { return test_case.param.kind; });

TEST_F(GateTest, ARetryThatIsNoLongerWantedGivesItsPermitBack) {
  server_.expired_tokens = {"token1"};
  start();
  while (log_.count("permit") < 2 && scheduler_.step()) {
  }

  close();

  EXPECT_EQ(log_.steps, (Steps{"lease", "token", "permit", "connect", "reject token1", "token",
                               "permit", "permit back", "lease back"}));
}

TEST_F(GateTest, WithoutATokenSourceThereIsNoRetry) {
  server_.expired_tokens = {""};
  start(false);
  run_first_attempt();

  EXPECT_EQ(log_.count("connect"), 1);
  EXPECT_EQ(leases_.out, 0);
  EXPECT_NE(error().find("PoolSharing::tokens"), std::string::npos);
}

TEST_F(GateTest, OtherRefusalsAreNotRetried) {
  fail("connect", 1);
  start();
  run_first_attempt();

  EXPECT_EQ(log_.count("token"), 1);
  EXPECT_EQ(log_.count("connect"), 1);
}

}  // namespace
}  // namespace forebay::test
