// Who has been silent for too long.
#include "forebay/coordination/silence_watch.hpp"

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

// Whoever looks may have been told another ttl than the holder: a person at a command line, say.
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

TEST(SilenceWatchTest, WhatIsForgottenIsWatchedFromTheBeginning) {
  SilenceWatch watch(100s, 1h);
  watch.look({watched_lease(1)}, "", kBegin);
  watch.forget();
  EXPECT_TRUE(watch.look({watched_lease(1)}, "", kBegin + 200s).empty());
}

TEST(SilenceWatchTest, NobodyWatchesItself) {
  SilenceWatch watch(100s, 1h);
  watch.look({watched_lease(1)}, "a", kBegin);
  EXPECT_TRUE(watch.look({watched_lease(1)}, "a", kBegin + 1h).empty());
}

TEST(StoreContactTest, AStoreThatIsTooBusyIsNotAway) {
  StoreContact contact(1min);
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
