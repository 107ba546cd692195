// Who has been silent for too long.
#include "forebay/coordination/leases/silence_watch.hpp"

#include <gtest/gtest.h>

#include "forebay/coordination/store_contact.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;

constexpr Instant kBegin{std::chrono::hours(1)};

LeaseRecord watched_lease(std::uint64_t version, Duration reap_after = 0s) {
  LeaseRecord lease("a", "service");
  lease.held = 3;
  lease.version = version;
  lease.reap_after = reap_after;
  return lease;
}

TEST(SilenceWatchTest, ALeaseIsDeadAfterATtlAndAMargin) {
  SilenceWatch watch(100s, 1h);
  EXPECT_TRUE(watch.look({watched_lease(1)}, "", kBegin).empty());
  EXPECT_EQ(watch.next(kBegin), kBegin + 101s);
  EXPECT_TRUE(watch.look({watched_lease(1)}, "", kBegin + 100s).empty());
  const auto dead = watch.look({watched_lease(1)}, "", kBegin + 101s);
  ASSERT_EQ(dead.size(), 1u);
  EXPECT_EQ(dead[0].id, "a");
  EXPECT_EQ(dead[0].version, 1u);
}

TEST(SilenceWatchTest, ASignOfLifeBeginsTheWatchAnew) {
  SilenceWatch watch(100s, 1h);
  watch.look({watched_lease(1)}, "", kBegin);
  EXPECT_TRUE(watch.look({watched_lease(2)}, "", kBegin + 101s).empty());
  EXPECT_TRUE(watch.look({watched_lease(2)}, "", kBegin + 201s).empty());
  EXPECT_EQ(watch.look({watched_lease(2)}, "", kBegin + 202s).size(), 1u);
}

// The one who looks may have another ttl than the holder: a person at a command line, say.
TEST(SilenceWatchTest, TheHoldersOwnTtlCountsIfItIsLonger) {
  SilenceWatch watch(1s, 1h);
  watch.look({watched_lease(1, 100s)}, "", kBegin);
  EXPECT_TRUE(watch.look({watched_lease(1, 100s)}, "", kBegin + 100s).empty());
  EXPECT_EQ(watch.look({watched_lease(1, 100s)}, "", kBegin + 101s).size(), 1u);
}

TEST(SilenceWatchTest, LeasesOfTheOlderKindHaveAsLongAsASessionLives) {
  SilenceWatch watch(10s, 1h);
  LeaseRecord old = watched_lease(0);
  old.is_renewed = false;
  watch.look({old}, "", kBegin);
  EXPECT_TRUE(watch.look({old}, "", kBegin + 1h).empty());
  EXPECT_EQ(watch.look({old}, "", kBegin + 1h + 36s).size(), 1u);
}

TEST(SilenceWatchTest, WhatWasSeenInAnEarlierContactCountsForNothing) {
  SilenceWatch watch(100s, 1h);
  EXPECT_TRUE(watch.begin(kBegin));
  watch.look({watched_lease(1)}, "", kBegin);
  EXPECT_FALSE(watch.begin(kBegin));
  EXPECT_TRUE(watch.begin(kBegin + 150s));
  EXPECT_TRUE(watch.look({watched_lease(1)}, "", kBegin + 200s).empty());
  EXPECT_EQ(watch.look({watched_lease(1)}, "", kBegin + 301s).size(), 1u);
}

// A holder that is heard of, comes later or has no way to give a sign is not waited for.
TEST(SilenceWatchTest, ItKnowsWhoHasGivenNoSignSinceItBegan) {
  const auto lease = [](std::string id, std::uint64_t version) {
    LeaseRecord record(std::move(id), "service");
    record.version = version;
    return record;
  };
  LeaseRecord older = lease("older", 0);
  older.is_renewed = false;
  SilenceWatch watch(100s, 1h);
  watch.begin(kBegin);
  watch.look({lease("a", 1), lease("b", 1), older}, "", kBegin);
  EXPECT_EQ(watch.unheard(), 2);
  watch.look({lease("a", 2), lease("b", 1), lease("new", 1), older}, "", kBegin + 10s);
  EXPECT_EQ(watch.unheard(), 1);
  watch.drop("b");
  EXPECT_EQ(watch.unheard(), 0);
  EXPECT_TRUE(watch.begin(kBegin + 1min));
  watch.look({lease("a", 2)}, "", kBegin + 1min);
  EXPECT_EQ(watch.unheard(), 1);
}

TEST(SilenceWatchTest, NobodyWatchesItself) {
  SilenceWatch watch(100s, 1h);
  watch.look({watched_lease(1)}, "a", kBegin);
  EXPECT_TRUE(watch.look({watched_lease(1)}, "a", kBegin + 1h).empty());
}

// A lost reply is asked for again soon; a store that needs its time gets it, but not beyond the
// end.
TEST(StoreContactTest, TheWholeTimeoutIsForStoresThatSeemToNeedIt) {
  StoreContact contact(5s, 1min);
  EXPECT_EQ(contact.answer_by(kBegin), kBegin + 1s);
  contact.failed(Errc::timed_out);
  EXPECT_EQ(contact.answer_by(kBegin), kBegin + 5s);
  contact.end_by(kBegin + 2s);
  EXPECT_EQ(contact.answer_by(kBegin), kBegin + 2s);
  EXPECT_EQ(StoreContact(200ms).answer_by(kBegin), kBegin + 200ms);
}

TEST(StoreContactTest, ItBeginsAnewAfterMoreThanThreeEighthsOfATtl) {
  StoreContact contact = StoreContact::for_leases(5s, 80s);
  EXPECT_EQ(contact.since(), kNever);
  contact.answered(kBegin);
  contact.answered(kBegin + 30s);
  EXPECT_EQ(contact.since(), kBegin);
  contact.answered(kBegin + 61s);
  EXPECT_EQ(contact.since(), kBegin + 61s);
}

TEST(StoreContactTest, AStoreThatIsTooBusyIsNotAway) {
  StoreContact contact(5s, 1min);
  for (int i = 0; i < 10; ++i) contact.failed(Errc::limit_reached);
  EXPECT_FALSE(contact.is_away());
  EXPECT_EQ(contact.failures(), 10);
  for (int i = 0; i < 3; ++i) contact.failed(Errc::timed_out);
  EXPECT_TRUE(contact.is_away());
  contact.answered(kBegin);
  EXPECT_FALSE(contact.is_away());
}

}  // namespace
}  // namespace forebay
