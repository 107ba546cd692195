// What every store of node numbers must do, as one suite: include it, and instantiate it with a
// maker of empty stores.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "forebay/env/task_group.hpp"
#include "support/store_world.hpp"

namespace forebay::test {

class NodeConformance : public testing::TestWithParam<MakeStoreWorld> {
 protected:
  static constexpr WallTime kNow{std::chrono::hours(24 * 365 * 50)};

  static NodeClaim claim_of(int number, const std::string& holder, std::uint64_t seen,
                            std::int64_t until) {
    NodeClaim claim(number, holder);
    claim.seen = seen;
    claim.ids_until = until;
    claim.ttl = std::chrono::minutes(3);
    claim.service = "test";
    claim.now = kNow;
    return claim;
  }
  bool claim(int number, const std::string& holder, std::uint64_t seen, std::int64_t until) {
    const NodeClaim request = claim_of(number, holder, seen, until);
    return ask(world_->nodes().claim(request, world_->deadline()));
  }
  bool renew(int number, const std::string& holder, std::int64_t until) {
    const NodeRenewal request(number, holder, until, kNow);
    return ask(world_->nodes(1).renew(request, world_->deadline()));
  }
  void release(int number, const std::string& holder) {
    const NodeRelease request(number, holder, kNow);
    EXPECT_FALSE(ask(world_->nodes().release(request, world_->deadline())));
  }
  bool ask(Task<Result<NodeReply>> task) { return world_->ask(std::move(task)).value().is_held; }
  std::vector<NodeRecord> list() {
    return world_->ask(world_->nodes(2).list(world_->deadline())).value();
  }
  NodeRecord find(int number) {
    for (NodeRecord& record : list()) {
      if (record.number == number) return record;
    }
    ADD_FAILURE() << "there is no record of number " << number;
    return NodeRecord(-1);
  }

  Task<void> claim_at_once(int& granted) {
    TaskGroup group(world_->scheduler());
    for (int i = 0; i < 12; ++i) group.spawn(claim_one(i, granted));
    co_await group.join();
  }
  Task<void> claim_one(int process, int& granted) {
    NodeStore& store = world_->nodes(static_cast<std::size_t>(process) % StoreWorld::kProcesses);
    const NodeClaim request = claim_of(7, "process" + std::to_string(process), 0, 100);
    const Result<NodeReply> reply = co_await store.claim(request, world_->deadline());
    EXPECT_TRUE(reply.has_value());
    if (reply && reply->is_held) ++granted;
  }

  std::unique_ptr<StoreWorld> world_ = GetParam()(RateLimits());
};

TEST_P(NodeConformance, AFreeNumberIsGivenToOne) {
  EXPECT_TRUE(list().empty());
  EXPECT_TRUE(claim(1023, "a", 0, 500));
  EXPECT_FALSE(claim(1023, "b", 0, 900));
  EXPECT_TRUE(claim(0, "b", 0, 600));

  EXPECT_EQ(list().size(), 2u);
  const NodeRecord record = find(1023);
  EXPECT_EQ(record.holder, "a");
  EXPECT_EQ(record.version, 1u);
  EXPECT_EQ(record.ids_until, 500);
  EXPECT_EQ(record.ttl, std::chrono::minutes(3));
}

TEST_P(NodeConformance, OfManyWhoClaimAtOnceOneSucceeds) {
  int granted = 0;
  world_->run(claim_at_once(granted));
  EXPECT_EQ(granted, 1);
  EXPECT_EQ(find(7).version, 1u);
}

TEST_P(NodeConformance, AClaimMayBeRepeated) {
  EXPECT_TRUE(claim(5, "a", 0, 500));
  EXPECT_TRUE(claim(5, "a", 0, 500));
  EXPECT_EQ(find(5).version, 1u);
  EXPECT_TRUE(claim(5, "b", 1, 500));
  EXPECT_TRUE(claim(5, "b", 1, 500));
  EXPECT_FALSE(claim(5, "a", 0, 500));
  EXPECT_EQ(find(5).holder, "b");
  EXPECT_EQ(find(5).version, 2u);
}

TEST_P(NodeConformance, OnlyItsHolderRenewsAndTimesNeverFall) {
  EXPECT_FALSE(renew(5, "a", 500));
  EXPECT_TRUE(claim(5, "a", 0, 500));
  EXPECT_TRUE(renew(5, "a", 800));
  EXPECT_TRUE(renew(5, "a", 800));
  EXPECT_EQ(find(5).version, 3u);
  EXPECT_FALSE(renew(5, "b", 900));
  EXPECT_FALSE(renew(5, "a", 799));

  EXPECT_EQ(find(5).version, 3u);
  EXPECT_EQ(find(5).ids_until, 800);
}

TEST_P(NodeConformance, ATakeoverNeedsTheVersionThatWasSeenAndLaterTimes) {
  EXPECT_TRUE(claim(5, "a", 0, 500));
  EXPECT_TRUE(renew(5, "a", 800));
  EXPECT_FALSE(claim(5, "b", 1, 900));
  EXPECT_FALSE(claim(5, "b", 2, 700));
  EXPECT_TRUE(claim(5, "b", 2, 900));

  EXPECT_FALSE(renew(5, "a", 1'000));
  release(5, "a");
  EXPECT_EQ(find(5).holder, "b");
  EXPECT_EQ(find(5).ids_until, 900);
}

TEST_P(NodeConformance, AClaimOfARecordThatIsNotThereLeavesNothing) {
  EXPECT_FALSE(claim(5, "a", 3, 500));
  EXPECT_TRUE(list().empty());
  EXPECT_TRUE(claim(5, "a", 0, 500));
}

TEST_P(NodeConformance, AReleasedNumberKeepsItsTimes) {
  EXPECT_TRUE(claim(5, "a", 0, 500));
  release(5, "a");
  release(5, "a");
  const NodeRecord record = find(5);
  EXPECT_EQ(record.holder, "");
  EXPECT_EQ(record.version, 2u);
  EXPECT_EQ(record.ids_until, 500);
  EXPECT_FALSE(renew(5, "a", 600));
  EXPECT_TRUE(claim(5, "b", 2, 600));
}

}  // namespace forebay::test
