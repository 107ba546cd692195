// Which tenants have metrics of their own: the busiest, few, and not every minute others.
#include "forebay/metrics/busiest_tenants.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace forebay::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Instant kStart{};

// Tenants with counters that only grow, as real ones have.
class Crowd {
 public:
  void call(const std::string& tenant, std::uint64_t served, std::uint64_t timeouts = 0) {
    auto found = std::ranges::find(all_, tenant, &TenantStatistics::tenant);
    if (found == all_.end()) {
      found = all_.insert(all_.end(), TenantStatistics());
      found->tenant = tenant;
    }
    found->served += served;
    found->timeouts += timeouts;
  }
  void forget(const std::string& tenant) {
    std::erase_if(all_, [&](const TenantStatistics& each) { return each.tenant == tenant; });
  }
  std::vector<std::string> told(BusiestTenants& busiest, Instant now) const {
    std::vector<std::string> ids;
    for (const TenantStatistics* each : busiest.choose(all_, now)) ids.push_back(each->tenant);
    return ids;
  }

 private:
  std::vector<TenantStatistics> all_;
};

TEST(BusiestTenantsTest, ThoseWithMostCallersAreTold) {
  Crowd crowd;
  crowd.call("a", 10);
  crowd.call("b", 30);
  crowd.call("c", 1, 20);
  crowd.call("d", 5);
  BusiestTenants busiest(2);

  EXPECT_THAT(crowd.told(busiest, kStart), ElementsAre("b", "c"));
}

TEST(BusiestTenantsTest, WhoWasBusyOnceMakesPlaceWithinAMinute) {
  Crowd crowd;
  crowd.call("old", 1000);
  crowd.call("a", 1);
  BusiestTenants busiest(1);
  ASSERT_THAT(crowd.told(busiest, kStart), ElementsAre("old"));
  crowd.call("a", 50);
  crowd.call("b", 40);

  EXPECT_THAT(crowd.told(busiest, kStart + 59s), ElementsAre("old"));
  EXPECT_THAT(crowd.told(busiest, kStart + 60s), ElementsAre("a"));
}

TEST(BusiestTenantsTest, NeighboursInRankDoNotTakeTurns) {
  Crowd crowd;
  crowd.call("a", 11);
  crowd.call("b", 10);
  BusiestTenants busiest(1);
  ASSERT_THAT(crowd.told(busiest, kStart), ElementsAre("a"));

  for (int minute = 1; minute <= 10; ++minute) {
    crowd.call("a", 10);
    crowd.call("b", 11);
    EXPECT_THAT(crowd.told(busiest, kStart + minute * 60s), ElementsAre("a"));
  }
}

TEST(BusiestTenantsTest, WhoIsGoneIsNotTold) {
  Crowd crowd;
  crowd.call("a", 10);
  crowd.call("b", 5);
  BusiestTenants busiest(1);
  ASSERT_THAT(crowd.told(busiest, kStart), ElementsAre("a"));
  crowd.forget("a");

  EXPECT_THAT(crowd.told(busiest, kStart + 1s), IsEmpty());
  EXPECT_THAT(crowd.told(busiest, kStart + 60s), ElementsAre("b"));
}

TEST(BusiestTenantsTest, WithoutPlacesNobodyIsTold) {
  Crowd crowd;
  crowd.call("a", 10);
  BusiestTenants busiest(0);
  EXPECT_THAT(crowd.told(busiest, kStart), IsEmpty());
}

// What is stored at most: the places, and in a minute as many again.
TEST(BusiestTenantsProperty, LabelsAreBounded) {
  EXPECT_TRUE(rc::check([] {
    const int places = *rc::gen::inRange(0, 5);
    const auto steps = *rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(0, 20), rc::gen::inRange(0, 1000)));
    BusiestTenants busiest(places);
    Crowd crowd;
    std::set<std::string> ever;
    Instant now = kStart;
    for (const auto& [tenant, callers] : steps) {
      crowd.call("t" + std::to_string(tenant), static_cast<std::uint64_t>(callers));
      const std::vector<std::string> told = crowd.told(busiest, now);
      RC_ASSERT(static_cast<int>(told.size()) <= places);
      ever.insert(told.begin(), told.end());
      const auto minutes = std::chrono::floor<std::chrono::minutes>(now - kStart).count();
      RC_ASSERT(static_cast<long>(ever.size()) <= places * (minutes + 1));
      now += 20s;
    }
  }));
}

}  // namespace
}  // namespace forebay::test
