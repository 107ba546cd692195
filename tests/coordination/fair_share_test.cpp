#include "forebay/coordination/leases/fair_share.hpp"

#include <numeric>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "forebay/env/random.hpp"

namespace forebay::test {
namespace {

LeaseListing fleet(const std::vector<std::pair<int, int>>& held_and_wanted) {
  LeaseListing listing(0, "");
  for (const auto& [held, wanted] : held_and_wanted) {
    LeaseRecord& lease =
        listing.leases.emplace_back(fmt::format("p{:02}", listing.leases.size()), "service");
    lease.held = held;
    lease.claim.wanted = wanted;
    listing.active += held;
  }
  return listing;
}

FairShare share_of(const LeaseListing& listing, std::size_t process, int limit) {
  const LeaseRecord& lease = listing.leases[process];
  return fair_share(limit, listing, lease.id, lease.claim);
}

TEST(FairShareTest, NobodyIsCappedWhileAllHaveWhatTheyWant) {
  const LeaseListing listing = fleet({{10, 10}, {10, 10}, {10, 0}});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(share_of(listing, i, 40).cap, kNoLimit);
}

TEST(FairShareTest, WhoHasMoreThanItsShareGivesUpWhatIsMissing) {
  const LeaseListing listing = fleet({{10, 10}, {10, 10}, {10, 10}, {10, 10}, {0, 10}});
  int given = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const FairShare fair = share_of(listing, i, 40);
    EXPECT_EQ(fair.share, 8);
    EXPECT_EQ(fair.cap, 8);
    given += 10 - fair.cap;
  }
  EXPECT_EQ(given, 8);
  EXPECT_EQ(share_of(listing, 4, 40).cap, 8);
}

TEST(FairShareTest, NotMoreIsGivenUpThanIsMissingAndThoseWithMostBegin) {
  const LeaseListing listing = fleet({{9, 9}, {6, 6}, {4, 4}, {1, 2}});
  EXPECT_EQ(share_of(listing, 0, 20).cap, 8);
  EXPECT_EQ(share_of(listing, 1, 20).cap, 6);
  EXPECT_EQ(share_of(listing, 2, 20).cap, 4);
}

TEST(FairShareTest, WhoHasItsShareIsNotHungryWhateverItWants) {
  const LeaseListing listing = fleet({{5, 10}, {5, 10}, {5, 10}, {5, 10}});
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(share_of(listing, i, 20).cap, kNoLimit);
}

TEST(FairShareTest, AMinimumIsLeftToItsHolder) {
  LeaseListing listing = fleet({{10, 10}, {10, 10}, {0, 10}, {0, 10}});
  listing.leases[0].claim.min_share = 9;
  EXPECT_EQ(share_of(listing, 0, 20).cap, 10);  // the other has more above its share
  EXPECT_EQ(share_of(listing, 1, 20).cap, 4);
  EXPECT_EQ(share_of(listing, 2, 20).share, 3);
}

TEST(FairShareTest, MinimaThatAreMoreThanThereIsArePromisedToNobody) {
  LeaseListing listing = fleet({{10, 10}, {10, 10}, {0, 10}, {0, 10}});
  for (LeaseRecord& lease : listing.leases) lease.claim.min_share = 9;
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(share_of(listing, i, 20).share, 5);
}

TEST(FairShareTest, WhatOlderClientsHoldIsNotThereToBeShared) {
  LeaseListing listing = fleet({{10, 10}, {0, 10}});
  LeaseRecord& older = listing.leases.emplace_back("q", "older");
  older.is_renewed = false;
  older.held = 4;
  EXPECT_EQ(share_of(listing, 0, 14).cap, 5);
  EXPECT_EQ(share_of(listing, 1, 14).share, 5);
}

// Any fleet, each process acting on what it saw a while ago: two rounds later everybody has its
// share or what it wants, and from then on nothing moves.
TEST(FairShareProperty, EverybodyHasItsShareSoonAndThenNothingMoves) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededRandom random(seed);
    const int limit = 1 + static_cast<int>(random.below(200));
    LeaseListing listing(0, "");
    int room = limit;
    const std::uint64_t processes = 1 + random.below(20);
    for (std::uint64_t i = 0; i < processes; ++i) {
      LeaseRecord& lease = listing.leases.emplace_back(fmt::format("p{:02}", i), "service");
      lease.held = static_cast<int>(random.below(static_cast<std::uint64_t>(room) + 1));
      lease.claim.wanted = lease.held + static_cast<int>(random.below(30));
      lease.claim.min_share = random.below(4) == 0 ? static_cast<int>(random.below(20)) : 0;
      room -= lease.held;
    }
    const auto round = [&] {
      const LeaseListing seen = listing;
      int moved = 0;
      std::vector<FairShare> shares;
      for (std::size_t i = 0; i < seen.leases.size(); ++i)
        shares.push_back(share_of(seen, i, limit));
      for (std::size_t i = 0; i < shares.size(); ++i) {
        LeaseRecord& lease = listing.leases[i];
        const int kept = std::min(lease.held, shares[i].cap);
        moved += lease.held - kept;
        room += lease.held - kept;
        lease.held = kept;
      }
      for (std::size_t i = 0; i < shares.size(); ++i) {
        LeaseRecord& lease = listing.leases[i];
        const int most = std::min(lease.claim.wanted, shares[i].cap);
        const int taken = std::clamp(most - lease.held, 0, room);
        moved += taken;
        room -= taken;
        lease.held += taken;
      }
      return moved;
    };
    round();
    round();
    ASSERT_GE(room, 0);
    for (std::size_t i = 0; i < listing.leases.size(); ++i) {
      const FairShare fair = share_of(listing, i, limit);
      EXPECT_GE(listing.leases[i].held, std::min(listing.leases[i].claim.wanted, fair.share));
      EXPECT_EQ(fair.cap, kNoLimit);
    }
    EXPECT_EQ(round(), 0);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace forebay::test
