// Who makes room, as a pure function.
#include "forebay/tenants/room_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Instant kNow(10s);

RoomRule rule_of(int budget) {
  RoomRule rule;
  rule.budget = budget;
  rule.stint = 100ms;
  return rule;
}

TenantStanding idle(int held, Duration unused_for = 1s) {
  TenantStanding standing;
  standing.held = held;
  standing.ready = held;
  standing.last_used = kNow - unused_for;
  return standing;
}
TenantStanding busy(int lent, int waiters = 0) {
  TenantStanding standing;
  standing.held = lent;
  standing.lent = lent;
  standing.waiters = waiters;
  standing.last_used = kNow;
  return standing;
}
TenantStanding starving(int lent = 0) {
  TenantStanding standing = busy(lent, 1);
  standing.lacks_room = true;
  return standing;
}

TEST(RoomPlanTest, NobodyInLineMeansNothingToDo) {
  const RoomPlan plan = plan_room({idle(3), busy(2)}, rule_of(5), 0, kNow);

  EXPECT_THAT(plan.close, IsEmpty());
  EXPECT_THAT(plan.shed, IsEmpty());
  EXPECT_EQ(plan.calls, 0);
  EXPECT_EQ(plan.wake_at, kNever);
}

TEST(RoomPlanTest, TheLeastRecentlyUsedIdlePoolIsClosed) {
  const RoomPlan plan = plan_room({busy(1), idle(2), idle(2), starving()}, rule_of(5), 0, kNow);

  EXPECT_THAT(plan.close, ElementsAre(1u));
  EXPECT_EQ(plan.calls, 0);
}

TEST(RoomPlanTest, RoomThatIsComingIsEnough) {
  const RoomPlan plan = plan_room({idle(2), starving()}, rule_of(5), 1, kNow);

  EXPECT_THAT(plan.close, IsEmpty());
}

TEST(RoomPlanTest, AsManyPoolsAsNeeded) {
  const RoomPlan plan = plan_room({idle(1), idle(3), idle(1), starving(), starving(), starving()},
                                  rule_of(5), 0, kNow);

  EXPECT_THAT(plan.close, ElementsAre(0u, 1u));
}

TEST(RoomPlanTest, WhatIsReadyInABusyPoolGoesNext) {
  TenantStanding half_busy = busy(1);
  half_busy.held = 3;
  half_busy.ready = 2;

  const RoomPlan plan = plan_room({half_busy, starving()}, rule_of(3), 0, kNow);

  ASSERT_EQ(plan.shed.size(), 1u);
  EXPECT_EQ(plan.shed[0].pool, 0u);
  EXPECT_EQ(plan.shed[0].connections, 1);
}

TEST(RoomPlanTest, WhoIsAboveItsShareYields) {
  const RoomPlan plan = plan_room({busy(8, 5), busy(2, 5), starving()}, rule_of(10), 0, kNow);

  EXPECT_EQ(plan.calls, 1);
  EXPECT_THAT(plan.yields, ElementsAre(5, 0, 0));  // a share is three
}

TEST(RoomPlanTest, WithMoreTenantsThanConnectionsStintsEnd) {
  TenantStanding old_one = busy(1, 5);
  old_one.stint_began = kNow - 100ms;
  TenantStanding young = busy(1, 5);
  young.stint_began = kNow - 30ms;

  const RoomPlan plan = plan_room({old_one, young, starving()}, rule_of(2), 0, kNow);

  EXPECT_EQ(plan.calls, 1);
  EXPECT_THAT(plan.yields, ElementsAre(1, 0, 0));
  EXPECT_EQ(plan.wake_at, kNow + 70ms);
}

// Two idle pools, one used a moment ago; who wants more has its share of one already.
TEST(RoomPlanTest, WhoHasItsShareGetsWhatHasNotBeenUsedForAStint) {
  const RoomPlan plan =
      plan_room({idle(1, 200ms), idle(1, 40ms), starving(1), starving(1)}, rule_of(2), 0, kNow);

  EXPECT_THAT(plan.close, ElementsAre(0u));
  EXPECT_EQ(plan.calls, 0);
  EXPECT_EQ(plan.wake_at, kNow + 60ms);
}

TEST(RoomPlanTest, WhoWantsToBeReadyTakesFromLessRecentOnesOnly) {
  TenantStanding hungry = idle(1);
  hungry.lacks_room = true;

  const RoomPlan before = plan_room({idle(1), hungry}, rule_of(2), 0, kNow);
  const RoomPlan behind = plan_room({hungry, idle(1)}, rule_of(2), 0, kNow);

  EXPECT_THAT(before.close, ElementsAre(0u));
  EXPECT_THAT(behind.close, IsEmpty());
}

// Any standings: nobody in use is closed, evictions are a prefix of the idle ones by recency, as
// much is made as is missing or may be asked for, and tenants without any are looked at again.
TEST(RoomPlanProperty, RoomIsMadeInOrderAndNotWithoutNeed) {
  EXPECT_TRUE(rc::check([] {
    const auto small = rc::gen::inRange(0, 4);
    std::vector<TenantStanding> standings;
    int held = 0;
    int in_line = 0;
    const int count = *rc::gen::inRange(1, 12);
    for (int i = 0; i < count; ++i) {
      TenantStanding each;
      each.lent = *small;
      each.waiters = *rc::gen::inRange(0, 2);
      each.ready = each.waiters > 0 ? 0 : *small;
      each.held = each.lent + each.ready;
      each.lacks_room = *rc::gen::arbitrary<bool>();
      each.last_used = Instant(std::chrono::milliseconds(9500 + 40 * i));
      each.stint_began = Instant(std::chrono::milliseconds(*rc::gen::inRange(9800, 10'000)));
      held += each.held;
      in_line += each.lacks_room ? 1 : 0;
      standings.push_back(each);
    }
    const int coming = *rc::gen::inRange(0, 3);

    const RoomPlan plan = plan_room(standings, rule_of(std::max(1, held)), coming, kNow);

    std::size_t closed = 0;
    for (std::size_t i = 0; i < standings.size(); ++i) {
      if (!standings[i].is_idle()) continue;
      if (closed == plan.close.size()) break;
      RC_ASSERT(plan.close[closed++] == i);
    }
    RC_ASSERT(closed == plan.close.size());
    RC_ASSERT(plan.calls <= std::max(0, in_line - coming));
    if (in_line == 0 || coming >= in_line) {
      RC_ASSERT(plan.close.empty() && plan.shed.empty() && plan.calls == 0);
    }
    if (plan.calls > 0) RC_ASSERT(plan.wake_at <= kNow + 100ms);
    for (const Shedding& shedding : plan.shed) {
      RC_ASSERT(shedding.connections <= standings[shedding.pool].ready);
      RC_ASSERT(standings[shedding.pool].lent > 0);
    }
  }));
}

}  // namespace
}  // namespace forebay
