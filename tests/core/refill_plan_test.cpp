// What a pool opens: the trickle's formula, the reservoir's deficit, the keeper's pace, and
// silence after failures.
#include "forebay/core/refill_plan.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;

constexpr Instant kNow{1h};
constexpr Duration kConnectTime = 50ms;

SupplyRule standard_rule() {
  SupplyRule rule;
  rule.max_opening = 100;
  return rule;
}

SupplyRule reservoir_rule(int target) {
  SupplyRule rule = standard_rule();
  rule.mode = Supply::reservoir;
  rule.target_ready = target;
  return rule;
}

SupplyCounts counts_with_room(int room = 100) {
  SupplyCounts counts;
  counts.room = room;
  counts.connect_time = kConnectTime;
  return counts;
}

TEST(RefillPlanTest, NobodyWaitsAndNothingIsKept) {
  const RefillDecision decision = plan_refill(standard_rule(), counts_with_room(), kNow);

  EXPECT_EQ(decision.open, 0);
  EXPECT_EQ(decision.wake_at, kNever);
}

TEST(RefillPlanTest, TrickleFollowsItsFormula) {
  struct Row {
    int waiters;
    double wait_in_connect_times;
    int opening;
    int expected;
  };
  const std::vector<Row> rows = {
      {1, 0, 0, 1},      {50, 0, 0, 1},   {50, 0, 1, 0},    {50, 0.99, 0, 1},
      {50, 1, 0, 2},     {50, 1, 1, 1},   {50, 1.99, 1, 1}, {50, 10, 4, 7},
      {50, 10, 11, 0},   {50, 10, 20, 0}, {3, 10, 0, 3},    {3, 10, 2, 1},
      {50, 1000, 0, 50}, {0, 0, 0, 0},    {2, 1, 1, 1},     {50, 100, 0, 50}};

  for (const Row& row : rows) {
    SupplyCounts counts = counts_with_room();
    counts.waiters = row.waiters;
    counts.opening = row.opening;
    counts.longest_wait =
        std::chrono::duration_cast<Duration>(kConnectTime * row.wait_in_connect_times);
    const RefillDecision decision = plan_refill(standard_rule(), counts, kNow);
    EXPECT_EQ(decision.open, row.expected)
        << row.waiters << " waiters, " << row.wait_in_connect_times << " connect times, "
        << row.opening << " opening";
  }
}

// Enough that the line is served within the time of one connect, where it is known how long loans
// last; never less than the ramp.
TEST(RefillPlanTest, TrickleFollowsLittlesLaw) {
  struct Row {
    int waiters;
    Duration hold;
    int lent;
    int opening;
    int expected;
  };
  const std::vector<Row> rows = {
      {200, 5ms, 0, 0, 20},  // 20 connections serve 200 callers in 50 ms
      {200, 5ms, 1, 1, 18},    {200, 5ms, 20, 0, 1}, {50, 2ms, 5, 0, 1},  {50, 2ms, 5, 1, 0},
      {50, 1s, 10, 0, 50},     {50, 1s, 10, 32, 18}, {1, 1s, 10, 0, 1},   {1, 1s, 20, 0, 1},
      {1, 1h, 0, 0, 1},        {0, 1s, 5, 0, 0},     {10, 50ms, 4, 0, 6}, {10, 1ns, 0, 0, 1},
      {100, 1000h, 90, 0, 100}};

  for (const Row& row : rows) {
    SupplyCounts counts = counts_with_room();
    counts.waiters = row.waiters;
    counts.lent = row.lent;
    counts.opening = row.opening;
    counts.hold_time = row.hold;
    const RefillDecision decision = plan_refill(standard_rule(), counts, kNow);
    EXPECT_EQ(decision.open, row.expected) << row.waiters << " waiters, " << row.hold << ", "
                                           << row.lent << " lent, " << row.opening << " opening";
  }
}

TEST(RefillPlanTest, TheLawKeepsToRoomAndConnectsInFlight) {
  SupplyCounts counts = counts_with_room(7);
  counts.waiters = 200;
  counts.hold_time = 1s;
  EXPECT_EQ(plan_refill(standard_rule(), counts, kNow).open, 7);

  SupplyRule rule = standard_rule();
  rule.max_opening = 5;
  counts.opening = 2;
  EXPECT_EQ(plan_refill(rule, counts, kNow).open, 3);
}

TEST(RefillPlanTest, TrickleAsksAgainWhenOneMoreConnectTimeHasPassed) {
  SupplyCounts counts = counts_with_room();
  counts.waiters = 50;
  counts.longest_wait = 70ms;

  const RefillDecision decision = plan_refill(standard_rule(), counts, kNow);

  EXPECT_EQ(decision.open, 2);
  EXPECT_EQ(decision.wake_at, kNow + 30ms);
}

TEST(RefillPlanTest, AFullPoolDoesNotAskAgain) {
  SupplyCounts counts = counts_with_room(0);
  counts.waiters = 50;

  const RefillDecision decision = plan_refill(standard_rule(), counts, kNow);

  EXPECT_EQ(decision.open, 0);
  EXPECT_EQ(decision.wake_at, kNever);
}

TEST(RefillPlanTest, AReservoirOpensItsWholeDeficitAtOnce) {
  SupplyCounts counts = counts_with_room();
  counts.ready = 5;
  counts.cleaning = 2;
  counts.leaving = 1;
  counts.opening = 3;
  counts.lent = 40;

  const RefillDecision decision = plan_refill(reservoir_rule(20), counts, kNow);

  EXPECT_EQ(decision.open, 20 - (5 + 2 - 1) - 3);
}

TEST(RefillPlanTest, StandardSupplyKeepsItsMinimumIdle) {
  SupplyRule rule = standard_rule();
  rule.min_idle = 4;
  SupplyCounts counts = counts_with_room();
  counts.ready = 1;

  const RefillDecision decision = plan_refill(rule, counts, kNow);

  EXPECT_EQ(decision.open, 3);
}

// A connection that is only lent comes back: as for waiting callers, time must prove that
// more are needed.
TEST(RefillPlanTest, MinimumIdleRampsUpWhileItsConnectionsAreOnlyLent) {
  SupplyRule rule = standard_rule();
  rule.min_idle = 4;
  SupplyCounts counts = counts_with_room();
  counts.lent = 6;

  const RefillDecision at_once = plan_refill(rule, counts, kNow);
  counts.short_for = 2 * kConnectTime;
  const RefillDecision later = plan_refill(rule, counts, kNow);
  counts.leaving_lent = 6;
  const RefillDecision when_leaving = plan_refill(rule, counts, kNow);

  EXPECT_EQ(at_once.open, 1);
  EXPECT_EQ(at_once.wake_at, kNow + kConnectTime);
  EXPECT_EQ(later.open, 3);
  EXPECT_EQ(when_leaving.open, 4);
}

TEST(RefillPlanTest, RoomAndConnectsInFlightAreLimits) {
  SupplyRule rule = reservoir_rule(20);
  rule.max_opening = 8;
  SupplyCounts counts = counts_with_room();
  counts.opening = 5;

  const int limited_by_flight = plan_refill(rule, counts, kNow).open;
  counts.room = 2;
  const int limited_by_room = plan_refill(rule, counts, kNow).open;

  EXPECT_EQ(limited_by_flight, 3);
  EXPECT_EQ(limited_by_room, 2);
}

TEST(RefillPlanTest, TheKeepersQuotaGrowsWithThePoolUpToTen) {
  EXPECT_EQ(keeper_quota(0), 0);
  EXPECT_EQ(keeper_quota(1), 1);
  EXPECT_EQ(keeper_quota(120), 1);
  EXPECT_EQ(keeper_quota(121), 2);
  EXPECT_EQ(keeper_quota(1'200), 10);
  EXPECT_EQ(keeper_quota(100'000), 10);
}

TEST(RefillPlanTest, TheKeeperOpensItsQuotaOnceATick) {
  SupplyRule rule = standard_rule();
  rule.keep_open = 240;
  rule.max_opening = 1'000;
  SupplyCounts counts = counts_with_room(1'000);
  counts.lent = 100;
  counts.leaving_lent = 10;

  const RefillDecision first = plan_refill(rule, counts, kNow);
  counts.keeper_from = kNow + kKeeperTick;
  counts.opening = first.open;
  const RefillDecision between = plan_refill(rule, counts, kNow + 400ms);
  const RefillDecision second = plan_refill(rule, counts, kNow + kKeeperTick);

  EXPECT_EQ(first.open, 2);
  EXPECT_EQ(first.opened_by_keeper, 2);
  EXPECT_EQ(first.wake_at, kNow + kKeeperTick);
  EXPECT_EQ(between.open, 0);
  EXPECT_EQ(between.wake_at, kNow + kKeeperTick);
  EXPECT_EQ(second.open, 2);
}

TEST(RefillPlanTest, TheKeeperStopsAtItsSize) {
  SupplyRule rule = standard_rule();
  rule.keep_open = 240;
  SupplyCounts counts = counts_with_room();
  counts.ready = 200;
  counts.lent = 39;

  const RefillDecision decision = plan_refill(rule, counts, kNow);

  EXPECT_EQ(decision.open, 1);
  EXPECT_EQ(decision.wake_at, kNever);
}

TEST(RefillPlanTest, AHeldKeeperOpensNothing) {
  SupplyRule rule = standard_rule();
  rule.keep_open = 10;
  SupplyCounts counts = counts_with_room();
  counts.keeper_from = kNever;

  const RefillDecision decision = plan_refill(rule, counts, kNow);

  EXPECT_EQ(decision.open, 0);
  EXPECT_EQ(decision.wake_at, kNever);
}

TEST(RefillPlanTest, AFullServerGetsReplacementsAtOnceAndOneMoreFromThenOn) {
  SupplyCounts counts = counts_with_room();
  counts.ready = 37;
  counts.server_room = 3;
  counts.beyond = 1;
  counts.beyond_from = kNow + 1s;

  const RefillDecision at_once = plan_refill(reservoir_rule(100), counts, kNow);
  const RefillDecision then = plan_refill(reservoir_rule(100), counts, kNow + 1s);
  counts.server_room = -1;  // that one is on its way
  counts.opening = 1;
  const RefillDecision meanwhile = plan_refill(reservoir_rule(100), counts, kNow + 1s);

  EXPECT_EQ(at_once.open, 3);
  EXPECT_EQ(at_once.wake_at, kNow + 1s);
  EXPECT_EQ(then.open, 4);
  EXPECT_EQ(meanwhile.open, 0);
}

TEST(RefillPlanTest, TheKeeperOfAFullServerWakesToTryAgain) {
  SupplyRule rule = standard_rule();
  rule.keep_open = 10;
  SupplyCounts counts = counts_with_room();
  counts.ready = 6;
  counts.server_room = 0;
  counts.beyond = 1;
  counts.beyond_from = kNow + 700ms;

  EXPECT_EQ(plan_refill(rule, counts, kNow).wake_at, kNow + 700ms);
  EXPECT_EQ(plan_refill(rule, counts, kNow + 700ms).open, 1);
}

TEST(RefillPlanTest, APauseInAFullClusterIsNotForReplacements) {
  SupplyCounts counts = counts_with_room();
  counts.ready = 6;
  counts.is_probing = true;
  counts.backoff_until = kNow + 2s;
  counts.replaceable = 3;

  const RefillDecision during = plan_refill(reservoir_rule(10), counts, kNow);
  counts.ready = 8;
  const RefillDecision fewer = plan_refill(reservoir_rule(10), counts, kNow);

  EXPECT_EQ(during.open, 3);
  EXPECT_EQ(during.wake_at, kNow + 2s);
  EXPECT_EQ(fewer.open, 2) << "no more than are wanted";
}

TEST(RefillPlanTest, DuringABackoffNothingIsOpened) {
  SupplyCounts counts = counts_with_room();
  counts.waiters = 5;
  counts.backoff_until = kNow + 2s;

  const RefillDecision during = plan_refill(reservoir_rule(10), counts, kNow);
  const RefillDecision after = plan_refill(reservoir_rule(10), counts, kNow + 2s);

  EXPECT_EQ(during.open, 0);
  EXPECT_EQ(during.opened_by_keeper, 0);
  EXPECT_EQ(during.wake_at, kNow + 2s);
  EXPECT_EQ(after.open, 10);
}

TEST(RefillPlanTest, UnmetDemandIsWhatTheOthersWillNotCover) {
  SupplyCounts counts = counts_with_room();
  counts.waiters = 3;
  counts.opening = 2;

  const int one_short = unmet_demand(standard_rule(), counts);
  counts.opening = 3;
  const int covered = unmet_demand(standard_rule(), counts);
  const int reservoir = unmet_demand(reservoir_rule(7), counts);
  SupplyRule kept = standard_rule();
  kept.keep_open = 9;
  counts.lent = 4;
  const int keeper = unmet_demand(kept, counts);

  EXPECT_EQ(one_short, 1);
  EXPECT_EQ(covered, 0);
  EXPECT_EQ(reservoir, 4);
  EXPECT_EQ(keeper, 2);
}

struct Case {
  SupplyRule rule;
  SupplyCounts counts;
};

bool is_short(const Case& given) {
  const bool is_reservoir = given.rule.mode == Supply::reservoir;
  const int staying = given.counts.ready + given.counts.cleaning - given.counts.leaving;
  return staying < (is_reservoir ? given.rule.target_ready : given.rule.min_idle);
}

Case any_case() {
  Case result;
  SupplyRule& rule = result.rule;
  rule.mode = *rc::gen::element(Supply::standard, Supply::reservoir);
  rule.target_ready = *rc::gen::inRange(0, 30);
  rule.min_idle = *rc::gen::inRange(0, 10);
  rule.keep_open = *rc::gen::inRange(0, 300);
  rule.max_opening = *rc::gen::inRange(1, 40);
  SupplyCounts& counts = result.counts;
  counts.ready = *rc::gen::inRange(0, 20);
  counts.cleaning = *rc::gen::inRange(0, 5);
  counts.leaving = *rc::gen::inRange(0, counts.ready + counts.cleaning + 1);
  counts.lent = *rc::gen::inRange(0, 30);
  counts.leaving_lent = *rc::gen::inRange(0, counts.lent + 1);
  counts.opening = *rc::gen::inRange(0, 10);
  counts.waiters = *rc::gen::inRange(0, 20);
  counts.room = *rc::gen::inRange(0, 40);
  counts.connect_time = std::chrono::milliseconds(*rc::gen::inRange(1, 100));
  if (counts.waiters > 0) {
    counts.longest_wait = std::chrono::milliseconds(*rc::gen::inRange(0, 1'000));
  }
  if (is_short(result)) counts.short_for = std::chrono::milliseconds(*rc::gen::inRange(0, 1'000));
  if (*rc::gen::arbitrary<bool>()) {
    counts.server_room = *rc::gen::inRange(-3, 20);
    counts.beyond = *rc::gen::inRange(1, 5);
    counts.beyond_from = kNow + std::chrono::milliseconds(*rc::gen::inRange(-3'000, 1'000));
  }
  counts.backoff_until = kNow + std::chrono::milliseconds(*rc::gen::inRange(-3'000, 1'000));
  counts.keeper_from = kNow + std::chrono::milliseconds(*rc::gen::inRange(-3'000, 1'000));
  return result;
}

// The model: the formulas of the header, restated.
int expected_open(const SupplyRule& rule, const SupplyCounts& counts) {
  const bool is_reservoir = rule.mode == Supply::reservoir;
  const int staying = counts.ready + counts.cleaning - counts.leaving;
  const int shortage = (is_reservoir ? rule.target_ready : rule.min_idle) - staying;
  const int lost = is_reservoir ? shortage : shortage - (counts.lent - counts.leaving_lent);
  const auto steps = [&](Duration waited) {
    return static_cast<int>(waited / counts.connect_time);
  };
  const int trickle = std::min(counts.waiters, 1 + steps(counts.longest_wait));
  const int idle = is_reservoir ? 0 : std::min(shortage, 1 + steps(counts.short_for));
  const int in_flight = std::max({lost, trickle, idle});
  int limit = std::max(0, std::min(counts.room, rule.max_opening - counts.opening));
  if (counts.server_room != std::numeric_limits<int>::max()) {
    const int beyond = counts.beyond_from <= kNow ? counts.beyond : 0;
    limit = std::min(limit, std::max(0, counts.server_room + beyond));
  }
  int open = std::min(limit, std::max(0, in_flight - counts.opening));
  if (!is_reservoir && counts.keeper_from <= kNow) {
    const int existing = staying + counts.lent - counts.leaving_lent + counts.opening + open;
    const int quota = std::min(10, (rule.keep_open + 119) / 120);
    open += std::clamp(rule.keep_open - existing, 0, std::min(quota, limit - open));
  }
  return counts.backoff_until > kNow ? 0 : open;
}

RC_GTEST_PROP(RefillPlanProperty, AgreesWithTheFormulasAndItsLimits, ()) {
  const Case given = any_case();

  const RefillDecision decision = plan_refill(given.rule, given.counts, kNow);

  RC_ASSERT(decision.open == expected_open(given.rule, given.counts));
  RC_ASSERT(decision.open <= given.counts.room);
  RC_ASSERT(decision.open == 0 || given.counts.opening + decision.open <= given.rule.max_opening);
  RC_ASSERT(decision.opened_by_keeper <= decision.open);
  RC_ASSERT(decision.opened_by_keeper <= 10);
  RC_ASSERT(decision.wake_at > kNow);
}

RC_GTEST_PROP(RefillPlanProperty, MoreWaitersOrALongerWaitNeverOpenLess, ()) {
  const Case given = any_case();
  SupplyCounts more = given.counts;
  more.waiters += *rc::gen::inRange(0, 10);
  SupplyCounts longer = given.counts;
  if (longer.waiters > 0) {
    longer.longest_wait += std::chrono::milliseconds(*rc::gen::inRange(0, 500));
  }

  const int open = plan_refill(given.rule, given.counts, kNow).open;

  RC_ASSERT(plan_refill(given.rule, more, kNow).open >= open);
  RC_ASSERT(plan_refill(given.rule, longer, kNow).open >= open);
}

// Once a decision has been acted on, there is nothing to open until wake_at, however
// the time passes.
RC_GTEST_PROP(RefillPlanProperty, NothingChangesBeforeTheWakeUp, ()) {
  const Case given = any_case();
  const RefillDecision decision = plan_refill(given.rule, given.counts, kNow);
  SupplyCounts acted = given.counts;
  acted.opening += decision.open;
  acted.room -= decision.open;
  if (acted.server_room != std::numeric_limits<int>::max()) acted.server_room -= decision.open;
  if (decision.opened_by_keeper > 0) acted.keeper_from = kNow + kKeeperTick;
  const Instant horizon = std::min(decision.wake_at, kNow + 1h);
  const auto span = (horizon - kNow).count();
  const Duration passed(*rc::gen::inRange<std::int64_t>(0, span));
  if (acted.waiters > 0) acted.longest_wait += passed;
  if (is_short(given)) acted.short_for += passed;

  const RefillDecision later = plan_refill(given.rule, acted, kNow + passed);

  RC_ASSERT(later.open == 0);
}

// What plan_refill opens is wanted, each one seen without itself.
RC_GTEST_PROP(RefillPlanProperty, WhateverIsOpenedMeetsADemand, ()) {
  const Case given = any_case();
  const RefillDecision decision = plan_refill(given.rule, given.counts, kNow);
  RC_PRE(decision.open > 0);
  SupplyCounts others = given.counts;
  others.opening += decision.open - 1;

  RC_ASSERT(unmet_demand(given.rule, others) > 0);
}

}  // namespace
}  // namespace forebay
