// What every coordination store must do, as one suite: include it, and instantiate it with a maker
// of empty stores.
//
//   INSTANTIATE_TEST_SUITE_P(Memory, StoreConformance, testing::Values(&make_memory_world));
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "forebay/env/task_group.hpp"
#include "support/store_world.hpp"

namespace forebay::test {

using namespace std::chrono_literals;

class StoreConformance : public testing::TestWithParam<MakeStoreWorld> {
 protected:
  static constexpr WallTime kNow{std::chrono::hours(24 * 365 * 50)};

  AcquireReply acquire(const std::string& id, std::uint64_t sequence, int count, int limit = 100) {
    AcquireRequest request(LeaseChange(id, sequence, count), limit);
    request.service = "test";
    request.reap_after = 3min;
    request.now = kNow;
    return ask(world_->leases().acquire(request, world_->deadline()));
  }
  ReleaseReply release(const std::string& id, std::uint64_t sequence, int count) {
    ReleaseRequest request(LeaseChange(id, sequence, count), kNow);
    return ask(world_->leases().release(request, world_->deadline()));
  }
  RenewReply renew(const std::string& id) {
    return ask(world_->leases().renew(RenewRequest(id, kNow), world_->deadline()));
  }
  LeaseListing listing() { return ask(world_->leases().list(world_->deadline())); }
  std::vector<LeaseRecord> list() { return listing().leases; }
  std::optional<LeaseRecord> find(const std::string& id) {
    for (LeaseRecord& record : list())
      if (record.id == id) return record;
    return std::nullopt;
  }
  ReapReply reap(const std::string& id, std::uint64_t version) {
    return ask(world_->leases().reap(ReapRequest(id, version, kNow), world_->deadline()));
  }
  bool recount(const std::string& mark, int active) {
    RecountRequest request(mark, active, kNow);
    return ask(world_->leases().recount(request, world_->deadline())).is_done;
  }
  TakeReply take(int wanted, WallTime now, Duration notice = {}, std::size_t process = 0) {
    TakeRequest request(RequestToken{1, ++tokens_}, wanted, now, notice);
    return ask(world_->rates(process).take(request, world_->deadline()));
  }
  void count_by_the_second() {
    RateLimits limits;
    limits.connects_per_second = 8;
    limits.mode = RateMode::window;
    world_ = GetParam()(limits);
  }

  template <class Reply>
  Reply ask(Task<Result<Reply>> task) {
    return world_->ask(std::move(task)).value();
  }

  // Three connections for each of 20 leases, from all processes at once.
  Task<void> acquire_at_once(int& granted, int& refused) {
    TaskGroup group(world_->scheduler());
    for (std::size_t i = 0; i < 20; ++i) group.spawn(acquire_one(i, granted, refused));
    co_await group.join();
  }
  Task<void> acquire_one(std::size_t number, int& granted, int& refused) {
    LeaseStore& store = world_->leases(number % StoreWorld::kProcesses);
    AcquireRequest request(LeaseChange("lease" + std::to_string(number), 1, 3), 20);
    request.now = kNow;
    const Result<AcquireReply> reply = co_await store.acquire(request, world_->deadline());
    if (!reply) {
      ADD_FAILURE() << reply.error().text();
      co_return;
    }
    if (reply->outcome == AcquireOutcome::granted) ++granted;
    if (reply->outcome == AcquireOutcome::limit_reached) ++refused;
  }

  static bool is_crowded(const Result<TakeReply>& reply) {
    return !reply && reply.error().code() == Errc::limit_reached;
  }

  Task<void> take_at_once(std::vector<WallTime>& starts) {
    TaskGroup group(world_->scheduler());
    for (std::size_t i = 0; i < StoreWorld::kProcesses; ++i) group.spawn(take_some(i, starts));
    co_await group.join();
  }
  Task<void> take_some(std::size_t process, std::vector<WallTime>& starts) {
    for (std::uint64_t round = 1; round <= 3; ++round) {
      TakeRequest request(RequestToken{process + 2, round}, 2, kNow, 0s);
      Result<TakeReply> reply = co_await world_->rates(process).take(request, world_->deadline());
      // A store may give up where too many come at once. Agents ask again, and so does this.
      for (int again = 0; again < 10 && is_crowded(reply); ++again) {
        reply = co_await world_->rates(process).take(request, world_->deadline());
      }
      if (!reply) {
        ADD_FAILURE() << reply.error().text();
        co_return;
      }
      for (int place = 0; place < reply->granted; ++place) starts.push_back(reply->start(place));
    }
  }

  // 10 a second, 2 at once.
  std::unique_ptr<StoreWorld> world_ = GetParam()(RateLimits{10, 2, 1s, RateMode::bucket});
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
  EXPECT_EQ(find("a")->reap_after, 3min);
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

TEST_P(StoreConformance, AListingTellsEverythingAboutEveryLease) {
  acquire("a", 1, 3);
  acquire("b", 1, 4);
  const LeaseListing seen = listing();

  EXPECT_EQ(seen.active, 7);
  EXPECT_EQ(seen.held_in_all(), 7);
  ASSERT_EQ(seen.leases.size(), 2u);
  const LeaseRecord lease = *find("a");
  EXPECT_EQ(lease.service, "test");
  EXPECT_TRUE(lease.is_renewed);
  EXPECT_EQ(lease.version, 1u);
  EXPECT_EQ(lease.created_at, kNow);
  EXPECT_EQ(lease.renewed_at, kNow);
}

TEST_P(StoreConformance, ARecountHoldsOnlyIfNothingHasChanged) {
  EXPECT_EQ(listing().active, 0);
  acquire("a", 1, 3);
  const std::string before = listing().mark;
  acquire("a", 2, 1);
  EXPECT_FALSE(recount(before, 9));
  EXPECT_EQ(listing().active, 4);

  const std::string mark = listing().mark;
  renew("a");
  EXPECT_TRUE(recount(mark, 9));
  EXPECT_EQ(listing().active, 9);
  EXPECT_EQ(listing().held_in_all(), 4);
  EXPECT_FALSE(recount(mark, 5));
  EXPECT_EQ(acquire("b", 1, 1).active, 10);
}

TEST_P(StoreConformance, ACounterThatIsTooLowEndsAtZero) {
  acquire("a", 1, 3);
  acquire("b", 1, 2);
  EXPECT_TRUE(recount(listing().mark, 1));

  const ReleaseReply part = release("a", 2, 2);
  EXPECT_EQ(part.outcome, HolderOutcome::done);
  EXPECT_EQ(part.active, 0);
  EXPECT_EQ(part.held, 1);
  const ReleaseReply rest = release("a", 3, 1);
  EXPECT_EQ(rest.outcome, HolderOutcome::done);
  EXPECT_EQ(rest.active, 0);
  EXPECT_TRUE(reap("b", find("b")->version).is_reaped);
  EXPECT_EQ(listing().active, 0);
  EXPECT_TRUE(list().empty());
}

TEST_P(StoreConformance, NothingFitsUnderALimitThatIsSmallerThanTheWish) {
  const AcquireReply refused = acquire("a", 1, 3, 2);
  EXPECT_EQ(refused.outcome, AcquireOutcome::limit_reached);
  EXPECT_EQ(refused.active, 0);
  EXPECT_EQ(acquire("a", 1, 2, 2).outcome, AcquireOutcome::granted);
}

TEST_P(StoreConformance, AReleaseOfMoreThanIsHeldDoesNothing) {
  acquire("a", 1, 3);
  EXPECT_EQ(release("a", 2, 4).outcome, HolderOutcome::lost);
  EXPECT_EQ(listing().active, 3);
  EXPECT_EQ(release("a", 2, 3).outcome, HolderOutcome::done);
}

TEST_P(StoreConformance, ManyAcquiresAtOnceNeverPassTheLimit) {
  int granted = 0;
  int refused = 0;
  world_->run(acquire_at_once(granted, refused));

  EXPECT_EQ(granted, 6);
  EXPECT_EQ(refused, 14);
  EXPECT_EQ(listing().active, 18);
  EXPECT_EQ(listing().held_in_all(), 18);
}

TEST_P(StoreConformance, ManyTakesAtOnceKeepTheRate) {
  std::vector<WallTime> starts;
  world_->run(take_at_once(starts));
  std::sort(starts.begin(), starts.end());

  ASSERT_EQ(starts.size(), 12u);  // two at once, and ten within the horizon of one second
  for (std::size_t i = 2; i < starts.size(); ++i)
    EXPECT_EQ(starts[i], kNow + static_cast<int>(i - 1) * 100ms);
}

TEST_P(StoreConformance, AWindowGivesOutSecondsAndNeverMoreThanTheLimit) {
  count_by_the_second();
  // A quarter of what is left for each request, spread over what is left of the second.
  const TakeReply first = take(5, kNow + 200ms, 50ms);
  ASSERT_EQ(first.granted, 2);
  EXPECT_EQ(first.start(0), kNow + 250ms);
  EXPECT_EQ(first.start(1), kNow + 625ms);

  std::map<std::int64_t, int> seconds;
  for (std::size_t i = 0; i < 10; ++i) {
    const TakeReply reply = take(5, kNow + 500ms, 0ms, i % StoreWorld::kProcesses);
    for (int place = 0; place < reply.granted; ++place) ++seconds[(reply.start(place) - kNow) / 1s];
  }
  EXPECT_EQ(seconds, (std::map<std::int64_t, int>{{0, 6}, {1, 4}}));
  EXPECT_EQ(take(1, kNow + 600ms, 30ms).retry_at, kNow + 970ms);
  EXPECT_EQ(take(5, kNow + 1s).granted, 1);
  EXPECT_EQ(take(1, kNow + 1s).start(0), kNow + 1s);
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
