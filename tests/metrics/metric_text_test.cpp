#include "forebay/metrics/metric_text.hpp"

#include <array>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace forebay::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr std::array<MetricLabel, 2> kLabels = {{{"service", "orders"}, {"pool", "main"}}};

TEST(MetricTextTest, AFamilyIsOneStretchWhateverItsSources) {
  MetricText text;
  text.number(Metric::pool_open, kLabels, 3);
  text.number(Metric::pool_in_use, kLabels, 1);
  const std::array<MetricLabel, 2> other = {{{"service", "orders"}, {"pool", "reports"}}};
  text.number(Metric::pool_open, other, 0.25);

  EXPECT_EQ(text.text(),
            "# HELP dsql_pool_open Connections that are open: ready, lent or being cleaned.\n"
            "# TYPE dsql_pool_open gauge\n"
            "dsql_pool_open{service=\"orders\",pool=\"main\"} 3\n"
            "dsql_pool_open{service=\"orders\",pool=\"reports\"} 0.25\n"
            "# HELP dsql_pool_in_use Connections that are lent.\n"
            "# TYPE dsql_pool_in_use gauge\n"
            "dsql_pool_in_use{service=\"orders\",pool=\"main\"} 1\n");
}

TEST(MetricTextTest, LabelsMayHoldAnything) {
  MetricText text;
  const std::array<MetricLabel, 1> labels = {{{"operation", "a\"b\\c\nd{}, \xc3\xbc"}}};
  text.number(Metric::transaction_retries, labels, 7);

  EXPECT_THAT(text.text(),
              HasSubstr("\ndsql_tx_retry_total{operation=\"a\\\"b\\\\c\\nd{}, \xc3\xbc\"} 7\n"));
}

TEST(MetricTextTest, NumbersAreExactOrNamed) {
  MetricText text;
  for (const double value :
       {9007199254740991.0, 1e-9, -2.0, std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    text.number(Metric::tenants_known, {}, value);

  EXPECT_THAT(text.text(), HasSubstr("forebay_tenants_known 9007199254740991\n"
                                     "forebay_tenants_known 1e-09\n"
                                     "forebay_tenants_known -2\n"
                                     "forebay_tenants_known +Inf\n"
                                     "forebay_tenants_known -Inf\n"
                                     "forebay_tenants_known NaN\n"));
}

TEST(MetricTextTest, AHistogramIsCumulativeInTheUnitOfItsName) {
  TimeHistogram times;
  times.record(100ns);
  times.record(101ns, 2);
  times.record(1ms);
  times.record(11s);
  MetricText text;
  text.times(Metric::reservoir_checkout_latency, kLabels, times);
  text.times(Metric::pool_wait_duration, kLabels, times);

  const std::string page = text.text();
  const std::string labels = "service=\"orders\",pool=\"main\"";
  const std::string latency = "dsql_reservoir_checkout_latency_milliseconds";
  for (const std::string& line :
       {"_bucket{" + labels + ",le=\"0.0001\"} 1\n", "_bucket{" + labels + ",le=\"0.0002\"} 3\n",
        "_bucket{" + labels + ",le=\"0.5\"} 3\n", "_bucket{" + labels + ",le=\"1\"} 4\n",
        "_bucket{" + labels + ",le=\"10000\"} 4\n", "_bucket{" + labels + ",le=\"+Inf\"} 5\n",
        "_sum{" + labels + "} 11001.000302\n", "_count{" + labels + "} 5\n"})
    EXPECT_THAT(page, HasSubstr("\n" + latency + line));
  EXPECT_THAT(page, HasSubstr("\ndsql_pool_wait_duration_bucket{" + labels + ",le=\"1e-07\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("\ndsql_pool_wait_duration_bucket{" + labels + ",le=\"10\"} 4\n"));
  EXPECT_THAT(page, HasSubstr("\ndsql_pool_wait_duration_sum{" + labels + "} 11.001000302\n"));
}

TEST(MetricTextTest, OpenMetricsNamesCountersWithoutTheirEnd) {
  MetricText text(MetricFormat::openmetrics);
  text.number(Metric::reservoir_refills, kLabels, 7);
  TimeHistogram times;
  times.record(1ms);
  text.times(Metric::reservoir_checkout_latency, kLabels, times);

  const std::string page = text.text();
  EXPECT_THAT(page, testing::StartsWith(
                        "# HELP dsql_reservoir_refills Connections opened.\n"
                        "# TYPE dsql_reservoir_refills counter\n"
                        "dsql_reservoir_refills_total{service=\"orders\",pool=\"main\"} 7\n"));
  EXPECT_THAT(page, HasSubstr("# TYPE dsql_reservoir_checkout_latency_milliseconds histogram\n"));
  EXPECT_THAT(page, HasSubstr(",le=\"0.0001\"} 0\n"));
  EXPECT_THAT(page, HasSubstr(",le=\"1.0\"} 1\n"));
  EXPECT_THAT(page, HasSubstr(",le=\"+Inf\"} 1\n"));
  EXPECT_THAT(page, testing::EndsWith("\n# EOF\n"));
}

TEST(MetricTextTest, TheScraperSaysWhichFormatItWants) {
  const auto wants = [](std::string_view accept) {
    return preferred_format(accept) == MetricFormat::openmetrics;
  };
  EXPECT_TRUE(
      wants("application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
            "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"));
  EXPECT_TRUE(wants("application/openmetrics-text"));
  EXPECT_FALSE(wants(""));
  EXPECT_FALSE(wants("*/*"));
  EXPECT_FALSE(wants("text/html,application/xhtml+xml,*/*;q=0.8"));
  EXPECT_FALSE(wants("text/plain, application/openmetrics-text;q=0.5"));
}

}  // namespace
}  // namespace forebay::test
