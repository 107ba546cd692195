// PoolState as the background loop sees it: opening, replacing, resizing.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "core/pool_fixture.hpp"

namespace forebay {
namespace {

using test::Caller;
using test::reservoir_rules;
using test::test_rules;
using test::TestPool;
using test::Work;
using namespace std::chrono_literals;

// ---- opening

TEST(PoolUpkeepTest, AReservoirIsFilledAtOnceAndThenLeftAlone) {
  PoolRules rules = reservoir_rules(10, 4);
  rules.low_watermark = 2;
  TestPool pool(rules);

  const Work work = pool.collect();
  const bool is_filled_before = pool.state.is_filled();
  pool.opened(*work.open.at(0));
  pool.opened(*work.open.at(1));
  const bool is_filled_at_the_watermark = pool.state.is_filled();
  pool.opened(*work.open.at(2));
  pool.opened(*work.open.at(3));
  const Work again = pool.collect();

  EXPECT_EQ(work.open.size(), 4u);
  EXPECT_FALSE(is_filled_before);
  EXPECT_TRUE(is_filled_at_the_watermark);
  EXPECT_TRUE(again.empty());
  EXPECT_FALSE(pool.state.wants_attention());
}

TEST(PoolUpkeepTest, TakingFromAReservoirWantsAttention) {
  TestPool pool(reservoir_rules(10, 2));
  for (Slot* slot : pool.collect().open) pool.opened(*slot);
  pool.collect();

  pool.take();
  const bool wants_attention = pool.state.wants_attention();
  const Work work = pool.collect();
  const bool wants_more = pool.state.wants_attention();

  EXPECT_TRUE(wants_attention);
  EXPECT_EQ(work.open.size(), 1u);
  EXPECT_FALSE(wants_more);
}

TEST(PoolUpkeepTest, AConnectIsNoLongerWantedOnceItsWaiterIsServed) {
  TestPool pool(test_rules());
  pool.open_one();
  Slot& lent = *pool.take();
  pool.wait(10s);
  Slot& opening = *pool.collect().open.at(0);

  const bool is_wanted_before = pool.state.is_still_wanted(opening, pool.now);
  pool.give_back(lent);
  const bool is_wanted_after = pool.state.is_still_wanted(opening, pool.now);

  EXPECT_TRUE(is_wanted_before);
  EXPECT_FALSE(is_wanted_after);
}

// Connects start in the order in which they were decided. If the first ones gave way to those
// behind them, what is still wanted would come last.
TEST(PoolUpkeepTest, WhenOnlySomeAreStillWantedTheFirstInLineGoAhead) {
  TestPool pool(test_rules());
  const Caller& caller = pool.wait(10s);
  Slot& first = pool.start_opening();
  Slot& second = pool.start_opening();

  const bool is_first_wanted = pool.state.is_still_wanted(first, pool.now);
  const bool is_second_wanted = pool.state.is_still_wanted(second, pool.now);
  pool.remove(first);
  const bool is_second_wanted_alone = pool.state.is_still_wanted(second, pool.now);

  EXPECT_EQ(caller.outcome, WaitOutcome::waiting);
  EXPECT_TRUE(is_first_wanted);
  EXPECT_FALSE(is_second_wanted);
  EXPECT_TRUE(is_second_wanted_alone);
}

TEST(PoolUpkeepTest, ABurstOfFailuresIsOneBackoffAndThenOneProbe) {
  TestPool pool(reservoir_rules(10, 4));
  const std::vector<Slot*> opening = pool.collect().open;

  for (Slot* slot : opening) pool.open_failed(*slot, "no route");
  const Work during = pool.collect();
  pool.now += 250ms;
  const Work after = pool.collect();
  pool.open_failed(*after.open.at(0));
  const Work after_second_failure = pool.collect();

  EXPECT_TRUE(during.open.empty());
  EXPECT_EQ(during.wake_at, pool.now);
  EXPECT_EQ(after.open.size(), 1u);
  EXPECT_EQ(after_second_failure.wake_at, pool.now + 500ms);
  EXPECT_EQ(pool.state.counters().open_failures(), 5u);
  EXPECT_EQ(pool.state.health().last_failure(), OpenFailure::connection_open);
}

TEST(PoolUpkeepTest, ASuccessEndsTheBackoff) {
  TestPool pool(reservoir_rules(10, 4));
  const std::vector<Slot*> opening = pool.collect().open;
  pool.open_failed(*opening.at(0));

  pool.opened(*opening.at(1));
  const Work work = pool.collect();

  EXPECT_EQ(work.open.size(), 1u);
}

// A full server lets one in when another leaves; a caller that asks why the pool is short hears it.
TEST(PoolUpkeepTest, TheLastFailureIsToldUntilAllIsThereThatIsWanted) {
  TestPool pool(reservoir_rules(10, 2));
  const std::vector<Slot*> opening = pool.collect().open;
  pool.open_failed(*opening.at(0));

  pool.opened(*opening.at(1));
  EXPECT_TRUE(pool.state.health().last_failure().has_value());

  pool.opened(*pool.collect().open.at(0));
  EXPECT_FALSE(pool.state.health().last_failure().has_value());
}

TEST(PoolUpkeepTest, FailuresAreCountedByTheirReason) {
  TestPool pool(reservoir_rules(10, 4));
  const std::vector<Slot*> opening = pool.collect().open;

  pool.open_failed(*opening.at(0), "full", Errc::limit_reached, OpenFailure::lease_acquire);
  pool.open_failed(*opening.at(1), "full", Errc::limit_reached, OpenFailure::lease_acquire);
  pool.open_failed(*opening.at(2), "no keys", Errc::refused, OpenFailure::token_provider);

  const PoolCounters& counters = pool.state.counters();
  EXPECT_EQ(counters.failed(OpenFailure::lease_acquire), 2u);
  EXPECT_EQ(counters.failed(OpenFailure::token_provider), 1u);
  EXPECT_EQ(counters.failed(OpenFailure::connection_open), 0u);
  EXPECT_EQ(counters.open_failures(), 3u);
  EXPECT_EQ(pool.state.health().last_failure(), OpenFailure::token_provider);
}

// How long the pool pauses after so many refusals in a row with one connection open.
Duration pause_after_refusals(int refusals, Errc code, OpenFailure reason) {
  TestPool pool(reservoir_rules(10, 4));
  const std::vector<Slot*> opening = pool.collect().open;
  pool.opened(*opening.at(0));
  for (std::size_t i = 1; i < opening.size(); ++i) {
    pool.open_failed(*opening.at(i), "full", code, reason);
  }
  Work work = pool.collect();
  for (int i = 1; i < refusals; ++i) {
    pool.now = work.wake_at;
    while (work.open.empty()) {
      work = pool.collect();
      if (work.open.empty()) pool.now = work.wake_at;
    }
    for (Slot* slot : work.open) pool.open_failed(*slot, "full", code, reason);
    work = pool.collect();
  }
  const Instant refused = pool.now;
  while (work.open.empty()) {
    pool.now = work.wake_at;
    work = pool.collect();
  }
  return pool.now - refused;
}

TEST(PoolUpkeepTest, AFullServerIsAskedAgainSoonWhileSomeAreOpen) {
  EXPECT_LE(pause_after_refusals(8, Errc::limit_reached, OpenFailure::connection_open), 1s);
  EXPECT_GT(pause_after_refusals(8, Errc::connect_failed, OpenFailure::connection_open), 2s);
  // Asking the cluster for a lease costs everybody.
  EXPECT_GT(pause_after_refusals(8, Errc::limit_reached, OpenFailure::lease_acquire), 2s);
}

TEST(PoolUpkeepTest, WarmUpStopsAtItsSizeAndTheKeeperWaitsForIt) {
  PoolRules rules = test_rules();
  rules.supply.keep_open = 2;
  rules.low_watermark = 2;
  TestPool pool(rules);
  pool.state.hold_keeper();

  const Work while_held = pool.collect();
  Slot& first = pool.add_opening(pool.state.approve_warm_up().value());
  Slot& second = pool.add_opening(pool.state.approve_warm_up().value());
  const bool approves_a_third = pool.state.approve_warm_up().has_value();
  pool.opened(first);
  pool.open_failed(second);
  const bool is_filled_before = pool.state.is_filled();
  pool.state.release_keeper(pool.now);
  const bool has_given_up = pool.state.has_given_up() && !pool.state.is_filled();
  pool.now += 250ms;
  const Work when_released = pool.collect();

  EXPECT_TRUE(while_held.empty());
  EXPECT_FALSE(approves_a_third);
  EXPECT_FALSE(is_filled_before);
  EXPECT_TRUE(has_given_up);
  EXPECT_EQ(when_released.open.size(), 1u);
  pool.opened(*when_released.open.at(0));
  EXPECT_TRUE(pool.state.is_filled()) << "the keeper has done the rest";
  EXPECT_FALSE(pool.state.has_given_up());
}

TEST(PoolUpkeepTest, TheKeeperOpensOneATickInASmallPool) {
  PoolRules rules = test_rules();
  rules.supply.keep_open = 3;
  TestPool pool(rules);

  const Work first = pool.collect();
  const Work at_once = pool.collect();
  pool.now += kKeeperTick;
  const Work next_tick = pool.collect();

  EXPECT_EQ(first.open.size(), 1u);
  EXPECT_EQ(first.wake_at, pool.now);
  EXPECT_TRUE(at_once.empty());
  EXPECT_EQ(next_tick.open.size(), 1u);
}

// ---- replacing

TEST(PoolUpkeepTest, WithRoomTheReplacementIsOpenedBeforeTheRetirement) {
  TestPool pool(reservoir_rules(10, 2));
  for (Slot* slot : pool.collect().open) pool.opened(*slot);
  const Slot& leaving = *pool.slots_in(SlotState::ready).at(1);  // its turn is one gap earlier
  const Duration lead = 4 * pool.state.health().connect_time();

  pool.now = leaving.retire_at - lead;
  const Work ahead = pool.collect();
  const int ready_before = pool.ready();
  pool.opened(*ahead.open.at(0));
  pool.now = leaving.retire_at;
  const Work at_its_turn = pool.collect();

  EXPECT_EQ(ahead.open.size(), 1u);
  EXPECT_TRUE(ahead.close.empty());
  EXPECT_EQ(ready_before, 2);
  EXPECT_EQ(at_its_turn.close, (std::vector<Slot*>{pool.slots.at(leaving.id).get()}));
  EXPECT_EQ(leaving.reason, DiscardReason::replaced);
  EXPECT_TRUE(at_its_turn.open.empty());
  EXPECT_EQ(pool.ready(), 2);
}

// A replacement that found no place would be opened, discarded and opened again until the
// old one went.
TEST(PoolUpkeepTest, AReplacementHasAPlaceBesideTheOneItReplaces) {
  PoolRules rules = reservoir_rules(10, 2);
  rules.max_ready = 2;
  TestPool pool(rules);
  for (Slot* slot : pool.collect().open) pool.opened(*slot);
  const Slot& leaving = *pool.slots_in(SlotState::ready).at(1);

  pool.now = leaving.retire_at - 4 * pool.state.health().connect_time();
  pool.opened(*pool.collect().open.at(0));
  const Work work = pool.collect();

  EXPECT_EQ(pool.discarded(DiscardReason::reservoir_full), 0u);
  EXPECT_TRUE(work.empty());
}

TEST(PoolUpkeepTest, ATargetAboveTheMostReadyIsReachedAllTheSame) {
  PoolRules rules = reservoir_rules(10, 4);
  rules.max_ready = 2;
  TestPool pool(rules);

  for (Slot* slot : pool.collect().open) pool.opened(*slot);
  const Work work = pool.collect();

  EXPECT_EQ(pool.ready(), 4);
  EXPECT_TRUE(work.empty()) << "what is opened and discarded at once would be opened for ever";
}

TEST(PoolUpkeepTest, WithoutRoomRetirementsComeOneByOne) {
  TestPool pool(reservoir_rules(5, 5));
  for (Slot* slot : pool.collect().open) pool.opened(*slot);
  const Instant end = pool.now + 9min;

  std::set<Instant> retirements;
  std::size_t most_at_once = 0;
  int fewest_ready = 5;
  while (pool.now < end) {
    const Work work = pool.collect();
    if (!work.close.empty()) retirements.insert(pool.now);
    most_at_once = std::max(most_at_once, work.close.size());
    fewest_ready = std::min(fewest_ready, pool.ready());
    for (Slot* slot : work.close) pool.remove(*slot);
    for (Slot* slot : work.open) pool.opened(*slot);
    pool.now = std::min(pool.now + 1s, std::max(work.wake_at, pool.now + 1ms));
  }

  EXPECT_EQ(most_at_once, 1u);
  EXPECT_GE(fewest_ready, 4);
  EXPECT_GE(retirements.size(), 4u);
}

TEST(PoolUpkeepTest, TheLastOneReadyIsKeptUntilItIsStale) {
  TestPool pool(test_rules());
  Slot& first = pool.open_one();
  Slot& last = pool.open_one();
  ASSERT_LT(last.retire_at, last.stale_at);
  pool.take_at(pool.now);
  pool.take_at(pool.now);
  pool.give_back(last);
  pool.now = last.retire_at;

  const Work at_its_turn = pool.collect();
  pool.now = last.stale_at - Duration(1);
  const Work just_before = pool.collect();
  pool.now = last.stale_at;
  const Work when_stale = pool.collect();

  EXPECT_EQ(first.state, SlotState::lent);
  EXPECT_TRUE(at_its_turn.empty());
  EXPECT_TRUE(just_before.empty());
  EXPECT_EQ(when_stale.close, (std::vector{&last}));
  EXPECT_EQ(last.reason, DiscardReason::expiring_soon_on_scan);
}

TEST(PoolUpkeepTest, TheLastOneGoesWhenItsReplacementIsThere) {
  TestPool pool(test_rules());
  pool.open_one();
  Slot& last = pool.open_one();
  pool.take();
  pool.take();
  pool.give_back(last);
  pool.now = last.retire_at;
  pool.collect();

  pool.open_one();
  pool.now = last.stale_at - Duration(1);
  pool.collect();

  EXPECT_EQ(last.reason, DiscardReason::replaced);
}

TEST(PoolUpkeepTest, AConnectionWhoseTurnCameWhileItWasLentGoesOnReturn) {
  TestPool pool(test_rules());
  pool.open_one();
  Slot& lent = pool.open_one();
  pool.take();
  pool.now = lent.retire_at;
  pool.collect();

  pool.give_back(lent);

  EXPECT_EQ(lent.reason, DiscardReason::replaced);
}

// The caller read the clock a moment before the background loop did, and gets the lock after it.
TEST(PoolUpkeepTest, AReturnWithAnEarlierTimeThanTheScanStillRetires) {
  TestPool pool(test_rules());
  Slot& slot = pool.open_one();
  pool.take();
  pool.now = slot.retire_at;
  pool.collect();

  pool.give_back_at(slot, slot.retire_at - Duration(1), false);
  pool.now = slot.stale_at;
  const Work work = pool.collect();

  EXPECT_EQ(work.close, (std::vector{&slot}));
}

TEST(PoolUpkeepTest, TheLoopLooksAtLeastOnceASecondWhileAnythingIsOpen) {
  TestPool pool(test_rules());
  const Instant when_empty = pool.collect().wake_at;
  pool.open_one();

  const Instant with_one = pool.collect().wake_at;

  EXPECT_EQ(when_empty, kNever);
  EXPECT_EQ(with_one, pool.now + 1s);
}

// The scan goes by a heap of what is due: what is not due is not touched, and looking
// often is cheap.
TEST(PoolUpkeepTest, AScanOverTenThousandTouchesOnlyWhatIsDue) {
  constexpr int kSlots = 10'000;
  PoolRules rules = test_rules(kSlots);
  TestPool pool(rules);
  for (int i = 0; i < kSlots; ++i) {
    Slot& slot = pool.start_opening();
    pool.decide_quietly(
        [&](WakeList& wakes) { pool.state.opened(slot, pool.now, 50ms, pool.random, wakes); });
    pool.now += 30ms;  // more than the gap between retirements
  }
  std::vector<Instant> retirements;
  for (const auto& [id, slot] : pool.slots) retirements.push_back(slot->retire_at);
  std::ranges::sort(retirements);

  PoolWork nothing;
  for (int look = 0; look < 100'000; ++look) pool.state.collect(pool.now, nothing);
  pool.now = retirements.at(6);
  const Work work = pool.collect();

  EXPECT_TRUE(nothing.empty());
  EXPECT_EQ(work.close.size(), 7u);
  EXPECT_EQ(pool.ready(), kSlots - 7);
}

// ---- resizing

TEST(PoolUpkeepTest, AfterShrinkingTheLongestIdleGoFirstAndLentOnesOnReturn) {
  TestPool pool(test_rules(4));
  pool.open(4);
  Slot& lent = *pool.take();
  Slot& also_lent = *pool.take();

  pool.state.resize(test_rules(1));
  const Work work = pool.collect();
  pool.give_back(lent);
  pool.give_back(also_lent);

  EXPECT_EQ(work.close.size(), 2u);
  EXPECT_EQ(lent.reason, DiscardReason::shrunk);
  EXPECT_EQ(also_lent.state, SlotState::ready);
  EXPECT_EQ(pool.discarded(DiscardReason::shrunk), 3u);
}

TEST(PoolUpkeepTest, AfterShrinkingAConnectInFlightIsNotWanted) {
  TestPool pool(reservoir_rules(4, 4));
  Slot& opening = *pool.collect().open.at(0);

  pool.state.resize(reservoir_rules(2, 2));

  EXPECT_FALSE(pool.state.is_still_wanted(opening, pool.now));
}

TEST(PoolUpkeepTest, AfterGrowingTheReservoirIsFilledToItsNewTarget) {
  TestPool pool(reservoir_rules(2, 2));
  for (Slot* slot : pool.collect().open) pool.opened(*slot);

  pool.state.resize(reservoir_rules(6, 5));
  const Work work = pool.collect();

  EXPECT_EQ(work.open.size(), 3u);
}

}  // namespace
}  // namespace forebay
