// What a simulated run looks like in words, from made-up results.
#include "forebay/cli/sim/sim_summary.hpp"

#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.hpp"
#include "forebay/cli/sim/sim_progress.hpp"
#include "forebay/cli/text/wrapped_text.hpp"

namespace forebay::cli {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr TextStyle kPipe{80, false, true};

sim::RunResult a_result(int services) {
  sim::RunResult result;
  result.scenario = "fleet";
  result.description = "Many processes.";
  result.seed = 7;
  result.trace_hash = 0xabc;
  result.events = 2'000'000;
  result.duration = 20min;
  result.connects_per_second = 100;
  result.connect_burst = 1;
  result.max_connections = 10'000;
  result.most_sessions = 2'000;
  result.most_connects_in_a_second = 99;
  result.conflicts = 1'234;
  result.waits = {1'000'000, 0ns, 1us, 2ms, 30ms, 4s};
  for (int i = 1; i <= services; ++i) {
    sim::ServiceResult& service = result.services.emplace_back();
    service.name = fmt::format("history-of-a-long-name-{}", i);
    service.target = 100;
    service.converged_after = std::chrono::seconds(i);
    service.waits = {1'000, 0ns, 0ns, 1ms, 2ms, 3ms};
    sim::Sample& last = service.samples.emplace_back();
    last.opened = 300;
    last.empty_events = i == 3 ? 5 : 0;
    last.work_started = 250'000;
    last.work_completed = 250'000;
  }
  result.assertions.push_back({"assertConvergeWithin", true, "within 1m", "20.0 s", 20s});
  return result;
}

RunFigures figures() { return {2s, 45'000'000, 0, "forebay sim fleet.yaml --seed 7"}; }

TEST(SimSummaryTest, EverythingIsThereAndFitsEightyColumns) {
  sim::RunResult result = a_result(4);
  result.faults.push_back({5min, 5min, "mass_drop",
                           "the server cut 100 sessions (50 %), which is a text that is much too "
                           "long for one line of a terminal",
                           2s});
  result.faults.push_back({10min, 12min, "store_outage", "", std::nullopt});
  result.faults.push_back({13min, 14min, "crash", "api-07", std::nullopt});

  const std::string text = summary_text(result, figures(), kPipe);

  for (const char* part :
       {"forebay sim: fleet, seed 7", "everything held", "20m0s of virtual time in 2s",
        "600 times as fast", "2,000,000, 1,000,000 a second; memory 45 MB", "0000000000000abc",
        "99 in a second at most; the limit is 100, burst 1", "2,000 at most; the cap is 10,000",
        "1,234", "  callers    1,000,000, none of whom failed\n",
        "p50 0s, p90 1us, p99 2ms, p99.9 30ms, max 4s",
        "  5:00             mass_drop: the server cut 100 sessions", "recovered after 2s",
        "  10:00 to 12:00   store_outage\n", "  13:00 to 14:00   crash: api-07\n",
        "not seen to recover", "  pass  assertConvergeWithin: 20.0 s; expected: within 1m"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  for (const std::string& line : lines_of(text)) EXPECT_LE(columns_of(line), 80) << line;
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(SimSummaryTest, OfManyServicesTheWorstAreShown) {
  sim::RunResult result = a_result(30);
  result.services[16].converged_after.reset();

  const std::string text = summary_text(result, figures(), kPipe);

  const std::size_t never = text.find("e-17 ");
  const std::size_t empty = text.find("me-3 ");
  ASSERT_NE(never, std::string::npos) << text;
  ASSERT_NE(empty, std::string::npos) << text;
  EXPECT_LT(never, empty);
  EXPECT_THAT(text, AllOf(HasSubstr("22 others"), HasSubstr("  all "), HasSubstr("3,000"),
                          HasSubstr("9,000"), Not(HasSubstr("me-4 "))));
}

TEST(SimSummaryTest, CallersWhoFailedStandBesideWhatHeld) {
  sim::RunResult result = a_result(2);
  sim::Sample& last = result.services[0].samples.back();
  last.work_completed -= 4'887;
  last.work_failed = 4'887;
  last.timeouts = 4'000;

  const std::string text = summary_text(result, figures(), kPipe);

  EXPECT_THAT(text, HasSubstr("  everything held; 4,887 callers failed\n"));
  EXPECT_THAT(text, HasSubstr("  callers    500,000, of whom 4,887 failed (1.0 %); 4,000 got no "
                              "connection in\n             time\n"));

  result.scenario = "a-name-that-leaves-room-for-a-few-words";
  EXPECT_THAT(summary_text(result, figures(), kPipe), HasSubstr("  everything held\n"));
}

// The new fleet of a deployment that comes after the end of a shortened run.
TEST(SimSummaryTest, WhatNeverRanIsNotBlamed) {
  sim::RunResult result = a_result(13);
  result.services[0].converged_after.reset();
  result.services[0].samples.back() = {};
  RunFigures shortened = figures();
  shortened.faults_left_out = 2;

  const std::string text = summary_text(result, shortened, kPipe);

  EXPECT_THAT(text, AllOf(Not(HasSubstr("never")), Not(HasSubstr("me-1 ")), HasSubstr("1,200"),
                          HasSubstr("\n  2 faults of the scenario come after the end")));
}

TEST(SimSummaryTest, ABrokenPromiseIsToldWithItsState) {
  sim::RunResult result = a_result(1);
  result.broken_promise = sim::BrokenPromise{
      1, "11 sessions where 10 are allowed", 61s + 5ms, 12'345, "history-1", "opening 3, ready 8"};

  const std::string text = failures_text(result, figures(), kPipe);

  EXPECT_EQ(text,
            "BROKEN promise 1 of fleet, seed 7\n"
            "  what       11 sessions where 10 are allowed\n"
            "  at         1:01.005, after event 12,345\n"
            "  process    history-1\n"
            "  state      opening 3, ready 8\n"
            "  replay     forebay sim fleet.yaml --seed 7\n");
  EXPECT_THAT(summary_text(result, figures(), kPipe), HasSubstr("FAIL  promise 1"));
}

TEST(SimSummaryTest, AFailedAssertionIsToldWithWhatWasExpected) {
  sim::RunResult result = a_result(1);
  result.assertions.push_back(
      {"assertMaxConnectsPerSec", false, "at most 100 connects", "102", 5min});

  EXPECT_EQ(failures_text(result, figures(), kPipe),
            "FAILED assertMaxConnectsPerSec of fleet, seed 7\n"
            "  expected   at most 100 connects\n"
            "  seen       102\n"
            "  at         5:00\n"
            "  replay     forebay sim fleet.yaml --seed 7\n");
  EXPECT_EQ(failures_text(a_result(1), figures(), kPipe), "");
}

TEST(SimProgressTest, ALineSaysHowFarHowFastAndHowLong) {
  const std::string line =
      progress_line(RunProgress{"local", 5min, 20min, 3'000'000, 2s}, TextStyle{80, false, false});

  EXPECT_THAT(line, AllOf(HasSubstr("local  5:00 of 20:00 "), HasSubstr("#####..............."),
                          HasSubstr("1,500,000 events/s"), HasSubstr("6s left")));
  EXPECT_LE(columns_of(line), 80);
}

TEST(SimProgressTest, ManySeedsCountTheirFailures) {
  const std::string line =
      progress_line(SeedsProgress{"local", 250, 1'000, 3, 10s}, TextStyle{80, false, false});

  EXPECT_THAT(line, AllOf(HasSubstr("250 of 1,000 seeds"), HasSubstr(" 25/s "),
                          HasSubstr("3 failed"), HasSubstr("30s left")));
}

TEST(SimProgressTest, PointsInVirtualTime) {
  EXPECT_EQ(clock_text(0s), "0:00");
  EXPECT_EQ(clock_text(2s + 10ms), "0:02.010");
  EXPECT_EQ(clock_text(5min), "5:00");
  EXPECT_EQ(clock_text(3h + 2min + 1s), "3:02:01");
}

TEST(WrappedTextTest, BreaksBetweenWords) {
  EXPECT_THAT(wrapped("one two  three\nfour", 9), ElementsAre("one two", "three", "four"));
  EXPECT_THAT(wrapped("a-word-that-is-too-wide x", 5), ElementsAre("a-word-that-is-too-wide", "x"));
  EXPECT_THAT(wrapped(" \n ", 9), IsEmpty());
}

}  // namespace
}  // namespace forebay::cli
