// The reaper's dealings with what others left in the store: leases of the older kind, and counters
// that do not add up. How it treats leases that are renewed is in lease_loss_test.cpp.
#include "forebay/coordination/leases/lease_reaper.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/detail/env/detached.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "forebay/env/sim/sim_wall_clock.hpp"
#include "support/captured_log.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;

// A store that shows what it was told to, and notes what is asked of it.
class ShownStore final : public LeaseStore {
 public:
  Task<Result<AcquireReply>> acquire(AcquireRequest, Instant) override { co_return AcquireReply(); }
  Task<Result<ReleaseReply>> release(ReleaseRequest, Instant) override { co_return ReleaseReply(); }
  Task<Result<RenewReply>> renew(RenewRequest, Instant) override { co_return RenewReply(); }
  Task<Result<LeaseListing>> list(Instant) override {
    if (is_away) co_return failure(Errc::connect_failed, "away");
    co_return listing;
  }
  Task<Result<ReapReply>> reap(ReapRequest request, Instant) override {
    reaped.push_back(request.lease_id);
    std::erase_if(listing.leases, [&](const LeaseRecord& l) { return l.id == request.lease_id; });
    --listing.active;
    co_return ReapReply{true, 1};
  }
  Task<Result<RecountReply>> recount(RecountRequest request, Instant) override {
    ++recounts;
    if (request.mark != listing.mark) co_return RecountReply{false};
    listing.active = request.active;
    co_return RecountReply{true};
  }

  LeaseListing listing{0, "mark"};
  std::vector<std::string> reaped;
  int recounts = 0;
  bool is_away = false;
};

class LeaseReaperTest : public testing::Test {
 protected:
  LeaseReaperTest() { start_detached(scheduler_, reaper_.run(own_)); }
  ~LeaseReaperTest() override {
    reaper_.stop();
    scheduler_.run();
  }

  void add(const std::string& id, int held, bool is_renewed) {
    LeaseRecord& lease = store_.listing.leases.emplace_back(id, "test");
    lease.held = held;
    lease.version = is_renewed ? 1 : 0;
    lease.is_renewed = is_renewed;
    store_.listing.active += held;
  }

  const CapturedLog log_;
  sim::SimScheduler scheduler_;
  SeededRandom random_{1};
  sim::SimWallClock wall_clock_{scheduler_, WallTime(24h)};
  ShownStore store_;
  StoreContact contact_{5s, 67s};
  LeaseReaper reaper_{Env{scheduler_, random_, wall_clock_}, store_, contact_,
                      ReaperOptions{3min, 3min, 65min, 5s}};
  const std::string own_ = "own";
};

TEST_F(LeaseReaperTest, ALeaseThatIsNeverRenewedIsReapedWhenNoSessionCanLiveBehindIt) {
  add("ours", 2, true);
  add("older", 1, false);
  scheduler_.run_for(10min);
  EXPECT_EQ(store_.reaped, std::vector<std::string>{"ours"});

  scheduler_.run_for(55min);
  EXPECT_EQ(store_.reaped.size(), 1u);
  scheduler_.run_for(5min);
  EXPECT_EQ(store_.reaped, (std::vector<std::string>{"ours", "older"}));
}

TEST_F(LeaseReaperTest, WhatWasSeenBeforeAnOutageCountsForNothing) {
  add("older", 1, false);
  store_.listing.active += 4;
  scheduler_.run_for(60min);
  store_.is_away = true;
  scheduler_.run_for(2min);
  store_.is_away = false;
  scheduler_.run_for(60min);

  EXPECT_TRUE(store_.reaped.empty());
  EXPECT_EQ(store_.recounts, 0);
}

TEST_F(LeaseReaperTest, AResetCounterIsSetRightAtTheNextLook) {
  add("own", 9, true);
  scheduler_.run_for(1min);
  EXPECT_EQ(store_.recounts, 0);
  store_.listing.active = 0;
  scheduler_.run_for(1min);

  EXPECT_EQ(store_.listing.active, 9);
  EXPECT_EQ(store_.recounts, 1);
  EXPECT_THAT(log_.lines(),
              testing::ElementsAre("warning Lease counter put right reason=reset said=0 leased=9"));
}

TEST_F(LeaseReaperTest, ADriftIsTakenBackAfterAWholeSession) {
  add("own", 9, true);
  store_.listing.active = 14;
  scheduler_.run_for(65min);
  EXPECT_EQ(store_.listing.active, 14);
  scheduler_.run_for(5min);

  EXPECT_EQ(store_.listing.active, 9);
  EXPECT_THAT(log_.lines(),
              testing::ElementsAre(
                  "warning Lease counter put right reason=drift said=14 leased=9 watched=1h5m39s"));
}

}  // namespace
}  // namespace forebay::test
