// What the gate takes before a connect, and gives back: leases and permits of a cluster.
#include "forebay/pool/admission.hpp"

#include <optional>

#include <gtest/gtest.h>

#include "forebay/base/log.hpp"
#include "support/counted_sources.hpp"
#include "support/sim_pool.hpp"

namespace forebay::test {
namespace {

// Says after a while that the connect may start.
class SlowPermits final : public PermitSource {
 public:
  SlowPermits(Scheduler& scheduler, Duration delay) : scheduler_(scheduler), delay_(delay) {}
  Task<Result<Instant>> reserve(Instant deadline) override {
    ++reserved;
    const Instant answer = scheduler_.now() + delay_;
    co_await sleep_until(scheduler_, std::min(answer, deadline));
    if (answer > deadline) co_return failure(Errc::timed_out, "no answer");
    co_return scheduler_.now();
  }
  Duration settling_time() const override { return settling; }
  void give_back(Instant) override { ++given_back; }
  Duration settling{};
  int reserved = 0;
  int given_back = 0;

 private:
  Scheduler& scheduler_;
  const Duration delay_;
};

// Gives a lease, and a token, after a while.
class SlowSources final : public LeaseSource, public TokenSource {
 public:
  explicit SlowSources(Scheduler& scheduler) : scheduler_(scheduler) {}
  Task<Result<Lease>> acquire(Instant) override {
    co_await sleep_for(scheduler_, lease_delay);
    ++out;
    ++granted;
    co_return Lease(*this);
  }
  Task<Result<std::string>> token(Instant) override {
    co_await sleep_for(scheduler_, token_delay);
    co_return "token";
  }
  void reject(const std::string&) override {}
  Duration lease_delay{};
  Duration token_delay{};
  int out = 0;
  int granted = 0;

 private:
  void give_back() noexcept override { --out; }
  bool stands(std::uint64_t) const override { return true; }
  Scheduler& scheduler_;
};

// A reservoir of four in virtual time.
class AdmissionTest : public testing::Test {
 protected:
  void start() {
    PoolOptions options;
    options.size.max = 4;
    options.supply = Supply::reservoir;
    options.size.target_ready = target_ready_;
    options.initial_fill_limit = 1s;
    if (lifetime_) {
      options.lifetime = *lifetime_;
      options.lifetime_jitter = Duration::zero();
      options.guard_window = *lifetime_ / 20;
    }
    PoolSharing sharing;
    sharing.leases = leases_ ? &*leases_ : nullptr;
    if (slow_) sharing.leases = &*slow_;
    if (slow_) sharing.tokens = &*slow_;
    sharing.permits = permits_ ? &*permits_ : other_permits_;
    pool_.emplace(Env{scheduler_, random_, clock_}, connector_, options, sharing);
    start_detached(scheduler_, drop(pool_->start()));
  }
  void close() {
    start_detached(scheduler_, drop(pool_->close(scheduler_.now() + 1h)));
    scheduler_.run();
    scheduler_.set_after_step({});
    pool_.reset();
  }
  // Whether the pool is gone in that time; what it has asked may go on.
  bool close_within(Duration limit) {
    bool is_gone = false;
    start_detached(scheduler_, note_close(scheduler_.now() + limit, is_gone));
    scheduler_.run_for(limit);
    if (is_gone) pool_.reset();
    return is_gone;
  }
  Task<void> note_close(Instant deadline, bool& is_gone) {
    is_gone = co_await pool_->close(deadline);
  }
  void TearDown() override {
    if (pool_) close();
  }
  static Task<void> drop(Task<bool> task) { co_await std::move(task); }
  void borrow(Duration hold) { start_detached(scheduler_, use(hold)); }
  Task<void> use(Duration hold) {
    const Instant deadline = scheduler_.now() + 1h;
    Result<PooledConnection> got = co_await pool_->acquire(deadline);
    FOREBAY_CHECK(got.has_value());
    served_.push_back(scheduler_.now());
    co_await sleep_for(scheduler_, hold);
  }

  sim::SimScheduler scheduler_;
  SeededRandom random_{1};
  sim::SimWallClock clock_{scheduler_, WallTime()};
  FakeServer server_{scheduler_};
  FakeConnector connector_{server_};
  StepLog log_;
  std::optional<CountedLeases> leases_;
  std::optional<SlowPermits> permits_;
  std::optional<SlowSources> slow_;
  PermitSource* other_permits_ = nullptr;
  int target_ready_ = 4;
  std::optional<Duration> lifetime_;
  std::vector<Instant> served_;
  std::optional<Pool> pool_;
};

TEST_F(AdmissionTest, EveryConnectionHoldsALeaseUntilItIsGone) {
  leases_.emplace(log_, 4);
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
  leases_.emplace(log_, 2);
  start();

  scheduler_.run_for(10s);

  EXPECT_EQ(server_.most_sessions, 2);
  EXPECT_EQ(pool_->gauges().ready, 2);
  EXPECT_EQ(pool_->statistics().last_connect_error, "no lease: the cluster is full");
}

// It wants four for ever, and is refused for ever; that is no reason to let go of the two.
TEST_F(AdmissionTest, InAFullClusterWhatEndsIsReplacedAtOnce) {
  const log::Mute quiet;
  leases_.emplace(log_, 2);
  lifetime_ = 10s;
  start();
  scheduler_.run_for(2s);
  ASSERT_EQ(pool_->gauges().ready, 2);

  int fewest = 2;
  scheduler_.set_after_step([&] { fewest = std::min(fewest, pool_->gauges().ready); });
  scheduler_.run_for(5min);
  scheduler_.set_after_step({});

  EXPECT_GE(fewest, 1) << "one may be on its way out, and not both";
  EXPECT_GT(pool_->statistics().counters.opened, 50u);
  EXPECT_LT(log_.count("lease"), 10 * 60) << "it asks for more now and then, and not all the time";
}

// A cluster whose rate is used up lets a connect wait for longer than a connect may take.
TEST_F(AdmissionTest, APermitMayTakeLongerThanAConnect) {
  permits_.emplace(scheduler_, 20s);
  start();

  scheduler_.run_for(30s);

  EXPECT_EQ(pool_->gauges().ready, 4);
  EXPECT_EQ(pool_->statistics().counters.open_failures(), 0u);
}

TEST_F(AdmissionTest, WithoutAPermitTheLeaseGoesBack) {
  leases_.emplace(log_, 4);
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

// The sources belong to others too, so they cannot be closed to end what one pool waits for.
TEST_F(AdmissionTest, ClosingDoesNotWaitForALeaseAndALateOneGoesBack) {
  slow_.emplace(scheduler_).lease_delay = 20s;
  start();
  scheduler_.run_for(1s);

  EXPECT_TRUE(close_within(5s));

  EXPECT_EQ(slow_->granted, 0);
  scheduler_.run();
  EXPECT_EQ(slow_->granted, 4);
  EXPECT_EQ(slow_->out, 0);
  EXPECT_EQ(server_.steps["connect"], 0);
}

TEST_F(AdmissionTest, ClosingDoesNotWaitForATokenAndGivesTheLeaseBack) {
  slow_.emplace(scheduler_).token_delay = 20s;
  start();
  scheduler_.run_for(1s);
  EXPECT_EQ(slow_->out, 4);

  EXPECT_TRUE(close_within(5s));

  EXPECT_EQ(slow_->out, 0);
  scheduler_.run();
  EXPECT_EQ(server_.steps["connect"], 0);
}

TEST_F(AdmissionTest, ClosingDoesNotWaitForAPermitAndALateOneGoesBack) {
  permits_.emplace(scheduler_, 20s);
  start();
  scheduler_.run_for(1s);

  EXPECT_TRUE(close_within(5s));

  EXPECT_EQ(permits_->given_back, 0);
  scheduler_.run();
  EXPECT_EQ(permits_->given_back, 4);
  EXPECT_EQ(server_.steps["connect"], 0);
}

// A process that is stopped and goes on wakes up with places whose time has passed.
class StalePermits final : public PermitSource {
 public:
  explicit StalePermits(Scheduler& scheduler) : scheduler_(scheduler) {}
  Task<Result<Instant>> reserve(Instant) override {
    ++reserved;
    co_return scheduler_.now() - (reserved <= stale ? 300ms : 0ms);
  }
  void give_back(Instant) override { ++given_back; }
  int stale = 0;
  int reserved = 0;
  int given_back = 0;

 private:
  Scheduler& scheduler_;
};

TEST_F(AdmissionTest, APlaceWhoseTimeHasPassedIsGivenUpForAnother) {
  StalePermits permits(scheduler_);
  permits.stale = 2;
  other_permits_ = &permits;
  target_ready_ = 1;
  start();
  scheduler_.run_for(1s);
  EXPECT_EQ(permits.reserved, 3);
  EXPECT_EQ(permits.given_back, 2);
  EXPECT_EQ(server_.sessions, 1);
  close();
}

// Every acquire of a reservoir leaves a gap, and most gaps close by themselves at once. A question
// to the cluster for each of them would cost it more than the connects.
TEST_F(AdmissionTest, AGapThatClosesInAMomentAsksNobody) {
  target_ready_ = 2;
  permits_.emplace(scheduler_, 5ms);
  permits_->settling = 50ms;
  start();
  scheduler_.run_for(1s);
  ASSERT_EQ(permits_->reserved, 2);

  for (int beat = 0; beat < 20; ++beat) {
    borrow(10ms);
    scheduler_.run_for(100ms);
  }
  EXPECT_EQ(permits_->reserved, 2);
  EXPECT_EQ(server_.sessions, 2);

  borrow(1s);
  scheduler_.run_for(500ms);
  EXPECT_EQ(permits_->reserved, 3);
  EXPECT_EQ(server_.sessions, 3);
}

TEST_F(AdmissionTest, ACallerInLineDoesNotWaitForAGapToSettle) {
  target_ready_ = 1;
  permits_.emplace(scheduler_, 5ms);
  permits_->settling = 10s;
  start();
  scheduler_.run_for(20s);
  ASSERT_EQ(server_.sessions, 1);

  const Instant asked = scheduler_.now();
  borrow(1min);
  borrow(1min);
  scheduler_.run_for(1s);
  ASSERT_EQ(served_.size(), 2u);
  EXPECT_LE(served_.back() - asked, 100ms);
}

}  // namespace
}  // namespace forebay::test
