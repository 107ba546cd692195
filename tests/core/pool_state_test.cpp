// PoolState as callers see it: taking, waiting, giving back, and why a connection is discarded.
#include "forebay/core/pool_state.hpp"

#include <gtest/gtest.h>

#include "core/pool_fixture.hpp"

namespace forebay {
namespace {

using test::Caller;
using test::test_rules;
using test::TestPool;
using namespace std::chrono_literals;

TEST(PoolStateTest, TheOneLentForLongestIsInFront) {
  TestPool pool(test_rules());
  for (int i = 0; i < 3; ++i) pool.open_one();
  EXPECT_EQ(pool.state.slots().longest_lent(), nullptr);

  Slot* const first = pool.take();
  pool.now += 1s;
  Slot* const second = pool.take();
  Slot* const third = pool.take_at(pool.now - 1ms);  // whose clock was read before it got the lock
  EXPECT_EQ(pool.state.slots().longest_lent(), first);
  EXPECT_GE(third->taken_at, second->taken_at);

  pool.give_back(*first);
  EXPECT_EQ(pool.state.slots().longest_lent(), second);
  EXPECT_EQ(SlotTable::lent_after(*second), third);

  Slot* const again = pool.take();
  EXPECT_EQ(again, first);
  EXPECT_EQ(SlotTable::lent_after(*third), first);

  for (Slot* slot : {first, second, third}) pool.state.discard_lent(*slot, DiscardReason::broken);
  EXPECT_EQ(pool.state.slots().longest_lent(), nullptr);
  pool.close_discarded();
}

TEST(PoolStateTest, AnEmptyPoolHasNothingToTake) {
  TestPool pool(test_rules());

  const Slot* slot = pool.take();

  EXPECT_EQ(slot, nullptr);
}

TEST(PoolStateTest, TheLastOneGivenBackIsTakenFirst) {
  TestPool pool(test_rules());
  pool.open(2);
  Slot& first = *pool.take();
  Slot& second = *pool.take();
  pool.give_back(first);
  pool.give_back(second);

  const Slot* slot = pool.take();

  EXPECT_EQ(slot, &second);
  EXPECT_EQ(pool.state.counters().acquired, 3u);
  EXPECT_EQ(pool.state.counters().given_back, 2u);
}

TEST(PoolStateTest, TheOldestIsTakenFirstWhenAskedFor) {
  PoolRules rules = test_rules();
  rules.take_order = TakeOrder::oldest_first;
  TestPool pool(rules);
  const std::vector<Slot*> slots = pool.open(2);

  const Slot* slot = pool.take();

  EXPECT_EQ(slot, slots[0]);
}

TEST(PoolStateTest, TakingSkipsStaleOnesAndFindsTheFresh) {
  PoolRules rules = test_rules();
  rules.take_order = TakeOrder::oldest_first;
  TestPool pool(rules);
  const Slot& oldest = pool.open_one();
  pool.now += 5min;
  const Slot& old = pool.open_one();
  pool.now += 4min + 30s;
  const Slot& fresh = pool.open_one();
  pool.now += 4min + 30s;

  const Slot* slot = pool.take();

  EXPECT_EQ(slot, &fresh);
  EXPECT_EQ(oldest.reason, DiscardReason::expired_on_checkout);
  EXPECT_EQ(old.reason, DiscardReason::insufficient_remaining_lifetime);
  EXPECT_EQ(pool.state.slots().count(SlotState::discarded), 2);
  EXPECT_TRUE(pool.state.wants_attention());
}

TEST(PoolStateTest, NothingIsHandedOutFromTheMomentItIsStale) {
  TestPool pool(test_rules());
  const Slot& slot = pool.open_one();

  const Slot* at_stale = pool.take_at(slot.stale_at);

  EXPECT_EQ(at_stale, nullptr);
  EXPECT_EQ(pool.discarded(DiscardReason::insufficient_remaining_lifetime), 1u);
}

TEST(PoolStateTest, OneIsHandedOutUntilTheMomentBeforeItIsStale) {
  TestPool pool(test_rules());
  const Slot& slot = pool.open_one();

  const Slot* just_before = pool.take_at(slot.stale_at - Duration(1));

  EXPECT_EQ(just_before, &slot);
}

TEST(PoolStateTest, WithARoughTimeOnlyWhatIsFreshAtItsLatestIsHandedOut) {
  TestPool pool(test_rules());
  const Slot& slot = pool.open_one();
  const std::source_location here = std::source_location::current();

  const Slot* too_late = pool.state.take_surely_fresh(pool.now, slot.stale_at, here);
  const Slot* in_time = pool.state.take_surely_fresh(pool.now, slot.stale_at - Duration(1), here);
  const Slot* empty = pool.state.take_surely_fresh(pool.now, pool.now, here);

  EXPECT_EQ(too_late, nullptr);
  EXPECT_EQ(in_time, &slot);
  EXPECT_EQ(slot.taken_at, pool.now);
  EXPECT_EQ(empty, nullptr);
}

TEST(PoolStateTest, APlainReturnNeedsNoTime) {
  TestPool pool(test_rules());
  Slot& slot = pool.open_one();
  pool.take();

  const bool is_done = pool.state.give_back_to_ready(slot);
  pool.state.audit();

  EXPECT_TRUE(is_done);
  EXPECT_EQ(pool.ready(), 1);
  EXPECT_EQ(pool.state.counters().given_back, 1u);
}

TEST(PoolStateTest, AReturnIsNotPlainWhenSomethingHasToBeDecided) {
  PoolRules rules = test_rules(2);
  rules.max_ready = 1;
  TestPool pool(rules);
  Slot& slot = pool.open_one();
  pool.take();

  pool.open_one();
  const bool when_full = pool.state.give_back_to_ready(slot);
  pool.take();
  pool.state.resize(test_rules(1));
  const bool when_shrinking = pool.state.give_back_to_ready(slot);
  pool.state.resize(rules);
  Caller& caller = pool.wait(10s);
  const bool when_somebody_waits = pool.state.give_back_to_ready(slot);
  pool.state.time_out(caller);
  pool.now = slot.retire_at;
  pool.collect();
  const bool when_due = pool.state.give_back_to_ready(slot);
  pool.close();
  const bool when_closed = pool.state.give_back_to_ready(slot);

  EXPECT_FALSE(when_full);
  EXPECT_FALSE(when_shrinking);
  EXPECT_FALSE(when_somebody_waits);
  EXPECT_FALSE(when_due);
  EXPECT_FALSE(when_closed);
  EXPECT_EQ(slot.state, SlotState::lent);
}

TEST(PoolStateTest, AConnectionGivenBackGoesToTheLongestWaiter) {
  TestPool pool(test_rules());
  pool.open_one();
  Slot& slot = *pool.take();
  const Caller& first = pool.wait(10s);
  const Caller& second = pool.wait(10s);
  pool.now += 2s;

  pool.give_back(slot);

  EXPECT_EQ(first.outcome, WaitOutcome::granted);
  EXPECT_EQ(first.slot, &slot);
  EXPECT_EQ(first.wakes, 1);
  EXPECT_EQ(second.outcome, WaitOutcome::waiting);
  EXPECT_EQ(slot.state, SlotState::lent);
  EXPECT_EQ(pool.state.counters().waits(), 1u);
  EXPECT_EQ(pool.state.counters().wait_time(), Duration(2s));
}

TEST(PoolStateTest, ANewConnectionGoesToTheLongestWaiterToo) {
  TestPool pool(test_rules());
  const Caller& caller = pool.wait(10s);
  const std::vector<Slot*> opening = pool.collect().open;

  pool.opened(*opening.at(0));

  EXPECT_EQ(caller.outcome, WaitOutcome::granted);
  EXPECT_EQ(caller.slot, opening[0]);
}

TEST(PoolStateTest, AWaiterPastItsDeadlineIsPassedOver) {
  TestPool pool(test_rules());
  pool.open_one();
  Slot& slot = *pool.take();
  const Caller& late = pool.wait(1s);
  const Caller& patient = pool.wait(10s);
  pool.now += 1s;

  pool.give_back(slot);

  EXPECT_EQ(late.outcome, WaitOutcome::timed_out);
  EXPECT_EQ(late.wakes, 1);
  EXPECT_EQ(patient.outcome, WaitOutcome::granted);
  EXPECT_EQ(pool.state.counters().timeouts, 1u);
}

TEST(PoolStateTest, AWaiterTimesOutOnce) {
  TestPool pool(test_rules());
  Caller& caller = pool.wait(1s);

  const bool first_time = pool.state.time_out(caller);
  const bool second_time = pool.state.time_out(caller);

  EXPECT_TRUE(first_time);
  EXPECT_FALSE(second_time);
  EXPECT_EQ(caller.wakes, 0);
  EXPECT_EQ(pool.state.counters().timeouts, 1u);
}

TEST(PoolStateTest, AUsedSessionIsResetBeforeItIsReady) {
  TestPool pool(test_rules());
  pool.open_one();
  Slot& slot = *pool.take();

  pool.give_back(slot, true);
  const bool wants_attention = pool.state.wants_attention();
  const test::Work work = pool.collect();
  const int ready_meanwhile = pool.ready();
  pool.reset_done(slot);

  EXPECT_TRUE(wants_attention);
  EXPECT_EQ(work.reset, (std::vector{&slot}));
  EXPECT_EQ(ready_meanwhile, 0);
  EXPECT_EQ(pool.ready(), 1);
}

TEST(PoolStateTest, AFailedResetDiscards) {
  TestPool pool(test_rules());
  pool.open_one();
  Slot& slot = *pool.take();
  pool.give_back(slot, true);
  pool.collect();

  pool.reset_done(slot, false);

  EXPECT_EQ(slot.reason, DiscardReason::reset_failed);
}

TEST(PoolStateTest, ADiscardedConnectionKeepsItsApprovalUntilItIsGone) {
  TestPool pool(test_rules(1));
  pool.open_one();
  Slot& slot = *pool.take();
  pool.wait(10s);

  pool.state.discard_lent(slot, DiscardReason::broken);
  const test::Work while_closing = pool.collect();
  pool.remove(slot);
  const test::Work when_gone = pool.collect();

  EXPECT_EQ(while_closing.close, (std::vector{&slot}));
  EXPECT_TRUE(while_closing.open.empty());
  EXPECT_EQ(when_gone.open.size(), 1u);
}

// The six reasons of the seeds, one after the other.
TEST(PoolStateTest, InsideTheGuardWindowACheckoutDiscardsForLackOfLifetime) {
  TestPool pool(test_rules());
  pool.open_one();
  pool.now += 9min;

  pool.take();

  EXPECT_EQ(pool.discarded(DiscardReason::insufficient_remaining_lifetime), 1u);
}

TEST(PoolStateTest, InsideTheGuardWindowAReturnDiscardsForLackOfLifetime) {
  TestPool pool(test_rules());
  pool.open_one();
  Slot& slot = *pool.take();
  pool.now += 9min;

  pool.give_back(slot);

  EXPECT_EQ(pool.discarded(DiscardReason::insufficient_remaining_lifetime), 1u);
}

TEST(PoolStateTest, AfterItsLifeACheckoutDiscardsAsExpired) {
  TestPool pool(test_rules());
  pool.open_one();
  pool.now += 10min;

  pool.take();

  EXPECT_EQ(pool.discarded(DiscardReason::expired_on_checkout), 1u);
}

TEST(PoolStateTest, AfterItsLifeAReturnDiscardsAsExpired) {
  TestPool pool(test_rules());
  pool.open_one();
  Slot& slot = *pool.take();
  pool.now += 10min;

  pool.give_back(slot, true);

  EXPECT_EQ(pool.discarded(DiscardReason::expired_on_return), 1u);
}

TEST(PoolStateTest, AfterItsLifeAScanDiscardsAsExpired) {
  TestPool pool(test_rules());
  pool.open_one();
  pool.now += 10min;

  const test::Work work = pool.collect();

  EXPECT_EQ(work.close.size(), 1u);
  EXPECT_EQ(pool.discarded(DiscardReason::expired_on_scan), 1u);
}

TEST(PoolStateTest, InsideTheGuardWindowAScanDiscardsAsExpiringSoon) {
  TestPool pool(test_rules());
  pool.open_one();
  pool.now += 9min;

  const test::Work work = pool.collect();

  EXPECT_EQ(work.close.size(), 1u);
  EXPECT_EQ(pool.discarded(DiscardReason::expiring_soon_on_scan), 1u);
}

TEST(PoolStateTest, WhatIsGivenBackToAFullReservoirIsDiscarded) {
  PoolRules rules = test_rules();
  rules.max_ready = 1;
  TestPool pool(rules);
  pool.open_one();
  Slot& first = *pool.take();
  pool.open_one();
  Slot& second = *pool.take();

  pool.give_back(first);
  pool.give_back(second);

  EXPECT_EQ(pool.discarded(DiscardReason::reservoir_full), 1u);
  EXPECT_EQ(second.reason, DiscardReason::reservoir_full);
}

TEST(PoolStateTest, ClosingEndsEveryWaiterAndDiscardsWhatIsNotInUse) {
  TestPool pool(test_rules());
  pool.open_one();
  Slot& lent = *pool.take();
  Slot& used = pool.open_one();
  pool.take();
  pool.give_back(used, true);
  const Caller& caller = pool.wait(10s);

  pool.close();
  const bool can_take = pool.take() != nullptr;
  pool.give_back(lent);

  EXPECT_EQ(caller.outcome, WaitOutcome::closed);
  EXPECT_EQ(caller.wakes, 1);
  EXPECT_FALSE(can_take);
  EXPECT_EQ(pool.discarded(DiscardReason::closed), 2u);
}

TEST(PoolStateTest, AConnectThatEndsAfterClosingIsDiscarded) {
  TestPool pool(test_rules());
  Slot& slot = pool.start_opening();
  pool.close();

  const bool is_wanted = pool.state.is_still_wanted(slot, pool.now);
  pool.opened(slot);

  EXPECT_FALSE(is_wanted);
  EXPECT_EQ(slot.reason, DiscardReason::closed);
}

TEST(PoolStateTest, WhatAHookRefusesIsClosedUnderItsReason) {
  TestPool pool(test_rules());
  Slot& slot = pool.start_opening();

  pool.state.refuse_opening(slot, DiscardReason::hook_failed);
  pool.state.audit();

  EXPECT_EQ(slot.state, SlotState::closing);
  EXPECT_EQ(pool.discarded(DiscardReason::hook_failed), 1u);
}

TEST(PoolStateTest, PoolsUnderOneBudgetTogetherStayWithinIt) {
  Capacity budget(3);
  TestPool left(test::reservoir_rules(10, 2), &budget);
  TestPool right(test::reservoir_rules(10, 2), &budget);

  const std::size_t opened_left = left.collect().open.size();
  const std::size_t opened_right = right.collect().open.size();

  EXPECT_EQ(opened_left, 2u);
  EXPECT_EQ(opened_right, 1u);
}

TEST(PoolStateDeathTest, GivingBackTwiceStopsTheProcess) {
  TestPool pool(test_rules());
  pool.open_one();
  Slot& slot = *pool.take();
  pool.give_back(slot);

  EXPECT_DEATH(pool.give_back(slot), "not lent");
}

TEST(PoolStateDeathTest, APoolThatDiesBeforeItIsClosedStopsTheProcess) {
  EXPECT_DEATH({ const PoolState state(test_rules()); }, "a pool died");
}

}  // namespace
}  // namespace forebay
