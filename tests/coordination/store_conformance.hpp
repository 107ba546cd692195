// What every coordination store must do, as one suite: include it, and instantiate it with a maker
// of empty stores.
//
//   INSTANTIATE_TEST_SUITE_P(Memory, StoreConformance, testing::Values(&make_memory_world));
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "forebay/coordination/lease_store.hpp"
#include "forebay/coordination/memory_store.hpp"
#include "forebay/coordination/rate_store.hpp"

namespace forebay::test {

using namespace std::chrono_literals;

// An empty store, and a way to run tasks until they end.
class StoreWorld {
 public:
  virtual ~StoreWorld() = default;
  virtual LeaseStore& leases() = 0;
  virtual RateStore& rates() = 0;
  virtual void run(Task<void> task) = 0;
};
using MakeStoreWorld = std::unique_ptr<StoreWorld> (*)(RateLimits limits);

class StoreConformance : public testing::TestWithParam<MakeStoreWorld> {
 protected:
  static constexpr WallTime kNow{std::chrono::hours(24 * 365 * 50)};

  AcquireReply acquire(const std::string& id, std::uint64_t sequence, int count, int limit = 100) {
    AcquireRequest request(LeaseChange(id, sequence, count), limit);
    request.service = "test";
    request.now = kNow;
    request.expires_at = kNow + 3min;
    return ask(world_->leases().acquire(request, kNever));
  }
  ReleaseReply release(const std::string& id, std::uint64_t sequence, int count) {
    ReleaseRequest request(LeaseChange(id, sequence, count), kNow);
    return ask(world_->leases().release(request, kNever));
  }
  RenewReply renew(const std::string& id) {
    return ask(world_->leases().renew(RenewRequest(id, kNow, kNow + 3min), kNever));
  }
  std::vector<LeaseRecord> list() { return ask(world_->leases().list(kNever)); }
  std::optional<LeaseRecord> find(const std::string& id) {
    for (LeaseRecord& record : list())
      if (record.id == id) return record;
    return std::nullopt;
  }
  ReapReply reap(const std::string& id, std::uint64_t version) {
    return ask(world_->leases().reap(ReapRequest(id, version, kNow), kNever));
  }
  TakeReply take(int wanted, WallTime now, Duration notice = {}) {
    const RequestToken token{1, ++tokens_};
    return ask(world_->rates().take(TakeRequest(token, wanted, now, notice), kNever));
  }

  template <class Reply>
  Reply ask(Task<Result<Reply>> task) {
    std::optional<Result<Reply>> result;
    world_->run(store(std::move(task), result));
    return result->value();
  }
  template <class Reply>
  static Task<void> store(Task<Result<Reply>> task, std::optional<Result<Reply>>& result) {
    result = co_await std::move(task);
  }

  // 10 a second, 2 at once.
  std::unique_ptr<StoreWorld> world_ = GetParam()(RateLimits{10, 2, 1s});
  std::uint64_t tokens_ = 0;
};

TEST_P(StoreConformance, AnAcquireRaisesCounterAndLeaseTogether) {
  const AcquireReply first = acquire("a", 1, 3);
  const AcquireReply second = acquire("b", 1, 4);
  const AcquireReply third = acquire("a", 2, 5);

  EXPECT_EQ(first.outcome, AcquireOutcome::granted);
  EXPECT_EQ(first.active, 3);
  EXPECT_EQ(first.held, 3);
  EXPECT_EQ(second.active, 7);
  EXPECT_EQ(second.held, 4);
  EXPECT_EQ(third.active, 12);
  EXPECT_EQ(third.held, 8);
  EXPECT_EQ(list().size(), 2u);
  EXPECT_EQ(find("a")->held, 8);
  EXPECT_EQ(find("a")->service, "test");
}

TEST_P(StoreConformance, AnAcquireThatWouldPassTheLimitGetsNothing) {
  acquire("a", 1, 8, 10);

  const AcquireReply refused = acquire("b", 1, 3, 10);
  EXPECT_EQ(refused.outcome, AcquireOutcome::limit_reached);
  EXPECT_EQ(refused.active, 8);
  EXPECT_FALSE(find("b").has_value());

  // The sequence was not used up.
  EXPECT_EQ(acquire("b", 1, 2, 10).outcome, AcquireOutcome::granted);
  EXPECT_EQ(acquire("a", 2, 1, 10).outcome, AcquireOutcome::limit_reached);
}

TEST_P(StoreConformance, WhatExistsIsCountedAboveTheLimit) {
  acquire("a", 1, 10, 10);
  const AcquireReply reply = acquire("b", 1, 5, kNoLimit);
  EXPECT_EQ(reply.outcome, AcquireOutcome::granted);
  EXPECT_EQ(reply.active, 15);
}

TEST_P(StoreConformance, ARepeatedChangeIsMadeOnce) {
  acquire("a", 1, 3);
  const AcquireReply again = acquire("a", 1, 3);
  EXPECT_EQ(again.outcome, AcquireOutcome::granted);
  EXPECT_EQ(again.held, 3);

  release("a", 2, 1);
  const ReleaseReply back = release("a", 2, 1);
  EXPECT_EQ(back.outcome, HolderOutcome::done);
  EXPECT_EQ(back.held, 2);
  EXPECT_EQ(back.active, 2);
}

TEST_P(StoreConformance, AnOldChangeThatArrivesLateDoesNothing) {
  acquire("a", 1, 3);
  release("a", 2, 1);
  acquire("a", 3, 2);

  EXPECT_EQ(release("a", 2, 1).outcome, HolderOutcome::lost);
  EXPECT_EQ(acquire("a", 1, 3).outcome, AcquireOutcome::lost);
  EXPECT_EQ(find("a")->held, 4);
}

TEST_P(StoreConformance, AnAcquireForALeaseThatIsGoneSaysSo) {
  EXPECT_EQ(acquire("a", 2, 1).outcome, AcquireOutcome::lost);
  EXPECT_EQ(release("a", 2, 1).outcome, HolderOutcome::lost);
  EXPECT_EQ(renew("a").outcome, HolderOutcome::lost);
  EXPECT_TRUE(list().empty());
}

TEST_P(StoreConformance, GivingBackTheLastConnectionEndsTheLease) {
  acquire("a", 1, 3);
  const ReleaseReply reply = release("a", 2, 3);
  EXPECT_EQ(reply.outcome, HolderOutcome::done);
  EXPECT_EQ(reply.active, 0);
  EXPECT_TRUE(list().empty());

  const ReleaseReply again = release("a", 2, 3);
  EXPECT_EQ(again.outcome, HolderOutcome::lost);
  EXPECT_EQ(again.active, 0);
}

TEST_P(StoreConformance, EverySignOfLifeChangesTheVersion) {
  acquire("a", 1, 3);
  const std::uint64_t made = find("a")->version;
  EXPECT_EQ(renew("a").held, 3);
  const std::uint64_t renewed = find("a")->version;
  acquire("a", 2, 1);
  const std::uint64_t grown = find("a")->version;
  release("a", 3, 1);
  const std::uint64_t shrunk = find("a")->version;

  EXPECT_LT(made, renewed);
  EXPECT_LT(renewed, grown);
  EXPECT_LT(grown, shrunk);
}

TEST_P(StoreConformance, OnlyASilentLeaseIsReapedAndOnlyOnce) {
  acquire("a", 1, 3);
  acquire("b", 1, 4);
  const std::uint64_t seen = find("a")->version;
  renew("a");
  EXPECT_FALSE(reap("a", seen).is_reaped);

  const ReapReply reaped = reap("a", find("a")->version);
  EXPECT_TRUE(reaped.is_reaped);
  EXPECT_EQ(reaped.connections, 3);
  EXPECT_FALSE(reap("a", seen + 1).is_reaped);
  EXPECT_EQ(acquire("b", 2, 1).active, 5);
  EXPECT_EQ(renew("a").outcome, HolderOutcome::lost);
}

TEST_P(StoreConformance, ARestedBucketGivesItsBurstAndThenPlacesAhead) {
  const TakeReply reply = take(4, kNow);

  ASSERT_EQ(reply.granted, 4);
  EXPECT_EQ(reply.start(0), kNow);
  EXPECT_EQ(reply.start(1), kNow);
  EXPECT_EQ(reply.start(2), kNow + 100ms);
  EXPECT_EQ(reply.start(3), kNow + 200ms);
}

TEST_P(StoreConformance, OneRequestGetsAShareOfWhatLiesAhead) {
  EXPECT_EQ(take(50, kNow).granted, 4);

  // Others still find places within the horizon.
  EXPECT_EQ(take(2, kNow).granted, 2);
}

TEST_P(StoreConformance, NothingIsGivenOutBeyondTheHorizon) {
  WallTime last = kNow;
  for (int i = 0; i < 20; ++i) {
    const TakeReply reply = take(5, kNow);
    if (reply.granted > 0) last = reply.start(reply.granted - 1);
  }
  EXPECT_EQ(last, kNow + 1s);

  const TakeReply refused = take(5, kNow);
  EXPECT_EQ(refused.granted, 0);
  EXPECT_EQ(refused.retry_at, kNow + 100ms);
  EXPECT_EQ(take(5, refused.retry_at).granted, 1);
}

TEST_P(StoreConformance, PlacesStartNoEarlierThanTheNotice) {
  const TakeReply reply = take(3, kNow, 40ms);
  ASSERT_EQ(reply.granted, 3);
  EXPECT_EQ(reply.start(0), kNow + 40ms);
  EXPECT_EQ(reply.start(1), kNow + 40ms);
  EXPECT_EQ(reply.start(2), kNow + 140ms);
}

TEST_P(StoreConformance, ACallerWhoseClockIsBehindLearnsTheTime) {
  take(4, kNow);
  const TakeReply reply = take(1, kNow - 60s);
  EXPECT_EQ(reply.now, kNow);
  ASSERT_EQ(reply.granted, 1);
  EXPECT_EQ(reply.start(0), kNow + 300ms);
}

}  // namespace forebay::test
