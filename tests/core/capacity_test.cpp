// Capacity against plain counters, alone, under a shared parent, and from several threads.
#include "forebay/core/capacity.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace forebay {
namespace {

TEST(CapacityTest, ApprovesUpToItsMaximum) {
  Capacity capacity(2);

  const std::optional<Approval> first = capacity.try_approve();
  const std::optional<Approval> second = capacity.try_approve();
  const std::optional<Approval> third = capacity.try_approve();

  EXPECT_TRUE(first.has_value());
  EXPECT_TRUE(second.has_value());
  EXPECT_FALSE(third.has_value());
  EXPECT_EQ(capacity.approved(), 2);
  EXPECT_EQ(capacity.room(), 0);
}

TEST(CapacityTest, AnApprovalGivesItselfBackWhenItDies) {
  Capacity capacity(1);
  {
    const std::optional<Approval> approval = capacity.try_approve();
  }

  const std::optional<Approval> again = capacity.try_approve();

  EXPECT_TRUE(again.has_value());
}

TEST(CapacityTest, AMovedApprovalIsGivenBackOnce) {
  Capacity capacity(2);
  std::optional<Approval> first = capacity.try_approve();
  std::optional<Approval> second = capacity.try_approve();

  *first = std::move(*second);
  const int after_assignment = capacity.approved();
  const Approval last(std::move(*first));
  first.reset();
  second.reset();

  EXPECT_EQ(after_assignment, 1);
  EXPECT_EQ(capacity.approved(), 1);
}

TEST(CapacityTest, AfterShrinkingNothingIsApprovedUntilEnoughCameBack) {
  Capacity capacity(3);
  std::vector<Approval> approvals;
  for (int i = 0; i < 3; ++i) approvals.push_back(*capacity.try_approve());

  capacity.set_max(1);
  approvals.pop_back();
  approvals.pop_back();
  const bool approved_when_full = capacity.try_approve().has_value();
  approvals.pop_back();
  const bool approved_with_room = capacity.try_approve().has_value();

  EXPECT_FALSE(approved_when_full);
  EXPECT_TRUE(approved_with_room);
}

TEST(CapacityTest, WhatIsGrantedIsTheChildsAlone) {
  Capacity parent(1);
  Capacity first(2, &parent);
  Capacity second(2, &parent);

  ASSERT_TRUE(parent.try_grant(second));

  EXPECT_EQ(parent.approved(), 1);
  EXPECT_FALSE(parent.try_grant(first));
  EXPECT_FALSE(first.try_approve().has_value());
  EXPECT_EQ(second.room(), 1);
  const std::optional<Approval> taken = second.try_approve();
  EXPECT_TRUE(taken.has_value());
  EXPECT_FALSE(second.try_approve().has_value());
}

TEST(CapacityTest, AGrantThatIsNotWantedGoesBack) {
  Capacity parent(1);
  Capacity child(1, &parent);
  ASSERT_TRUE(parent.try_grant(child));

  child.return_grants();

  EXPECT_EQ(parent.approved(), 0);
  EXPECT_EQ(parent.room(), 1);
}

TEST(CapacityTest, ACallIsAnsweredOnce) {
  Capacity parent(3);
  Capacity child(3, &parent);
  parent.call(1);

  EXPECT_TRUE(child.is_called());
  child.answer_call();
  child.answer_call();

  EXPECT_FALSE(child.is_called());
  EXPECT_EQ(parent.calls(), 0);
}

TEST(CapacityTest, PoolsThatShareAParentShareItsRoom) {
  Capacity parent(3);
  Capacity left(2, &parent);
  Capacity right(2, &parent);

  const std::array held = {left.try_approve(), left.try_approve(), right.try_approve()};
  const int room_on_the_right = right.room();
  const bool is_approved = right.try_approve().has_value();

  EXPECT_TRUE(held[2].has_value());
  EXPECT_EQ(room_on_the_right, 0);
  EXPECT_FALSE(is_approved);
  EXPECT_EQ(right.approved(), 1) << "a refusal of the parent must leave nothing behind";
}

TEST(CapacityDeathTest, ACapacityThatDiesBeforeItsApprovalsStopsTheProcess) {
  const auto die_too_early = [] {
    std::optional<Approval> approval;
    Capacity capacity(1);
    approval = capacity.try_approve();
  };

  EXPECT_DEATH(die_too_early(), "before its approvals");
}

// The model: for each of two pools and their parent, how many are out and how many may be.
struct Counter {
  int out = 0;
  int max = 0;
};

RC_GTEST_PROP(CapacityProperty, BehavesLikeCounters,
              (const std::vector<std::pair<std::uint8_t, std::uint8_t>>& commands)) {
  Capacity parent(5);
  std::array<Capacity, 2> pools = {Capacity(3, &parent), Capacity(4, &parent)};
  std::array<std::vector<Approval>, 2> approvals;
  Counter parent_model{.max = 5};
  std::array<Counter, 2> models = {Counter{.max = 3}, Counter{.max = 4}};

  for (const auto& [choice, value] : commands) {
    const std::size_t which = value % 2;
    Counter& model = models[which];
    if (choice < 128) {
      const bool has_room = model.out < model.max && parent_model.out < parent_model.max;
      std::optional<Approval> approval = pools[which].try_approve();
      RC_ASSERT(approval.has_value() == has_room);
      if (!approval) continue;
      approvals[which].push_back(std::move(*approval));
      ++model.out;
      ++parent_model.out;
    } else if (choice < 216 && !approvals[which].empty()) {
      approvals[which].pop_back();
      --model.out;
      --parent_model.out;
    } else if (choice >= 216) {
      const bool is_parent = choice >= 240;
      (is_parent ? parent_model : model).max = value % 8;
      (is_parent ? parent : pools[which]).set_max(value % 8);
    }
    const int parent_room = std::max(0, parent_model.max - parent_model.out);
    RC_ASSERT(parent.approved() == parent_model.out);
    RC_ASSERT(parent.room() == parent_room);
    for (std::size_t i = 0; i < pools.size(); ++i) {
      RC_ASSERT(pools[i].approved() == models[i].out);
      RC_ASSERT(pools[i].room() ==
                std::min(parent_room, std::max(0, models[i].max - models[i].out)));
    }
  }
}

// Each thread holds up to three at a time; the number alive is counted beside the capacity.
TEST(CapacityTest, ManyThreadsNeverHoldMoreThanTheMaximum) {
  constexpr int kThreads = 4;
  Capacity parent(5);
  std::array<Capacity, 2> pools = {Capacity(4, &parent), Capacity(4, &parent)};
  std::atomic<int> alive = 0;
  std::atomic<int> most_alive = 0;
  const auto work = [&](Capacity& pool) {
    for (int round = 0; round < 5'000; ++round) {
      std::vector<Approval> held;
      for (int i = 0; i < 3; ++i) {
        std::optional<Approval> approval = pool.try_approve();
        if (!approval) continue;
        held.push_back(std::move(*approval));
        const int now_alive = ++alive;
        int most = most_alive.load();
        while (now_alive > most && !most_alive.compare_exchange_weak(most, now_alive)) {
        }
      }
      alive -= static_cast<int>(held.size());
    }
  };

  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back(work, std::ref(pools[static_cast<std::size_t>(i % 2)]));
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_LE(most_alive.load(), 5);
  EXPECT_GT(most_alive.load(), 0);
  EXPECT_EQ(parent.approved(), 0);
  EXPECT_EQ(pools[0].approved() + pools[1].approved(), 0);
}

// A pool's lock is held when it notes that a connection is gone; who shares its budget hears of it
// later.
TEST(CapacityTest, AnApprovalGoesBackToThePoolFirstAndToTheParentWhenItDies) {
  int calls = 0;
  Capacity parent(2, nullptr, [&calls] { ++calls; });
  Capacity child(2, &parent);
  std::optional<Approval> approval = child.try_approve();
  ASSERT_TRUE(approval.has_value());

  approval->give_back_to_pool();
  EXPECT_EQ(child.approved(), 0);
  EXPECT_EQ(parent.approved(), 1);
  EXPECT_EQ(calls, 0);

  approval.reset();
  EXPECT_EQ(parent.approved(), 0);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace forebay
