// What is shown of leases, without a store.
#include "forebay/cli/leases/leases_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace forebay::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

constexpr WallTime kLeasesNow{std::chrono::hours(24 * 365 * 50)};

LeaseRecord lease(const std::string& id, const std::string& service, int held) {
  LeaseRecord record(id, service);
  record.held = held;
  record.version = 3;
  record.created_at = kLeasesNow - 3h;
  record.renewed_at = kLeasesNow - 12s;
  return record;
}

LeaseRecord old_lease(const std::string& id, const std::string& service) {
  LeaseRecord record = lease(id, service, 1);
  record.is_renewed = false;
  record.created_at = kLeasesNow - 5min;
  return record;
}

LeasesReport leases_report(int counter) {
  LeasesReport report(LeaseListing(counter, "mark"));
  report.listing.leases = {lease("history-1", "history", 40), lease("matching-1", "matching", 100),
                           old_lease("a1", "frontend"), old_lease("a2", "frontend")};
  report.table = "forebay";
  report.endpoint = "abc.dsql.us-east-1.on.aws";
  report.region = "us-east-1";
  report.ttl.is_enabled = true;
  report.ttl.attribute = "ttl_epoch";
  report.now = kLeasesNow;
  return report;
}

std::string leases_page(const LeasesReport& report) {
  return leases_text(report, TextStyle{100, false, false});
}

TEST(LeasesViewTest, TheCounterAndItsHoldersAddUp) {
  const std::string text = leases_page(leases_report(142));

  EXPECT_THAT(text, HasSubstr("142 connections"));
  EXPECT_THAT(text, HasSubstr("4 leases for 142 connections: they add up"));
  EXPECT_THAT(text, Not(HasSubstr("warning")));
  EXPECT_LT(text.find("matching"), text.find("history")) << "who holds most comes first";
  EXPECT_THAT(text, HasSubstr("12s ago"));
  EXPECT_THAT(text, HasSubstr("3h0m0s"));
}

TEST(LeasesViewTest, ClientsOfTheOlderKindAreOneLineEach) {
  const std::string text = leases_page(leases_report(142));

  EXPECT_EQ(text.find("frontend"), text.rfind("frontend"));
  EXPECT_THAT(text, HasSubstr("of the older kind"));
}

TEST(LeasesViewTest, ACounterThatIsTooHighIsExplained) {
  const std::string text = leases_page(leases_report(150));

  EXPECT_THAT(text, HasSubstr("the counter has 8 more"));
  EXPECT_THAT(text, HasSubstr("--recount"));
}

TEST(LeasesViewTest, ACounterThatIsTooLowIsExplained) {
  EXPECT_THAT(leases_page(leases_report(140)), HasSubstr("the counter has 2 too few"));
}

TEST(LeasesViewTest, TtlThatIsOffIsTold) {
  LeasesReport report = leases_report(142);
  report.ttl.is_enabled = false;

  EXPECT_THAT(leases_page(report), HasSubstr("forebay leases setup"));
  EXPECT_THAT(leases_json(report), HasSubstr(R"("ttl":false)"));
}

TEST(LeasesViewTest, AnEmptyTableIsNoTrouble) {
  LeasesReport report(LeaseListing(0, ""));
  report.limit = 10'000;

  const std::string text = leases_page(report);

  EXPECT_THAT(text, HasSubstr("0 connections of 10,000"));
  EXPECT_THAT(text, HasSubstr("0 leases for 0 connections: they add up"));
  EXPECT_THAT(text, Not(HasSubstr("service")));
}

TEST(LeasesViewTest, JsonIsOneLineWithEveryLease) {
  const std::string text = leases_json(leases_report(142));

  EXPECT_EQ(text.find('\n'), text.size() - 1);
  EXPECT_THAT(text, HasSubstr(R"("counter":142,"held":142,"limit":null,"adds_up":true)"));
  EXPECT_THAT(text, HasSubstr(R"({"service":"matching","lease":"matching-1","connections":100,)"
                              R"("age_seconds":10800,"renewed":true,"silent_seconds":12})"));
}

TEST(LeasesViewTest, AHostileServiceNameCannotSteerTheTerminal) {
  LeasesReport report = leases_report(142);
  report.listing.leases[0].service = "a\x1b[2J";

  EXPECT_THAT(leases_page(report), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace forebay::cli
