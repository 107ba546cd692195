// What the pool does with a connection whose statement ran into its deadline.
#include <optional>

#include <gtest/gtest.h>

#include "forebay/base/log.hpp"
#include "forebay/pool/retire_signal.hpp"
#include "support/counted_sources.hpp"
#include "support/fake_connector.hpp"
#include "support/sim_pool.hpp"

namespace forebay::test {
namespace {

using Steps = std::vector<std::string>;

class PoolCancelTest : public testing::Test {
 protected:
  PoolCancelTest() {
    options_.size.max = 1;
    options_.supply = Supply::reservoir;
    options_.initial_fill_limit = 1s;
  }
  ~PoolCancelTest() override {
    start_detached(scheduler_, drop(pool_->close(scheduler_.now() + 1h)));
    scheduler_.run();
  }

  void start() {
    PoolSharing sharing;
    sharing.leases = &leases_;
    sharing.permits = &permits_;
    sharing.retire = retire_ ? &*retire_ : nullptr;
    server_.needs_reset = true;
    server_.fails = [this](const std::string& step, int) { return log_.note(step); };
    pool_.emplace(Env{scheduler_, random_, clock_}, connector_, options_, sharing);
    start_detached(scheduler_, drop(pool_->start()));
    scheduler_.run_for(100ms);
    log_.steps.clear();
  }
  static Task<void> drop(Task<bool> task) { co_await std::move(task); }

  // A caller whose statement has run into its deadline.
  PooledConnection interrupted() {
    std::optional<PooledConnection> taken = pool_->try_acquire();
    EXPECT_TRUE(taken.has_value());
    static_cast<FakeConnection&>(taken->connection()).is_interrupted = true;
    return std::move(*taken);
  }

  const log::Mute quiet_;
  sim::SimScheduler scheduler_;
  SeededRandom random_{1};
  sim::SimWallClock clock_{scheduler_, WallTime()};
  FakeServer server_{scheduler_};
  FakeConnector connector_{server_};
  StepLog log_;
  CountedLeases leases_{log_};
  CountedPermits permits_{log_, scheduler_};
  PoolOptions options_;
  std::optional<RetireSignal> retire_;
  std::optional<Pool> pool_;
};

TEST_F(PoolCancelTest, TakesAPermitAndNothingElseAndKeepsTheConnection) {
  start();
  PooledConnection first = interrupted();
  const std::uint64_t id = first.id();
  first.give_back();
  scheduler_.run_for(100ms);

  EXPECT_EQ(log_.steps, (Steps{"permit", "cancel", "reset"}));
  const std::optional<PooledConnection> next = pool_->try_acquire();
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(next->id(), id);
}

TEST_F(PoolCancelTest, WhatCannotBeCancelledIsClosedInTime) {
  start();
  log_.fails = [](const std::string& kind, int) { return kind == "cancel"; };
  interrupted().give_back();
  scheduler_.run_for(options_.cancel_timeout + 100ms);

  EXPECT_EQ(log_.count("cancel"), 1);  // and not again when it is closed
  EXPECT_EQ(log_.count("reset"), 0);
  EXPECT_EQ(log_.count("close"), 1);
  EXPECT_EQ(pool_->statistics().counters.opened, 2u);
}

// As everything else that happens to a connection that may have to go at short notice.
TEST_F(PoolCancelTest, TakesNoLongerThanHalfOfTheNotice) {
  retire_.emplace(200ms);
  start();
  log_.fails = [](const std::string& kind, int) { return kind == "cancel"; };
  interrupted().give_back();
  scheduler_.run_for(99ms);
  EXPECT_EQ(log_.count("close"), 0);
  scheduler_.run_for(2ms);

  EXPECT_EQ(log_.count("close"), 1);
}

TEST_F(PoolCancelTest, WithoutAPermitThereIsNoCancel) {
  start();
  log_.fails = [](const std::string& kind, int number) { return kind == "permit" && number == 1; };
  interrupted().give_back();
  scheduler_.run_for(100ms);

  EXPECT_EQ(log_.count("cancel"), 0);
  EXPECT_EQ(log_.count("close"), 1);
}

TEST_F(PoolCancelTest, CanBeSwitchedOff) {
  options_.cancel_timeout = 0s;
  start();
  interrupted().give_back();
  scheduler_.run_for(100ms);

  EXPECT_EQ(log_.count("cancel"), 0);
  EXPECT_EQ(log_.count("close"), 1);
}

TEST_F(PoolCancelTest, WhatIsNotWantedBackIsCancelledBeforeItIsClosed) {
  start();
  interrupted().mark_broken();
  scheduler_.run_for(100ms);

  ASSERT_GE(log_.steps.size(), 3u);
  EXPECT_EQ(Steps(log_.steps.begin(), log_.steps.begin() + 3),
            (Steps{"permit", "cancel", "close"}));
}

}  // namespace
}  // namespace forebay::test
