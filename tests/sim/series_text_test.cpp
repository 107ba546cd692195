#include "forebay/sim/result/series_text.hpp"

#include <charconv>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace forebay::sim {
namespace {

std::string text_of(const std::vector<std::int64_t>& values) {
  SeriesText text;
  for (const std::int64_t value : values) text.add(value);
  return text.text();
}

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// As web/report/series.js does it.
std::vector<std::int64_t> values_of(std::string_view text) {
  std::vector<std::int64_t> values;
  std::int64_t value = 0;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    const std::size_t star = item.find('*');
    const std::int64_t times = star == std::string_view::npos ? 1 : number(item.substr(star + 1));
    for (std::int64_t i = 0; i < times; ++i)
      values.push_back(value += number(item.substr(0, star)));
    text.remove_prefix(std::min(item.size() + 1, text.size()));
  }
  return values;
}

TEST(SeriesTextTest, DifferencesAndRuns) {
  EXPECT_EQ(text_of({}), "");
  EXPECT_EQ(text_of({0}), "0");
  EXPECT_EQ(text_of({7, 7, 7, 8}), "7,0*2,1");
  EXPECT_EQ(text_of({1000, 2000, 3000}), "1000*3");
  EXPECT_EQ(text_of({5, 3, -1}), "5,-2,-4");
}

TEST(SeriesTextTest, TheTextSoFarMayBeAskedForAtAnyTime) {
  SeriesText text;
  text.add(1);
  text.add(1);
  EXPECT_EQ(text.text(), "1,0");
  text.add(1);
  EXPECT_EQ(text.text(), "1,0*2");
}

RC_GTEST_PROP(SeriesTextTest, EverySeriesComesBackAsItWas, ()) {
  const auto values = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange(-3, 4));
  RC_ASSERT(values_of(text_of(values)) == values);
}

}  // namespace
}  // namespace forebay::sim
