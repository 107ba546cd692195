// What MetricText writes is read back, and what others write as far as the format allows.
#include "forebay/metrics/metric_page_reader.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "forebay/metrics/metric_text.hpp"

namespace forebay::test {
namespace {

using testing::HasSubstr;

TEST(MetricPageReaderTest, WhatIsWrittenIsReadBack) {
  EXPECT_TRUE(rc::check("round trip", [](const std::vector<double>& values,
                                         const std::string& service, const std::string& pool) {
    MetricText text;
    const std::array<MetricLabel, 2> labels = {{{"service", service}, {"pool", pool}}};
    for (const double value : values) text.number(Metric::reservoir_size, labels, value);
    const Result<MetricPage> page = MetricPage::read(text.text());
    RC_ASSERT(page.has_value());
    const auto read = page->all(Metric::reservoir_size);
    RC_ASSERT(read.size() == values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool is_same =
          read[i]->value == values[i] || (std::isnan(read[i]->value) && std::isnan(values[i]));
      RC_ASSERT(is_same);
      RC_ASSERT(read[i]->label("service") == service);
      RC_ASSERT(read[i]->label("pool") == pool);
    }
  }));
}

TEST(MetricPageReaderTest, AHistogramKeepsItsParts) {
  TimeHistogram times;
  times.record(std::chrono::milliseconds(2));
  MetricText text;
  const std::array<MetricLabel, 1> labels = {{{"operation", "move"}}};
  text.times(Metric::transaction_latency, labels, times);

  const Result<MetricPage> page = MetricPage::read(text.text());

  ASSERT_TRUE(page.has_value()) << page.error().text();
  EXPECT_EQ(page->find("dsql_tx_latency_count", {{"operation", "move"}}), 1);
  EXPECT_EQ(page->find("dsql_tx_latency_bucket", {{"operation", "move"}, {"le", "+Inf"}}), 1);
  EXPECT_EQ(page->find("dsql_tx_latency_count", {}), std::nullopt);
}

TEST(MetricPageReaderTest, BlanksTimesAndOthersMetricsAreAllowed) {
  const Result<MetricPage> page = MetricPage::read(
      "# HELP up whatever\n\n  up { job = \"a,b\" , } +1e3 1700000000000\r\nprocess_threads 7\n");

  ASSERT_TRUE(page.has_value()) << page.error().text();
  EXPECT_EQ(page->find("up", {{"job", "a,b"}}), 1000);
  EXPECT_EQ(page->find("process_threads", {}), 7);
}

TEST(MetricPageReaderTest, WhatIsNoPageOfMetricsIsRefusedByLine) {
  for (const char* const text : {"up 1\n<html>\n", "up 1\nup{a=\"b\n", "up 1\nup\n", "up 1\nup x\n",
                                 "up 1\nup{a} 1\n", "up 1\nup{a=\"b\"c=\"d\"} 1\n"}) {
    const Result<MetricPage> page = MetricPage::read(text);
    ASSERT_FALSE(page.has_value()) << text;
    EXPECT_THAT(page.error().text(), HasSubstr("line 2"));
  }
}

}  // namespace
}  // namespace forebay::test
