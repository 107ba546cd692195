// Each symptom of the troubleshooting chapter that a running process shows in its metrics: given
// the numbers, the finding.
#include "forebay/doctor/instance_check.hpp"

#include "doctor/findings.hpp"
#include "doctor/instance_pages_fixture.hpp"
#include "forebay/core/discard_reason.hpp"
#include "forebay/core/open_failure.hpp"
#include "forebay/doctor/reason_advice.hpp"

namespace forebay::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

const std::string kFailures = "dsql_reservoir_refill_failures_total";
const std::string kDiscards = "dsql_reservoir_discards_total";

TEST(InstanceCheckTest, AFullReservoirIsOneLine) {
  EXPECT_THAT(told({}), ElementsAre(tells(Severity::ok, "orders/main has 50 of 50")));
}

TEST(InstanceCheckTest, APageOfAnotherProgramIsAnError) {
  const doctor::InstancePages other(MetricPage::read("up 1\n").value(),
                                    MetricPage::read("up 1\n").value(), std::chrono::seconds(1));
  EXPECT_THAT(doctor::check_instance(other),
              ElementsAre(tells(Severity::error, "no metrics of a pool")));
}

TEST(InstanceCheckTest, NotFillingAtTheStart) {
  const std::vector<MetricLine> unfilled{{of_pool("forebay_pool_filled"), 0},
                                         {of_pool("dsql_reservoir_size"), 0}};
  EXPECT_THAT(told(unfilled),
              Contains(tells(Severity::error, "initial fill is not done", "refill failures")));
  std::vector<MetricLine> moving = unfilled;
  moving.emplace_back(of_pool("dsql_pool_keeper_opening"), 10);
  EXPECT_THAT(told(moving),
              Contains(tells(Severity::warning, "initial fill is not done", "still being filled")));
}

TEST(InstanceCheckTest, RefillFailuresAreToldByReasonWithItsAdvice) {
  const std::vector<std::pair<std::string, std::string>> reasons{
      {"rate_limit", "DSQL_CONNECTION_RATE_LIMIT"},
      {"token_provider", "dsql:DbConnectAdmin"},
      {"lease_acquire", "forebay leases show"},
      {"connection_open", "security groups"}};
  for (const auto& [reason, advice] : reasons) {
    EXPECT_THAT(
        told({{of_pool(kFailures, reason), 3}}, {{of_pool(kFailures, reason), 7}}),
        Contains(tells(Severity::warning, "4 refills failed within 2s: " + reason, advice)));
    EXPECT_THAT(told({{of_pool(kFailures, reason), 3}}),
                Contains(tells(Severity::note, "since the start, none now: " + reason)));
  }
}

TEST(InstanceCheckTest, FailuresOfAnEmptyReservoirAreErrors) {
  EXPECT_THAT(
      told({{of_pool("dsql_reservoir_size"), 0}},
           {{of_pool("dsql_reservoir_size"), 0}, {of_pool(kFailures, "connection_open"), 1}}),
      Contains(tells(Severity::error, "refills failed")));
}

TEST(InstanceCheckTest, DrainingUnderLoad) {
  EXPECT_THAT(told({{of_pool("dsql_reservoir_size"), 20}}),
              Contains(tells(Severity::warning, "has 20 of 50", "DSQL_RESERVOIR_TARGET_READY")));
  EXPECT_THAT(told({{of_pool("dsql_reservoir_size"), 40}}),
              Contains(tells(Severity::note, "has 40 of 50")));
}

TEST(InstanceCheckTest, CallersHoldWhatIsNotReady) {
  std::vector<MetricLine> lent{{of_pool("dsql_reservoir_size"), 10},
                               {of_pool("forebay_pool_wanted_ready"), 10},
                               {of_pool("dsql_pool_in_use"), 50}};
  EXPECT_THAT(told(lent),
              ElementsAre(tells(Severity::warning, "has 10 of 50 connections ready, and 50 of 60",
                                "FOREBAY_POOL_MAX")));
  // Half of the target, and all that there is room for: busy, and well.
  lent[0].second = lent[1].second = 30;
  EXPECT_THAT(told(lent), ElementsAre(tells(Severity::ok, "has 30 of 50")));
  // What there is room for is not there.
  lent[1].second = 35;
  EXPECT_THAT(told(lent), ElementsAre(tells(Severity::note, "has 30 of 50")));
}

TEST(InstanceCheckTest, EmptyEventsByScenario) {
  const MetricLine before{of_pool("dsql_reservoir_empty_total"), 10};
  const MetricLine after{of_pool("dsql_reservoir_empty_total"), 15};
  EXPECT_THAT(told({before}, {before}),
              Contains(tells(Severity::note, "10 callers found no connection", "normal")));
  EXPECT_THAT(told({before}, {after}),
              Contains(tells(Severity::warning, "5 callers found no connection ready within 2s",
                             "reduce the guard window")));
  EXPECT_THAT(told({before}, {after, {of_pool(kFailures, "rate_limit"), 2}}),
              Contains(tells(Severity::warning, "5 callers found", "see the refill failures")));
}

TEST(InstanceCheckTest, DiscardsOfEachReasonWithTheirAdvice) {
  const std::vector<std::pair<std::string, std::string>> reasons{
      {"insufficient_remaining_lifetime", "reduce the guard window"},
      {"expired_on_checkout", "reduce the target"},
      {"expired_on_return", "increase the lifetime"},
      {"reservoir_full", "reduce the target"}};
  for (const auto& [reason, advice] : reasons) {
    EXPECT_THAT(told({{of_pool(kDiscards, reason), 0}}, {{of_pool(kDiscards, reason), 12}}),
                Contains(tells(Severity::warning,
                               "6.0 connections a second are discarded: " + reason, advice)));
    EXPECT_THAT(told({{of_pool(kDiscards, reason), 0}}, {{of_pool(kDiscards, reason), 4}}),
                Contains(tells(Severity::note, "2.0 connections a second", advice)));
    EXPECT_THAT(told({{of_pool(kDiscards, reason), 80}}),
                Contains(tells(Severity::note, "80 of 100 connections opened", advice)));
    EXPECT_THAT(told({{of_pool(kDiscards, reason), 2}}), ElementsAre(tells(Severity::ok, "50")));
  }
}

TEST(InstanceCheckTest, PlannedReplacementIsNoDiscardToTell) {
  EXPECT_THAT(told({}, {{of_pool(kDiscards, "replaced"), 100}}),
              ElementsAre(tells(Severity::ok, "50 of 50")));
}

TEST(InstanceCheckTest, EveryReasonHasItsAdvice) {
  for (std::size_t i = 0; i < kDiscardReasons; ++i) {
    const std::string_view reason = name(static_cast<DiscardReason>(i));
    EXPECT_NE(doctor::is_planned_discard(reason), doctor::discard_advice(reason).reason == reason)
        << reason;
  }
  for (std::size_t i = 0; i < kOpenFailures; ++i) {
    const std::string_view reason = name(static_cast<OpenFailure>(i));
    EXPECT_EQ(doctor::refill_failure_advice(reason).reason, reason);
  }
  EXPECT_EQ(doctor::discard_advice("new").advice, "see the service's log");
}

TEST(InstanceCheckTest, TimeoutsWaitersAndLeaks) {
  EXPECT_THAT(told({}, {{of_pool("forebay_pool_timeouts_total"), 3}}),
              Contains(tells(Severity::error, "3 callers gave up waiting within 2s")));
  EXPECT_THAT(
      told({}, {{of_pool("forebay_pool_timeouts_total"), 3}, {of_pool("dsql_pool_in_use"), 60}}),
      Contains(tells(Severity::error, "gave up", "FOREBAY_POOL_MAX")));
  EXPECT_THAT(told({{of_pool("forebay_pool_waiters"), 2}}),
              Contains(tells(Severity::warning, "2 callers wait")));
  EXPECT_THAT(told({{of_pool("forebay_pool_leaks_total"), 1}}),
              Contains(tells(Severity::warning, "lent for longer", "line of code")));
}

TEST(InstanceCheckTest, TheClustersLimit) {
  const auto leased = [](double active) {
    return told({{of_cluster("dsql_distributed_conn_lease_active"), active},
                 {of_cluster("dsql_distributed_conn_lease_limit"), 1000}});
  };
  EXPECT_THAT(leased(900), all_well());
  EXPECT_THAT(leased(901), Contains(tells(Severity::warning, "901 of 1000", "scale down")));
  EXPECT_THAT(leased(1000), Contains(tells(Severity::error, "1000 of 1000", "lease_acquire")));
}

TEST(InstanceCheckTest, LeasesLostAndConnectionsWithoutOne) {
  const MetricLine limit{of_cluster("dsql_distributed_conn_lease_limit"), 1000};
  EXPECT_THAT(told({limit, {of_cluster("forebay_lease_lost"), 1}}),
              Contains(tells(Severity::error, "the lease has ended")));
  EXPECT_THAT(told({limit, {of_cluster("forebay_lease_losses_total"), 2}}),
              Contains(tells(Severity::note, "lost 2 times")));
  EXPECT_THAT(told({limit, {of_cluster("forebay_lease_overhang"), 4}}),
              Contains(tells(Severity::warning, "4 connections have no lease")));
}

TEST(InstanceCheckTest, DynamoDbAwayOrThrottled) {
  EXPECT_THAT(told({{of_cluster("forebay_store_failures", "lease"), 3}}),
              Contains(tells(Severity::error, "3 requests to DynamoDB in a row have failed (lease)",
                             "IAM policy")));
  EXPECT_THAT(told({{of_cluster("forebay_store_failures", "rate"), 1}}),
              Contains(tells(Severity::warning, "1 requests")));
  EXPECT_THAT(told({}, {{of_cluster("forebay_store_throttles_total"), 5}}),
              Contains(tells(Severity::warning, "too many requests", "on-demand billing")));
}

TEST(InstanceCheckTest, TokensThatCannotBeMade) {
  EXPECT_THAT(told({}, {{of_cluster("forebay_token_failures_total"), 2}}),
              Contains(tells(Severity::error, "tokens could not be made", "AWS_REGION")));
  EXPECT_THAT(told({{of_cluster("forebay_token_failures_total"), 2}}),
              Contains(tells(Severity::note, "2 times since the start, none now")));
}

TEST(InstanceCheckTest, PermitsThatComeTooLate) {
  EXPECT_THAT(told({{of_cluster("forebay_permits_lost_total"), 30}}),
              Contains(tells(Severity::warning, "30 permits came too late", "clock")));
  EXPECT_THAT(told({{of_cluster("forebay_permits_lost_total"), 3}}), all_well());
}

TEST(InstanceCheckTest, ConflictsAndTenants) {
  const std::string operation = R"({service="orders",operation="move"})";
  EXPECT_THAT(told({}, {{"dsql_tx_attempts_total" + operation, 100},
                        {"dsql_tx_conflict_total" + operation, 30}}),
              Contains(tells(Severity::warning, "move: 30 of 100 attempts met a conflict")));
  EXPECT_THAT(told({}, {{"dsql_tx_exhausted_total" + operation, 1}}),
              Contains(tells(Severity::warning, "transactions failed after all retries")));
  EXPECT_THAT(told({{R"(forebay_tenants_in_line{service="orders"})", 3}}),
              Contains(tells(Severity::warning, "3 tenants wait for room", "DB_MAX_CONNECTIONS")));
}

TEST(InstanceCheckTest, ARestartIsToldAndCountsFromZero) {
  const Findings findings = told({{of_pool("forebay_pool_timeouts_total"), 30}},
                                 {{of_pool("forebay_pool_timeouts_total"), 2}});
  EXPECT_THAT(findings, Contains(tells(Severity::note, "started again")));
  EXPECT_THAT(findings, Contains(tells(Severity::error, "2 callers gave up")));
}

}  // namespace
}  // namespace forebay::test
