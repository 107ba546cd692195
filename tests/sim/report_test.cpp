// What can be said of the page without a browser. tests/report looks at it in one.
#include "forebay/sim/result/report.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/sim/result/report_data.hpp"
#include "forebay/sim/result/report_files.hpp"
#include "support/sample_result.hpp"

namespace forebay::sim {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

std::string page_of(const RunResult& result) {
  std::ostringstream text;
  write_report(result, text);
  return text.str();
}

std::string data_of(const RunResult& result) {
  std::ostringstream text;
  write_report_data(result, text);
  return text.str();
}

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Two services at 1, 2 and 3 s; the second one is gone at 3 s.
RunResult small_result() {
  RunResult result;
  result.services.resize(2);
  for (int i = 1; i <= 3; ++i) {
    result.cluster.emplace_back().at = std::chrono::seconds(i);
    for (int j = 0; j < 2; ++j) {
      if (i == 3 && j == 1) continue;
      Sample sample;
      sample.at = std::chrono::seconds(i);
      sample.ready = 10 * i + j;
      sample.acquired = static_cast<std::uint64_t>(100 * i);
      sample.discards[static_cast<std::size_t>(DiscardReason::idle)] = static_cast<unsigned>(j);
      result.services[static_cast<std::size_t>(j)].samples.push_back(sample);
    }
  }
  return result;
}

TEST(ReportTest, ThePageHoldsEveryBundledFileAndLeavesNoNameInBraces) {
  const std::string page = page_of(RunResult());

  for (const BundledFile& file : report_files()) {
    const std::size_t expected = file.name == "page.html" ? 0 : 1;
    EXPECT_EQ(occurrences(page, file.text), expected) << file.name;
  }
  EXPECT_THAT(page, HasSubstr("Leon Sorokin"));  // uPlot's licence asks for it
  EXPECT_THAT(page, Not(HasSubstr("{{")));
}

TEST(ReportTest, ThePageAsksTheBrowserToRefuseAnythingFromOutside) {
  EXPECT_THAT(page_of(RunResult()), HasSubstr("default-src 'none'"));
}

TEST(ReportTest, NamesCannotEndTheScriptOrTheTitle) {
  RunResult result = broken_result();
  result.scenario = "</title><script>\"&";
  const std::string page = page_of(result);

  // One for the data, one for uPlot, one for the page's own.
  EXPECT_EQ(occurrences(page, "</script"), 3U);
  EXPECT_THAT(page, HasSubstr("<title>&lt;/title&gt;&lt;script&gt;&quot;&amp;: forebay"));
  EXPECT_THAT(page, HasSubstr("{{data}} "));  // a service is called that, and it stays its name
  EXPECT_THAT(page, HasSubstr(R"("\u003c/script>\u003cscript>fail('name')\u003c/script>")"));
}

TEST(ReportTest, APageOfFortyFourServicesIsSmall) {
  EXPECT_LT(page_of(sample_result(44)).size(), 3'000'000U);
}

TEST(ReportDataTest, TheClusterHasSumsOfTheServicesAtItsTimes) {
  const std::string data = data_of(small_result());
  const std::string cluster = data.substr(data.find("\"cluster\":"),
                                          data.rfind("\"services\":[") - data.find("\"cluster\":"));

  EXPECT_THAT(cluster, HasSubstr(R"("at":"1000000*3")"));
  EXPECT_THAT(cluster, HasSubstr(R"("ready":"21,20,-11")"));  // 21, 41, then 30 of the first alone
  EXPECT_THAT(cluster, HasSubstr(R"("acquired":"200*2,100")"));  // counters stay: 200, 400, 500
  EXPECT_THAT(cluster, HasSubstr(R"("discards":{"idle":"1,0*2"})"));
}

TEST(ReportDataTest, AServiceHasItsOwnTimesAndTheReasonsThatOccurred) {
  const std::string data = data_of(small_result());
  const std::string services = data.substr(data.rfind("\"services\":["));

  EXPECT_THAT(services, HasSubstr(R"({"at":"1000000*3","ready":"10*3")"));
  EXPECT_THAT(services, HasSubstr(R"("discards":{}})"));
  EXPECT_THAT(services, HasSubstr(R"({"at":"1000000*2","ready":"11,10")"));
  EXPECT_THAT(services, HasSubstr(R"("discards":{"idle":"1,0"}})"));
}

TEST(ReportDataTest, AVeryLongRunIsThinnedOutAndSaysSo) {
  RunResult result;
  result.services.resize(1);
  for (int i = 0; i < 400'002; ++i) {
    result.services[0].samples.emplace_back().at = std::chrono::seconds(i);
  }

  const std::string data = data_of(result);

  EXPECT_THAT(data, HasSubstr(R"("every":2,)"));
  // Every second one, and the last.
  EXPECT_THAT(data, HasSubstr(R"("at":"0,2000000*200000,1000000")"));
  EXPECT_THAT(data_of(small_result()), HasSubstr(R"("every":1,)"));
}

}  // namespace
}  // namespace forebay::sim
