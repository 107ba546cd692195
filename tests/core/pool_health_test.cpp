// PoolState's care for open connections: idleness, checks, suspicion, leaks. What was given back is
// dated by the next collect(), so the scenes begin with one.
#include <set>

#include <gtest/gtest.h>

#include "core/pool_fixture.hpp"

namespace forebay {
namespace {

using test::Caller;
using test::test_rules;
using test::TestPool;
using test::Work;
using namespace std::chrono_literals;

TEST(PoolHealthTest, IdleOnesGoDownToTheTargetAndNotBelow) {
  PoolRules rules = test_rules();
  rules.supply.min_idle = 2;
  rules.idle_timeout = 30s;
  TestPool pool(rules);
  const std::vector<Slot*> slots = pool.open(5);

  const Work early = pool.collect();
  pool.now += 30s;
  const Work work = pool.collect();

  EXPECT_TRUE(early.empty());
  EXPECT_EQ(work.close, (std::vector{slots[0], slots[1], slots[2]}));
  EXPECT_EQ(pool.discarded(DiscardReason::idle), 3u);
  EXPECT_EQ(pool.ready(), 2);
}

TEST(PoolHealthTest, IdlenessLeavesWhatTheKeeperWouldReopen) {
  PoolRules rules = test_rules();
  rules.supply.keep_open = 4;
  rules.idle_timeout = 30s;
  TestPool pool(rules);
  pool.open(5);
  pool.take();
  pool.collect();
  pool.now += 30s;

  const Work work = pool.collect();

  EXPECT_EQ(work.close.size(), 1u);
  EXPECT_EQ(pool.ready(), 3);
}

TEST(PoolHealthTest, AWakeUpIsSetForTheNextOneToBecomeIdle) {
  PoolRules rules = test_rules();
  rules.idle_timeout = 400ms;
  TestPool pool(rules);
  pool.open_one();
  pool.collect();
  pool.now += 100ms;

  const Work work = pool.collect();

  EXPECT_EQ(work.wake_at, pool.now + 300ms);
}

TEST(PoolHealthTest, IdleOnesAreCheckedAtMostHalfAtOnce) {
  PoolRules rules = test_rules();
  rules.check_after = 30s;
  TestPool pool(rules);
  const std::vector<Slot*> slots = pool.open(6);
  pool.collect();
  pool.now += 30s;

  const Work first = pool.collect();
  const Work second = pool.collect();
  for (Slot* slot : first.check) pool.check_done(*slot);
  const Work third = pool.collect();

  EXPECT_EQ(first.check, (std::vector{slots[0], slots[1], slots[2]}));
  EXPECT_TRUE(second.empty());
  EXPECT_EQ(third.check, (std::vector{slots[3], slots[4], slots[5]}));
}

TEST(PoolHealthTest, OneOfTwoStaysReadyDuringACheck) {
  PoolRules rules = test_rules();
  rules.check_after = 30s;
  TestPool pool(rules);
  pool.open(2);
  pool.collect();
  pool.now += 30s;

  const Work work = pool.collect();

  EXPECT_EQ(work.check.size(), 1u);
  EXPECT_EQ(pool.ready(), 1);
}

TEST(PoolHealthTest, TheOnlyOneIsCheckedToo) {
  PoolRules rules = test_rules();
  rules.check_after = 30s;
  TestPool pool(rules);
  Slot& slot = pool.open_one();
  pool.collect();
  pool.now += 30s;
  const Work work = pool.collect();

  pool.check_done(slot);

  EXPECT_EQ(work.check, (std::vector{&slot}));
  EXPECT_EQ(slot.state, SlotState::ready);
  EXPECT_EQ(slot.idle_since, pool.now - 30s);
}

TEST(PoolHealthTest, OneThatDoesNotAnswerIsDiscarded) {
  PoolRules rules = test_rules();
  rules.check_after = 30s;
  TestPool pool(rules);
  Slot& slot = pool.open_one();
  pool.collect();
  pool.now += 30s;
  pool.collect();

  pool.check_done(slot, false);

  EXPECT_EQ(slot.reason, DiscardReason::check_failed);
}

TEST(PoolHealthTest, ACheckedConnectionGoesToAWaiterWhoCameMeanwhile) {
  PoolRules rules = test_rules();
  rules.check_after = 30s;
  TestPool pool(rules);
  Slot& slot = pool.open_one();
  pool.collect();
  pool.now += 30s;
  pool.collect();
  const Caller& caller = pool.wait(10s);

  pool.check_done(slot);

  EXPECT_EQ(caller.slot, &slot);
}

TEST(PoolHealthTest, OneWhoseTurnCameDuringItsCheckRetiresAfterIt) {
  PoolRules rules = test_rules();
  rules.check_after = 30s;
  TestPool pool(rules);
  pool.open_one();
  Slot& slot = pool.open_one();
  pool.now = slot.retire_at - 1s;
  pool.state.suspect_all(pool.now);
  Slot* checked = pool.collect().check.at(0);
  pool.check_done(*checked);
  ASSERT_EQ(pool.collect().check, (std::vector{&slot}));
  pool.now = slot.retire_at;
  pool.collect();

  pool.check_done(slot);
  const Work work = pool.collect();

  EXPECT_EQ(work.close, (std::vector{&slot}));
}

TEST(PoolHealthTest, ASuspicionIsAnsweredByACheckOfEveryConnection) {
  TestPool pool(test_rules());
  pool.open(4);
  pool.collect();
  pool.now += 1s;

  pool.state.suspect_all(pool.now);
  std::set<Slot*> checked;
  for (Work work = pool.collect(); !work.check.empty(); work = pool.collect()) {
    for (Slot* slot : work.check) {
      ASSERT_TRUE(checked.insert(slot).second) << "checked twice";
      pool.check_done(*slot);
    }
  }

  EXPECT_EQ(checked.size(), 4u);
}

TEST(PoolHealthTest, ALeakIsReportedOncePerLoan) {
  PoolRules rules = test_rules();
  rules.leak_after = 10s;
  TestPool pool(rules);
  Slot& slot = pool.open_one();
  pool.take();

  const Work early = pool.collect();
  pool.now += 10s;
  const Work due = pool.collect();
  const Work again = pool.collect();
  pool.give_back(slot);
  pool.take();
  pool.now += 10s;
  const Work next_loan = pool.collect();

  EXPECT_TRUE(early.leaked.empty());
  EXPECT_EQ(due.leaked, (std::vector{&slot}));
  EXPECT_TRUE(again.leaked.empty());
  EXPECT_EQ(next_loan.leaked, (std::vector{&slot}));
  EXPECT_EQ(pool.state.counters().leaks_reported, 2u);
}

// ---- new rules

TEST(PoolHealthTest, ChecksThatAreSwitchedOnLaterTakePlace) {
  TestPool pool(test_rules());
  pool.open_one();
  pool.collect();
  PoolRules rules = test_rules();
  rules.check_after = 30s;

  pool.state.resize(rules);
  const Work early = pool.collect();
  pool.now += 30s;
  const Work due = pool.collect();

  EXPECT_TRUE(early.empty());
  EXPECT_LE(early.wake_at, pool.now);
  EXPECT_EQ(due.check.size(), 1u);
}

TEST(PoolHealthTest, AShorterTimeUntilALeakCountsAtOnce) {
  PoolRules rules = test_rules();
  rules.leak_after = 1h;
  TestPool pool(rules);
  Slot& slot = pool.open_one();
  pool.take();
  pool.collect();
  pool.now += 10s;

  rules.leak_after = 10s;
  pool.state.resize(rules);
  const Work work = pool.collect();

  EXPECT_EQ(work.leaked, (std::vector{&slot}));
}

}  // namespace
}  // namespace forebay
