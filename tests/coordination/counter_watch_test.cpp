#include "forebay/coordination/leases/counter_watch.hpp"

#include <gtest/gtest.h>

namespace forebay::test {
namespace {

using namespace std::chrono_literals;

LeaseListing listing(int active, int held, int older = 0) {
  LeaseListing result(active, "mark");
  result.leases.emplace_back("a", "test").held = held;
  for (int i = 0; i < older; ++i) {
    LeaseRecord& lease = result.leases.emplace_back("older" + std::to_string(i), "test");
    lease.held = 1;
    lease.is_renewed = false;
  }
  return result;
}

TEST(CounterWatchTest, WhatAddsUpIsLeftAlone) {
  CounterWatch watch(65min);
  EXPECT_FALSE(watch.look(listing(7, 7), Instant(0s)));
  EXPECT_FALSE(watch.look(listing(8, 7, 1), Instant(1s)));
  EXPECT_FALSE(watch.look(listing(7, 7), Instant(24h)));
}

// The counter is read before the leases: what is leased in between looks like a counter that is too
// low, and must neither raise it nor end the watch for drift.
TEST(CounterWatchTest, WhatChangedWhileItWasReadSaysNothing) {
  CounterWatch watch(65min);
  EXPECT_FALSE(watch.look(listing(12, 10), Instant(0s)));
  LeaseListing moving = listing(12, 15);
  moving.is_still = false;
  EXPECT_FALSE(watch.look(moving, Instant(30min)));
  EXPECT_EQ(watch.look(listing(12, 10), Instant(65min)), 10);
}

TEST(CounterWatchTest, ACounterThatWasResetIsRaisedAtOnce) {
  CounterWatch watch(65min);
  EXPECT_EQ(watch.look(listing(0, 7), Instant(0s)), 7);
  EXPECT_EQ(watch.look(listing(3, 7, 2), Instant(1s)), 9);
}

TEST(CounterWatchTest, TheSmallestDriftOfAWholeSessionIsTakenBack) {
  CounterWatch watch(65min);
  EXPECT_FALSE(watch.look(listing(17, 10), Instant(0s)));
  EXPECT_FALSE(watch.look(listing(13, 10), Instant(30min)));
  EXPECT_FALSE(watch.look(listing(28, 20), Instant(65min - 1ns)));
  EXPECT_EQ(watch.look(listing(28, 20), Instant(65min)), 25);

  // It is offered until it was done.
  EXPECT_EQ(watch.look(listing(29, 20), Instant(66min)), 26);
  watch.forget();
  EXPECT_FALSE(watch.look(listing(25, 20), Instant(67min)));
  EXPECT_FALSE(watch.look(listing(25, 20), Instant(131min)));
  EXPECT_EQ(watch.look(listing(25, 20), Instant(132min)), 20);
}

TEST(CounterWatchTest, ADriftThatWasGoneForAMomentBeginsAnew) {
  CounterWatch watch(65min);
  EXPECT_FALSE(watch.look(listing(17, 10), Instant(0s)));
  EXPECT_FALSE(watch.look(listing(10, 10), Instant(60min)));
  EXPECT_FALSE(watch.look(listing(17, 10), Instant(66min)));
  EXPECT_FALSE(watch.look(listing(17, 10), Instant(130min)));
  EXPECT_EQ(watch.look(listing(17, 10), Instant(131min)), 10);
}

// Twenty connections of an older client, replaced every few minutes; DynamoDB deletes their leases
// early. The drift is always there, and connections always stand behind it.
TEST(CounterWatchTest, WhileOlderClientsMakeLeasesNoDriftIsTakenBack) {
  CounterWatch watch(65min);
  for (int minute = 0; minute < 300; ++minute)
    EXPECT_FALSE(watch.look(listing(30, 10, 1 + minute % 4), Instant(minute * 1min)));

  // The last of them ends at most one session after its lease was last seen.
  EXPECT_FALSE(watch.look(listing(29, 10), Instant(300min)));
  EXPECT_FALSE(watch.look(listing(12, 10), Instant(364min)));
  EXPECT_EQ(watch.look(listing(12, 10), Instant(365min)), 10);
}

}  // namespace
}  // namespace forebay::test
