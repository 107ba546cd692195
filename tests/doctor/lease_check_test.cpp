#include "forebay/doctor/lease_check.hpp"

#include "doctor/findings.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;
using doctor::check_leases;
using testing::Contains;
using testing::Not;

constexpr WallTime kLooked{1'700'000'000s};

LeaseListing listing_of(int counter, std::vector<int> held, Duration silent = 10s) {
  LeaseListing listing(counter, "mark");
  for (const int connections : held) {
    LeaseRecord lease("id" + std::to_string(listing.leases.size()), "history");
    lease.held = connections;
    lease.renewed_at = kLooked - silent;
    listing.leases.push_back(lease);
  }
  return listing;
}

Findings leases_checked(const LeaseListing& listing) {
  return check_leases(listing, 100, 3min, kLooked);
}

TEST(LeaseCheckTest, ACounterThatAddsUp) {
  EXPECT_THAT(leases_checked(listing_of(42, {40, 2})), all_well());
  EXPECT_EQ(doctor::processes_of("history", listing_of(42, {40, 2})), 2);
  EXPECT_EQ(doctor::held_by_others("history", listing_of(42, {40, 2})), 0);
  EXPECT_EQ(doctor::processes_of("matching", listing_of(42, {40, 2})), 0);
  EXPECT_EQ(doctor::held_by_others("matching", listing_of(42, {40, 2})), 42);
}

TEST(LeaseCheckTest, ACounterThatDriftedIsAWarningEitherWay) {
  EXPECT_THAT(leases_checked(listing_of(49, {40, 2})),
              Contains(tells(Severity::warning, "7 too many", "forebay leases reap --recount")));
  EXPECT_THAT(leases_checked(listing_of(40, {40, 2})),
              Contains(tells(Severity::warning, "2 too few", "reset the counter")));
}

TEST(LeaseCheckTest, ACounterThatMovesIsNoDrift) {
  LeaseListing moving = listing_of(49, {40, 2});
  moving.is_still = false;
  EXPECT_THAT(leases_checked(moving), all_well());
}

TEST(LeaseCheckTest, NearTheLimitIsAWarningAndAtItAnError) {
  EXPECT_THAT(leases_checked(listing_of(90, {90})),
              Contains(tells(Severity::warning, "90 of 100", "scale down services")));
  EXPECT_THAT(leases_checked(listing_of(100, {100})),
              Contains(tells(Severity::error, "100 of 100", "lease_acquire")));
  EXPECT_THAT(leases_checked(listing_of(89, {89})), all_well());
}

TEST(LeaseCheckTest, ASilentLeaseIsAWarning) {
  EXPECT_THAT(leases_checked(listing_of(5, {5}, 10min)),
              Contains(tells(Severity::warning, "1 lease has been silent", "forebay leases reap")));
  LeaseListing patient = listing_of(5, {5}, 10min);
  patient.leases[0].reap_after = 10min;
  EXPECT_THAT(leases_checked(patient), all_well());
  LeaseListing older = listing_of(5, {5}, 10min);
  older.leases[0].is_renewed = false;
  EXPECT_THAT(leases_checked(older), all_well());
}

}  // namespace
}  // namespace forebay::test
