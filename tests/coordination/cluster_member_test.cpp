// Processes that share a limit and a rate through one object each, over a store in memory.
#include "forebay/coordination/cluster_member.hpp"

#include <map>
#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include "forebay/base/log.hpp"
#include "support/counted_sources.hpp"
#include "support/fake_connector.hpp"
#include "support/flaky_store.hpp"
#include "support/rate_world.hpp"

namespace forebay::test {
namespace {

// A process with one pool that keeps `wanted` connections ready.
struct Node {
  Node(sim::SimScheduler& node_scheduler, MemoryCoordination& model, FakeServer& server,
       const ClusterOptions& options, std::uint64_t seed)
      : scheduler(node_scheduler),
        random(seed),
        wall_clock(scheduler, WallTime(24h)),
        store(scheduler, model, seed + 1),
        connector(server),
        member(Env{scheduler, random, wall_clock}, MemberStores{&store, &store}, options, nullptr) {
    member.start();
  }

  void open(int wanted) {
    PoolOptions options;
    options.size.max = wanted;
    options.supply = Supply::reservoir;
    pool.emplace(Env{scheduler, random, wall_clock}, connector, options, member.sharing());
    start_detached(scheduler, drop(pool->start()));
  }
  static Task<void> drop(Task<bool> task) { co_await std::move(task); }
  static Task<void> keep(Task<bool> task, std::optional<bool>& result) {
    result = co_await std::move(task);
  }
  bool finish(Task<bool> task) {
    std::optional<bool> result;
    start_detached(scheduler, keep(std::move(task), result));
    while (!result && scheduler.step()) {
    }
    return *result;
  }
  bool close_pool() {
    const bool is_gone = finish(pool->close(scheduler.now() + 10min));
    pool.reset();
    return is_gone;
  }
  bool close(Duration limit = 1min) {
    is_closed = true;
    return finish(member.close(scheduler.now() + limit));
  }

  sim::SimScheduler& scheduler;
  SeededRandom random;
  sim::SimWallClock wall_clock;
  FlakyStore store;
  FakeConnector connector;
  ClusterMember member;
  std::optional<Pool> pool;
  bool is_closed = false;
};

class ClusterMemberTest : public testing::Test {
 protected:
  ClusterMemberTest() {
    options_.service = "test";
    options_.limit = 10;
    options_.connects_per_second = 10;
    options_.burst = 1;
  }
  ~ClusterMemberTest() override {
    scheduler_.set_after_step({});
    end_all();
  }
  void end_all() {
    for (const auto& node : nodes_) {
      node->store.fate = {};
      if (node->pool) node->close_pool();
      if (!node->is_closed) node->close();
    }
    nodes_.clear();
  }

  Node& add() {
    nodes_.push_back(
        std::make_unique<Node>(scheduler_, model_, server_, options_, 1 + 1000 * nodes_.size()));
    return *nodes_.back();
  }

  void join(int wanted) { add().open(wanted); }
  // Its sessions end, and nothing that it says reaches the store.
  static void die(Node& node) {
    node.store.fate = [](const std::string&, int) { return Fate::away; };
    node.close_pool();
    node.close(0s);
  }

  const log::Mute quiet_;
  sim::SimScheduler scheduler_;
  MemoryCoordination model_{RateLimits{10, 1}};
  FakeServer server_{scheduler_};
  ClusterOptions options_;
  std::vector<std::unique_ptr<Node>> nodes_;
};

TEST_F(ClusterMemberTest, WhatThePoolsOpenIsLeasedAndGivenBackAtTheEnd) {
  Node& node = add();
  node.open(4);
  scheduler_.run_for(10s);
  EXPECT_EQ(node.pool->gauges().ready, 4);
  EXPECT_EQ(model_.active(), 4);
  EXPECT_EQ(node.member.statistics().held, 4);
  EXPECT_EQ(node.member.statistics().in_use, 4);
  EXPECT_GE(node.member.statistics().lease_requests, 1u);
  EXPECT_GE(node.member.statistics().rate_requests, 1u);

  EXPECT_TRUE(node.close_pool());
  EXPECT_TRUE(node.close());

  EXPECT_EQ(model_.active(), 0);
  EXPECT_EQ(model_.leases(), 0u);
  EXPECT_EQ(server_.sessions, 0);
}

TEST_F(ClusterMemberTest, CloseSaysWhenSomethingIsStillInUse) {
  Node& node = add();
  node.open(2);
  scheduler_.run_for(5s);

  EXPECT_FALSE(node.close(1s));

  EXPECT_EQ(model_.active(), 2) << "what is open stays leased until it is reaped";
}

TEST_F(ClusterMemberTest, TwoMembersShareOneLimit) {
  options_.limit = 6;
  scheduler_.set_after_step([this] {
    ASSERT_LE(server_.sessions, 6);
    ASSERT_LE(server_.sessions, model_.active());
  });
  Node& first = add();
  Node& second = add();
  first.open(4);
  second.open(4);

  scheduler_.run_for(30s);

  EXPECT_EQ(first.pool->gauges().ready + second.pool->gauges().ready, 6);
  EXPECT_GE(first.pool->gauges().ready, 1);
  EXPECT_GE(second.pool->gauges().ready, 1);
  EXPECT_EQ(model_.active(), 6);
}

TEST_F(ClusterMemberTest, TwoMembersShareOneRate) {
  options_.limit = 100;
  Node& first = add();
  Node& second = add();
  first.open(40);
  second.open(40);

  scheduler_.run_for(60s);

  EXPECT_EQ(server_.sessions, 80);
  check_windows(server_.connect_starts, 10, 1);
  EXPECT_GT(first.member.statistics().permit_waits, 0u);
}

TEST_F(ClusterMemberTest, AFencedMemberLetsGoBeforeItsLeaseCanEnd) {
  options_.on_loss = LeaseLoss::fence;
  options_.ttl = 60s;
  options_.fence_before = 20s;
  Node& node = add();
  node.open(4);
  scheduler_.run_for(10s);
  ASSERT_EQ(server_.sessions, 4);
  server_.close_time = 9s;

  node.store.fate = [](const std::string&, int) { return Fate::away; };
  scheduler_.run_for(60s - 1ms);

  EXPECT_EQ(server_.sessions, 0);
  EXPECT_EQ(node.pool->statistics().counters.discarded(DiscardReason::lease_lost), 4u);
  EXPECT_TRUE(node.member.statistics().is_lost);

  node.store.fate = {};
  scheduler_.run_for(60s);

  EXPECT_EQ(node.pool->gauges().ready, 4) << "the store is back, and so are they";
  EXPECT_FALSE(node.member.statistics().is_lost);
}

// Servers that do not answer must not make a connection outlive its lease.
TEST_F(ClusterMemberTest, AFencedPoolTakesNoLongerThanItsNoticeAllows) {
  options_.on_loss = LeaseLoss::fence;
  options_.ttl = 60s;
  options_.fence_before = 20s;
  Node& node = add();
  node.open(4);
  scheduler_.run_for(10s);
  server_.close_time = 1h;
  server_.fails = [](const std::string& step, int) { return step == "close"; };

  node.store.fate = [](const std::string&, int) { return Fate::away; };
  scheduler_.run_for(60s - 1ms);

  EXPECT_EQ(server_.sessions, 0);
}

TEST_F(ClusterMemberTest, AMemberThatKeepsLivesOnWhileTheStoreIsAway) {
  options_.ttl = 60s;
  Node& node = add();
  node.open(4);
  scheduler_.run_for(10s);

  node.store.fate = [](const std::string&, int) { return Fate::away; };
  scheduler_.run_for(2min);

  EXPECT_EQ(node.pool->gauges().ready, 4);
  EXPECT_EQ(node.member.sharing().retire->notice(), Duration::max());  // nobody hurries the pool
}

// Eight processes want ten each of forty. Those who come late get their share, and so does
// everybody after two have died and two have joined.
TEST_F(ClusterMemberTest, AFullClusterIsSharedFairly) {
  options_.limit = 40;
  options_.ttl = 3s;
  options_.session_linger = 1s;
  options_.stagger = 0s;
  for (int i = 0; i < 4; ++i) join(10);
  scheduler_.run_for(10s);
  for (const auto& node : nodes_) EXPECT_EQ(node->pool->gauges().ready, 10);
  for (int i = 0; i < 4; ++i) join(10);
  const auto expect_shares = [&] {
    for (const auto& node : nodes_) {
      if (node->is_closed) continue;
      EXPECT_GE(node->pool->gauges().ready, 4);
      EXPECT_LE(node->pool->gauges().ready, 6);
    }
  };
  const auto discards = [&] {
    std::uint64_t sum = 0;
    for (const auto& node : nodes_) {
      if (node->is_closed) continue;
      for (const std::uint64_t count : node->pool->statistics().counters.discards) sum += count;
    }
    return sum;
  };
  scheduler_.run_for(10s);
  expect_shares();
  const std::uint64_t before = discards();
  scheduler_.run_for(50s);
  expect_shares();
  EXPECT_EQ(discards(), before);  // nobody is hungry, and nothing moves

  die(*nodes_[0]);
  die(*nodes_[5]);
  for (int i = 0; i < 2; ++i) join(10);
  scheduler_.run_for(10s);
  expect_shares();
  for (int i = 0; i < 8; ++i) join(1);  // the smallest share is 2, and they want less
  scheduler_.run_for(10s);
  for (std::size_t i = 10; i < 18; ++i) EXPECT_EQ(nodes_[i]->pool->gauges().ready, 1);
}

// Claims travel with renewals, so that sharing costs nothing while all have enough. Eight that want
// twice their share ask again when what they know has become old.
TEST_F(ClusterMemberTest, SharingCostsFewWrites) {
  options_.limit = 40;
  options_.ttl = 60s;
  options_.stagger = 0s;
  std::map<std::string, int> steps;
  const auto writes_in_ten_minutes = [&](int wanted) {
    for (int i = 0; i < 8; ++i) join(wanted);
    scheduler_.run_for(3min);
    for (const auto& node : nodes_) {
      node->store.fate = [&](const std::string& step, int) {
        ++steps[step];
        return Fate::answered;
      };
    }
    steps.clear();
    scheduler_.run_for(10min);
    int writes = 0;
    for (const auto& [step, count] : steps)
      if (step != "list") writes += count;
    const std::map<std::string, int> seen = steps;
    end_all();
    steps = seen;
    return writes;
  };

  const int enough = writes_in_ten_minutes(5);
  EXPECT_EQ(steps["acquire"] + steps["release"], 0);
  const int hungry = writes_in_ten_minutes(10);

  EXPECT_LE(hungry, 2.5 * enough) << "against " << enough;
}

TEST_F(ClusterMemberTest, WithoutStoresOnlyTokensAreShared) {
  SeededRandom random(1);
  sim::SimWallClock wall_clock(scheduler_, WallTime());
  StepLog steps;
  CountedTokens tokens(steps);
  ClusterMember member(Env{scheduler_, random, wall_clock}, MemberStores{}, options_, &tokens);

  const PoolSharing sharing = member.sharing();

  EXPECT_EQ(sharing.leases, nullptr);
  EXPECT_EQ(sharing.permits, nullptr);
  EXPECT_EQ(sharing.retire, nullptr);
  EXPECT_EQ(sharing.tokens, &tokens);
}

}  // namespace
}  // namespace forebay::test
