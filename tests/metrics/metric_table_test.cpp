#include "forebay/metrics/metric_table.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/places.hpp"

namespace forebay::test {
namespace {

TEST(MetricTableTest, NamesAreUniqueAndSayWhatPrometheusExpects) {
  std::set<std::string_view> names;
  for (const MetricDefinition& each : metric_table()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_TRUE(std::ranges::all_of(each.name, [](char letter) {
      return (letter >= 'a' && letter <= 'z') || letter == '_';
    })) << each.name;
    EXPECT_EQ(each.name.ends_with("_total"), each.type == MetricType::counter) << each.name;
    EXPECT_TRUE(each.help.ends_with('.')) << each.name;
    // What would have to be written otherwise, in one format or the other.
    EXPECT_EQ(each.help.find_first_of("\n\\\""), std::string_view::npos) << each.name;
  }
}

TEST(MetricTableTest, ThePageOfAllMetricsIsTheTable) {
  std::ifstream file(test::source_file("docs/metrics.md"));
  ASSERT_TRUE(file) << "forebay metrics reference > docs/metrics.md";
  const std::string page(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(page, metrics_reference()) << "forebay metrics reference > docs/metrics.md";
}

}  // namespace
}  // namespace forebay::test
