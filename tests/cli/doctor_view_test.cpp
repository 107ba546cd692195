// What is shown of the doctor's findings, and the lines on a terminal while it looks.
#include "forebay/cli/doctor/doctor_view.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/terminal_program.hpp"
#include "forebay/aws/json.hpp"
#include "forebay/cli/doctor/doctor_options.hpp"

namespace forebay::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

doctor::DoctorReport doctor_report() {
  using doctor::Severity;
  doctor::DoctorReport report;
  report.findings.emplace_back(Severity::ok, "database", "logged in", "never shown");
  report.findings.emplace_back(Severity::warning, "leases", "4 too \"many\"", "they count", "reap");
  report.findings.emplace_back(Severity::error, "clock", "10 minutes ahead");
  doctor::DemandRow row;
  row.processes = 8;
  row.connections = 400;
  row.of_limit = 0.04;
  row.churn = 0.65;
  row.fill = Duration();
  report.demand.push_back(row);
  return report;
}

TEST(DoctorViewTest, AFindingIsALineWithWhyAndWhatToDoBelow) {
  EXPECT_EQ(doctor_text(doctor_report(), TextStyle{80, false, false}),
            "ok       database      logged in\n"
            "warning  leases        4 too \"many\"\n"
            "                       why:  they count\n"
            "                       do:   reap\n"
            "error    clock         10 minutes ahead\n"
            "\n"
            "processes  connections  of limit  headroom  connects/s  of rate         filled\n"
            "        8          400       4 %      96 %        0.65        -        at once\n"
            "\n"
            "1 error, 1 warning, 0 notes, 1 ok\n");
}

TEST(DoctorViewTest, JsonSaysTheSameOnOneLine) {
  const std::string text = doctor_json(doctor_report());
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
  const auto object = aws::parse_object(text);
  ASSERT_TRUE(object.has_value()) << text;
  EXPECT_EQ(aws::text_at(*object, "worst"), "error");
  EXPECT_EQ(object->at("counts").at("warning").to_number<int>(), 1);
  const boost::json::array& findings = object->at("findings").as_array();
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(aws::text_at(findings[1].as_object(), "what"), "4 too \"many\"");
  EXPECT_EQ(aws::text_at(findings[1].as_object(), "advice"), "reap");
  EXPECT_TRUE(object->at("capacity").at(0).at("of_rate").is_null());
}

TEST(DoctorViewTest, AServerWithoutAPageHasItWherePrometheusLooks) {
  std::vector<std::string> problems;
  const auto url_of = [&](const std::string& url) {
    return read(DoctorArguments(), url, problems).metrics_url;
  };
  EXPECT_EQ(url_of("http://h:9464"), "http://h:9464/metrics");
  EXPECT_EQ(url_of("http://h:9464/"), "http://h:9464/metrics");
  EXPECT_EQ(url_of("https://h/custom"), "https://h/custom");
  EXPECT_TRUE(problems.empty());
}

TEST(DoctorViewTest, OnATerminalItTellsWhatItLooksAt) {
  TerminalProgram program({"doctor", "--metrics", "http://127.0.0.1:1/"});
  EXPECT_EQ(program.wait(), 2);
  EXPECT_THAT(program.seen(),
              AllOf(HasSubstr("looking at the configuration ..."),
                    HasSubstr("looking at the running instance ..."), HasSubstr("cannot be read")));
}

}  // namespace
}  // namespace forebay::cli
