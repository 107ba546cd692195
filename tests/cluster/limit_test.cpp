// One limit over processes that come and go, some of them without a word.
#include "cluster/cluster_fixture.hpp"
#include "forebay/env/random.hpp"
#include "support/dynamodb_local.hpp"

namespace forebay::test {
namespace {

constexpr int kLimit = 100;
constexpr int kMembers = 8;
constexpr Duration kTtl = 5s;
constexpr Duration kLinger = 1s;  // of the members, unless told otherwise
// How often reapers look, at the least: see LeaseReaper.
constexpr Duration kReapingInterval = kTtl / 4 + kTtl / 16;

class LimitTest : public ClusterTest {
 protected:
  explicit LimitTest(DynamoDbService& dynamodb = StandinDynamoDb::shared())
      : ClusterTest(kLimit, dynamodb) {}

  static std::string name(int number) { return fmt::format("member-{}", number); }
  void start_member(int number) {
    start(name(number), {"limit=100", "wanted=30", fmt::format("ttl={}", seconds_of(kTtl)),
                         "rate=100", "burst=100", "mode=bucket", "callers=2"});
  }
  // The counter is what PostgreSQL sees, and not for a moment only.
  bool is_exact(int count) {
    for (int look = 0; look < 3; ++look) {
      if (counter() != count || sessions() != count) return false;
    }
    return true;
  }
};

class LimitOnDynamoDbLocalTest : public LimitTest {
 protected:
  LimitOnDynamoDbLocalTest() : LimitTest(DynamoDbLocal::shared()) {}
};

TEST_F(LimitOnDynamoDbLocalTest, HoldsWhileProcessesAreKilledByChanceAndHealsByItself) {
  SeededRandom random(20261116);
  for (int i = 0; i < kMembers; ++i) start_member(i);
  ASSERT_TRUE(becomes(30s, [&] { return sessions() == kLimit; })) << said();

  const Instant end = now() + load_time(60s);
  int kills = 0;
  while (now() < end) {
    const int victim = static_cast<int>(random.below(kMembers));
    kill(name(victim));
    ++kills;
    watch(random.between(100ms, 2s));
    start_member(victim);
    watch(random.between(100ms, 2s));
  }
  const int last = static_cast<int>(random.below(kMembers));
  kill(name(last));
  const Instant killed = now();

  // All that live want more than there is, so the limit is used to the last connection.
  EXPECT_TRUE(
      becomes(kTtl + kLinger + 2 * kReapingInterval + 10s, [&] { return is_exact(kLimit); }))
      << "counter " << counter() << ", sessions " << sessions() << '\n'
      << said();
  fmt::print("{} kills; exact {:.1f} s after the last one, ttl {} s; at most {} sessions\n", kills,
             seconds_of(now() - killed), seconds_of(kTtl), most_);
  EXPECT_LE(most_, kLimit);
  EXPECT_EQ(refused(), 0u) << "PostgreSQL had to refuse what was one too many";
}

TEST_F(LimitTest, WhatAllLeftBehindIsFreedByTheNextThatStarts) {
  for (int i = 0; i < kMembers; ++i) start_member(i);
  ASSERT_TRUE(becomes(30s, [&] { return sessions() == kLimit; })) << said();
  // Stopped first, so that nobody moves a place to another that has less while we look. The counter
  // and the leases change together, and nobody is left to lower either.
  for (int i = 0; i < kMembers; ++i) members_.at(name(i)).send(SIGSTOP);
  ASSERT_TRUE(becomes(10s, [&] { return counter() == leased() && sessions() <= counter(); }));
  const std::int64_t left = counter();
  EXPECT_LE(left, kLimit);
  for (int i = 0; i < kMembers; ++i) kill(name(i));
  ASSERT_TRUE(becomes(10s, [&] { return sessions() == 0; }));
  EXPECT_EQ(counter(), left);
  EXPECT_EQ(leased(), left);

  start_member(9);
  EXPECT_TRUE(becomes(kTtl + kLinger + 2 * kReapingInterval + 20s, [&] { return is_exact(30); }))
      << "counter " << counter() << ", sessions " << sessions() << '\n'
      << said();
  EXPECT_TRUE(end(name(9))) << said();
  EXPECT_EQ(counter(), 0);
  EXPECT_EQ(sessions(), 0);
  EXPECT_EQ(refused(), 0u);
}

TEST_F(LimitTest, WhoEndsWellLeavesNothing) {
  for (int i = 0; i < 3; ++i) start_member(i);
  ASSERT_TRUE(becomes(30s, [&] { return sessions() == 90; })) << said();
  EXPECT_EQ(counter(), 90);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(end(name(i))) << said(name(i));
  EXPECT_EQ(sessions(), 0);
  EXPECT_EQ(counter(), 0);
}

// One is stopped while it fills its pool, for longer than its lease lasts, and goes on when another
// has all that there is.
TEST_F(LimitTest, WhoWasStoppedOpensNothingOnAReapedLease) {
  const std::string frozen = name(0);
  const Words words = {"limit=20", "wanted=20", "ttl=3", "rate=10", "burst=1", "callers=0"};
  start(frozen, words);
  ASSERT_TRUE(becomes(20s, [&] { return sessions(frozen) >= 5; })) << said();
  members_.at(frozen).send(SIGSTOP);
  const int at_least = sessions(frozen);  // connects on their way may still arrive at the server
  ASSERT_LT(at_least, 20);

  // It may keep all of it: what is opened then is opened on the old lease, not in a share that it
  // left.
  Words all = words;
  all.emplace_back("min_share=20");
  start(name(1), all);
  ASSERT_TRUE(becomes(60s, [&] { return sessions(name(1)) == 20; })) << said();
  const std::size_t received = connects_received();
  members_.at(frozen).send(SIGCONT);
  ASSERT_TRUE(becomes(20s, [&] { return figure(frozen, "losses") == 1; })) << said();
  watch(2s);

  EXPECT_EQ(connects_received() - received, 0u) << said();
  EXPECT_GE(sessions(frozen), at_least) << "it keeps what it has";
  EXPECT_TRUE(becomes(10s, [&] { return counter() == 20 + sessions(frozen); }))
      << "what is open is counted: " << counter();
}

}  // namespace
}  // namespace forebay::test
