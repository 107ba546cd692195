// What the gate takes before a connect, and gives back: leases and permits of a cluster.
#include "forebay/pool/admission.hpp"

#include <optional>

#include <gtest/gtest.h>

#include "support/sim_pool.hpp"

namespace forebay::test {
namespace {

class CountedLeases final : public LeaseSource {
 public:
  explicit CountedLeases(int most) : most_(most) {}
  Task<Result<Lease>> acquire(Instant) override {
    if (out >= most_) co_return failure(Errc::limit_reached, "the cluster is full");
    ++out;
    co_return Lease(*this);
  }
  int out = 0;

 private:
  void give_back() noexcept override { --out; }
  const int most_;
};

// Says after a while that the connect may start.
class SlowPermits final : public PermitSource {
 public:
  SlowPermits(Scheduler& scheduler, Duration delay) : scheduler_(scheduler), delay_(delay) {}
  Task<Result<Instant>> reserve(Instant deadline) override {
    const Instant answer = scheduler_.now() + delay_;
    co_await sleep_until(scheduler_, std::min(answer, deadline));
    if (answer > deadline) co_return failure(Errc::timed_out, "no answer");
    co_return scheduler_.now();
  }
  void give_back(Instant) override { ++given_back; }
  int given_back = 0;

 private:
  Scheduler& scheduler_;
  const Duration delay_;
};

// A reservoir of four in virtual time.
class AdmissionTest : public testing::Test {
 protected:
  void start() {
    PoolOptions options;
    options.size.max = 4;
    options.supply = Supply::reservoir;
    options.initial_fill_limit = 1s;
    PoolSharing sharing;
    sharing.leases = leases_ ? &*leases_ : nullptr;
    sharing.permits = permits_ ? &*permits_ : nullptr;
    pool_.emplace(Env{scheduler_, random_, clock_}, connector_, options, sharing);
    start_detached(scheduler_, drop(pool_->start()));
  }
  void close() {
    start_detached(scheduler_, drop(pool_->close(scheduler_.now() + 1h)));
    scheduler_.run();
    scheduler_.set_after_step({});
    pool_.reset();
  }
  void TearDown() override {
    if (pool_) close();
  }
  static Task<void> drop(Task<bool> task) { co_await std::move(task); }

  sim::SimScheduler scheduler_;
  SeededRandom random_{1};
  sim::SimWallClock clock_{scheduler_, WallTime()};
  FakeServer server_{scheduler_};
  FakeConnector connector_{server_};
  std::optional<CountedLeases> leases_;
  std::optional<SlowPermits> permits_;
  std::optional<Pool> pool_;
};

TEST_F(AdmissionTest, EveryConnectionHoldsALeaseUntilItIsGone) {
  leases_.emplace(4);
  start();
  scheduler_.run_for(1s);
  EXPECT_EQ(leases_->out, 4);
  EXPECT_EQ(server_.sessions, 4);

  scheduler_.set_after_step([&] { EXPECT_GE(leases_->out, server_.sessions); });
  close();

  EXPECT_EQ(leases_->out, 0);
  EXPECT_EQ(server_.most_sessions, 4);
}

TEST_F(AdmissionTest, WithoutALeaseNothingIsOpened) {
  leases_.emplace(2);
  start();

  scheduler_.run_for(10s);

  EXPECT_EQ(server_.most_sessions, 2);
  EXPECT_EQ(pool_->gauges().ready, 2);
  EXPECT_EQ(pool_->statistics().last_connect_error, "no lease: the cluster is full");
}

// A cluster whose rate is used up lets a connect wait for longer than a connect may take.
TEST_F(AdmissionTest, APermitMayTakeLongerThanAConnect) {
  permits_.emplace(scheduler_, 20s);
  start();

  scheduler_.run_for(30s);

  EXPECT_EQ(pool_->gauges().ready, 4);
  EXPECT_EQ(pool_->statistics().counters.open_failures, 0u);
}

TEST_F(AdmissionTest, WithoutAPermitTheLeaseGoesBack) {
  leases_.emplace(4);
  permits_.emplace(scheduler_, 1h);
  start();

  scheduler_.run_for(30s + 1ms);

  EXPECT_EQ(leases_->out, 0);
  EXPECT_EQ(server_.steps["connect"], 0);
  EXPECT_EQ(pool_->statistics().last_connect_error, "no permit: no answer");
}

TEST_F(AdmissionTest, APermitThatIsNotNeededGoesBack) {
  permits_.emplace(scheduler_, 5s);
  start();
  scheduler_.run_for(1s);

  close();

  EXPECT_EQ(permits_->given_back, 4);
  EXPECT_EQ(server_.steps["connect"], 0);
}

}  // namespace
}  // namespace forebay::test
