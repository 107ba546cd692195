// A pool whose connects are refused: for good, or because the server is full.
#include <gtest/gtest.h>

#include "core/pool_fixture.hpp"

namespace forebay::test {
namespace {

FailedOpen wrong_password() {
  return FailedOpen(OpenFailure::connection_open,
                    Error(Errc::refused, ErrorClass::permanent, "no", "28P01"));
}

class RefusedPool : public TestPool {
 public:
  using TestPool::TestPool;
  void refused(Slot& slot) {
    state.open_failed(now, wrong_password(), random);
    remove(slot);
  }
  void refuse_waiters() {
    decide([&](WakeList& wakes) { state.refuse_waiters(now, wakes); });
  }
};

TEST(PoolRefusalTest, ThoseWhoWaitHearItWhenTheLastConnectIsRefused) {
  RefusedPool pool(reservoir_rules(10, 2));
  const std::vector<Slot*> opening = pool.collect().open;
  const Caller& caller = pool.wait(10s);

  pool.refused(*opening.at(0));
  pool.refuse_waiters();
  EXPECT_EQ(caller.outcome, WaitOutcome::waiting) << "another connect is on its way";
  pool.refused(*opening.at(1));
  pool.refuse_waiters();

  EXPECT_EQ(caller.outcome, WaitOutcome::refused);
  EXPECT_EQ(caller.wakes, 1);
  EXPECT_EQ(pool.state.counters().refusals, 1u);
  EXPECT_TRUE(pool.state.is_refusing(pool.now));
}

TEST(PoolRefusalTest, APoolWithConnectionsWaitsForThem) {
  RefusedPool pool(test_rules());
  Slot& lent = pool.open_one();
  pool.take();
  const Caller& caller = pool.wait(10s);
  pool.refused(*pool.collect().open.at(0));
  pool.refuse_waiters();
  ASSERT_EQ(caller.outcome, WaitOutcome::waiting);

  pool.give_back(lent);

  EXPECT_EQ(caller.outcome, WaitOutcome::granted);
}

TEST(PoolRefusalTest, TheNextAttemptIsAwaitedAndHealsIt) {
  RefusedPool pool(test_rules());
  pool.wait(1min);
  pool.refused(*pool.collect().open.at(0));
  pool.refuse_waiters();

  const Work during = pool.collect();
  EXPECT_TRUE(during.open.empty());
  EXPECT_EQ(during.wake_at, pool.now + 15s) << "those who went away left a wish";
  pool.now += 15s;
  EXPECT_FALSE(pool.state.is_refusing(pool.now));
  const Caller& next = pool.wait(1min);
  const Work work = pool.collect();
  pool.refuse_waiters();
  ASSERT_EQ(work.open.size(), 1u);
  EXPECT_EQ(next.outcome, WaitOutcome::waiting);
  pool.opened(*work.open.at(0));

  EXPECT_EQ(next.outcome, WaitOutcome::granted);
  EXPECT_FALSE(pool.state.health().is_refused());
}

// Those that stand in line for a permit when the first is refused must not lock an account.
TEST(PoolRefusalTest, WhatHasNotConnectedYetIsNoLongerWanted) {
  RefusedPool pool(reservoir_rules(10, 5));
  const std::vector<Slot*> opening = pool.collect().open;
  ASSERT_TRUE(pool.state.is_still_wanted(*opening.at(1), pool.now));

  pool.refused(*opening.at(0));

  EXPECT_FALSE(pool.state.is_still_wanted(*opening.at(1), pool.now));
  EXPECT_FALSE(pool.state.is_still_wanted(*opening.at(4), pool.now));
}

TEST(PoolRefusalTest, TheFirstTryIsAlone) {
  RefusedPool pool(reservoir_rules(10, 5));
  pool.state.begin_first_try();

  const Work first = pool.collect();
  ASSERT_EQ(first.open.size(), 1u);
  EXPECT_TRUE(pool.collect().open.empty());
  pool.opened(*first.open.at(0));

  EXPECT_FALSE(pool.state.is_trying_first());
  EXPECT_EQ(pool.collect().open.size(), 4u);
}

TEST(PoolRefusalTest, APoolThatKeepsNothingOpensOneAllTheSame) {
  RefusedPool pool(test_rules());
  ASSERT_TRUE(pool.collect().open.empty());

  pool.state.begin_first_try();

  EXPECT_EQ(pool.collect().open.size(), 1u);
}

// As many as a full server had, without a pause between one that ends and the next.
TEST(PoolRefusalTest, OfAFullServerWhatEndsIsReplacedAtOnce) {
  TestPool pool(reservoir_rules(50, 50));
  const std::vector<Slot*> opening = pool.collect().open;
  for (std::size_t i = 0; i < 20; ++i) pool.opened(*opening.at(i));
  for (std::size_t i = 20; i < opening.size(); ++i)
    pool.open_failed(*opening.at(i), "full", Errc::limit_reached);
  ASSERT_TRUE(pool.collect().open.empty());

  for (int i = 0; i < 3; ++i) pool.state.discard_lent(*pool.take(), DiscardReason::broken);
  const Work closing = pool.collect();
  EXPECT_TRUE(closing.open.empty()) << "the server may still count them";
  for (Slot* slot : closing.close) pool.remove(*slot);
  const Work work = pool.collect();

  EXPECT_EQ(work.open.size(), 3u);
  EXPECT_EQ(work.wake_at, pool.now + 1s) << "for one more";
}

}  // namespace
}  // namespace forebay::test
