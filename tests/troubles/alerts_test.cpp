// Each alert fires in a real Prometheus when a real pool is in its trouble, and about that pool;
// and about one that is well nothing fires.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "troubles/troubled_process.hpp"

namespace forebay::test {
namespace {

struct Alarm {
  std::string alert;
  std::string labels;  // whom it is about
};

void PrintTo(const Alarm& alarm, std::ostream* out) { *out << alarm.alert; }

const std::vector<Alarm>& alarms() {
  static const std::vector<Alarm> all{
      {"DSQLReservoirLow", R"(pool="busy")"},
      {"DSQLReservoirEmpty", R"(pool="busy")"},
      {"DSQLReservoirRefillFailures", R"(pool="away",reason="connection_open")"},
      {"DSQLReservoirDiscards", R"(pool="short-lived")"},
      {"DSQLGlobalLimitNearCapacity", R"(endpoint="full")"},
      {"ForebayDown", R"(job="forebay")"},
      {"ForebayNotFilled", R"(pool="away")"},
      {"ForebayAcquireTimeouts", R"(pool="busy")"},
      {"ForebayCheckoutSlow", R"(pool="busy")"},
      {"ForebayConnectionLeak", R"(pool="leaky")"},
      {"ForebayTransactionConflicts", R"(operation="hot_row")"},
      {"ForebayTransactionsExhausted", R"(operation="hot_row")"},
      {"ForebayLeaseOverhang", R"(endpoint="lost")"},
      {"ForebayStoreAway", R"(endpoint="lost",kind="leases")"},
      {"ForebayStoreThrottled", R"(endpoint="slowed")"},
      {"ForebayTokenFailures", R"(endpoint="unknown")"},
      {"ForebayTenantsInLine", R"(service="orders")"},
      {"ForebayProxyClientsWait", R"(route="narrow")"},
  };
  return all;
}

class AlertsTest : public testing::TestWithParam<Alarm> {
 protected:
  static void SetUpTestSuite() { process_ = std::make_unique<TroubledProcess>(); }
  static void TearDownTestSuite() { process_.reset(); }

  static bool fires_in_time(const Alarm& alarm) {
    const Instant end = process_->runtime().scheduler().now() + 60s;
    while (process_->runtime().scheduler().now() < end) {
      if (process_->prometheus().is_firing(alarm.alert, alarm.labels)) return true;
      embedded::pause(100ms);
    }
    return false;
  }

  static inline std::unique_ptr<TroubledProcess> process_;
};

TEST_P(AlertsTest, FiresForTheOneInThatTrouble) {
  EXPECT_TRUE(fires_in_time(GetParam())) << process_->prometheus().alerts() << "\n"
                                         << process_->prometheus().targets();
  EXPECT_FALSE(process_->prometheus().is_troubled(R"(pool="calm")"))
      << process_->prometheus().alerts();
}

INSTANTIATE_TEST_SUITE_P(All, AlertsTest, testing::ValuesIn(alarms()),
                         [](const auto& each) { return each.param.alert; });

TEST(AlarmTableTest, NamesEveryAlert) {
  std::set<std::string> named;
  for (const Alarm& each : alarms()) named.insert(each.alert);
  EXPECT_EQ(named, alerts_in(shipped_alerts()));
}

}  // namespace
}  // namespace forebay::test
