// "forebay sim" as a whole: the real program on real scenarios.
#include <algorithm>
#include <sstream>

#include <boost/property_tree/json_parser.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include "cli/program.hpp"

namespace forebay::cli {
namespace {

using boost::property_tree::ptree;
using testing::AllOf;
using testing::ContainsRegex;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

ptree parsed(const std::string& text) {
  ptree json;
  std::istringstream stream(text);
  boost::property_tree::read_json(stream, json);
  return json;
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

// How long a thread has run, in ticks of the system.
int ticks_of(const std::filesystem::path& thread) {
  const std::string stat = text_of(thread / "stat");  // "pid (name) state ..."; user time is 14th
  const std::size_t name_end = stat.rfind(") ");
  if (name_end == std::string::npos) return 0;
  std::istringstream rest(stat.substr(name_end + 2));
  std::string skipped;
  for (int i = 3; i < 14; ++i) rest >> skipped;
  int ticks = 0;
  rest >> ticks;
  return ticks;
}

// Until a world is at work: the thread that it runs on.
pid_t wait_for_world(const Program& program) {
  const std::string threads = "/proc/" + std::to_string(program.pid()) + "/task";
  for (int i = 0; i < 6000; ++i) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(threads, error)) {
      const pid_t thread = std::atoi(entry.path().filename().c_str());
      if (thread != program.pid() && ticks_of(entry.path()) > 0) return thread;
    }
    std::this_thread::sleep_for(5ms);
  }
  return -1;
}

// The seconds that a run took differ from one to the next.
std::string without_line(const std::string& text, std::string_view beginning) {
  std::string rest;
  for (const std::string& line : lines_of(text)) {
    if (!line.starts_with(beginning)) rest += line + "\n";
  }
  return rest;
}

TEST(SimTest, InAPipeItIsQuietButForTheSummary) {
  Program program({"sim", data_file("holds.yaml")});

  EXPECT_EQ(program.wait(), 0) << program.out() << program.err();
  EXPECT_EQ(program.err(), "");
  EXPECT_THAT(program.out(), StartsWith("forebay sim: holds, seed 42"));
  EXPECT_THAT(program.out(),
              AllOf(HasSubstr("everything held\n"), HasSubstr("Forty connections of two services"),
                    HasSubstr("\n  time "), HasSubstr("\n  events "), HasSubstr("\n  trace "),
                    HasSubstr("\n  connects "), HasSubstr("\n  sessions "),
                    HasSubstr("\nprocesses"), HasSubstr("\n  history "), HasSubstr("\n  worker "),
                    HasSubstr("\nassertions\n"), HasSubstr("  pass  assertConvergeWithin")));
  EXPECT_THAT(program.out(), AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\r"))));
  EXPECT_THAT(lines_of(program.out()),
              Each(testing::ResultOf([](const std::string& line) { return line.size(); },
                                     testing::Le(80U))));
}

TEST(SimTest, AFailureSaysWhatWasExpectedAndHowToSeeItAgain) {
  Program program({"sim", data_file("fails.yaml"), "--seed", "17", "--duration", "8s"});

  EXPECT_EQ(program.wait(), 1);
  EXPECT_EQ(program.err(), "");
  EXPECT_THAT(program.out(),
              AllOf(HasSubstr("1 FAILED\n"), HasSubstr("  FAIL  assertConvergeWithin"),
                    HasSubstr("FAILED assertConvergeWithin of fails, seed 17\n"),
                    HasSubstr("\n  expected "), HasSubstr("\n  seen "),
                    HasSubstr("\n  replay     forebay sim " + data_file("fails.yaml") +
                              " --seed 17 --duration 8s\n")));
}

TEST(SimTest, QuietSaysOnlyWhatDidNotHold) {
  Program held({"sim", data_file("holds.yaml"), "--quiet"});
  EXPECT_EQ(held.wait(), 0);
  EXPECT_EQ(held.out() + held.err(), "");

  Program failed({"sim", data_file("fails.yaml"), "--quiet"});
  EXPECT_EQ(failed.wait(), 1);
  EXPECT_THAT(failed.out(), AllOf(StartsWith("FAILED assertConvergeWithin"), HasSubstr("replay"),
                                  Not(HasSubstr("processes "))));
  EXPECT_EQ(failed.err(), "");
}

TEST(SimTest, TheJsonIsOneObjectWithWhatScriptsNeed) {
  Program program({"sim", data_file("holds.yaml"), "--seed", "7", "--json"});

  ASSERT_EQ(program.wait(), 0) << program.err();
  EXPECT_EQ(program.err(), "");
  const ptree json = parsed(program.out());
  EXPECT_EQ(json.get<std::string>("scenario"), "holds");
  EXPECT_EQ(json.get<std::uint64_t>("seed"), 7U);
  EXPECT_GT(json.get<std::uint64_t>("events"), 0U);
  EXPECT_NE(json.get<std::string>("trace_hash"), "");
  EXPECT_FALSE(json.get_child("assertions").empty());
  EXPECT_FALSE(json.get_child("services").empty());
  EXPECT_GT(json.get<double>("wall_seconds"), 0);
  EXPECT_GT(json.get<double>("events_per_second"), 0);
}

TEST(SimTest, WithJsonTheFailureIsToldOnStderr) {
  Program program({"sim", data_file("fails.yaml"), "--json"});

  EXPECT_EQ(program.wait(), 1);
  EXPECT_EQ(parsed(program.out()).get<std::uint64_t>("seed"), 42U);
  EXPECT_THAT(program.err(), AllOf(HasSubstr("FAILED assertConvergeWithin"), HasSubstr("replay")));
}

TEST(SimTest, TheSameSeedGivesTheSameTrace) {
  const auto trace = [](const char* seed) {
    Program program({"sim", data_file("holds.yaml"), "--seed", seed, "--json"});
    EXPECT_EQ(program.wait(), 0);
    return parsed(program.out()).get<std::string>("trace_hash");
  };

  const std::string first = trace("5");

  EXPECT_EQ(trace("5"), first);
  EXPECT_NE(trace("6"), first);
}

TEST(SimTest, AShippedScenarioIsRunByItsName) {
  for (const char* name : {"local", "local.yaml"}) {
    Program program({"sim", name, "--duration", "70s"});

    EXPECT_EQ(program.wait(), 0) << program.out();
    EXPECT_THAT(program.out(), StartsWith("forebay sim: local, seed "));
  }
}

TEST(SimTest, WithoutAScenarioTheLocalOneIsRun) {
  Program program({"sim", "--duration", "70s"});

  EXPECT_EQ(program.wait(), 0) << program.out() << program.err();
  EXPECT_THAT(program.out(), StartsWith("forebay sim: local, seed 42"));
}

// The storm of one tenant is more than it may have connections for, and that is no secret.
TEST(SimTest, WhoFailedIsToldBesideWhatHeld) {
  Program program({"sim", "tenant-storm", "--duration", "95s"});
  EXPECT_EQ(program.wait(), 0) << program.out();
  EXPECT_THAT(program.out(), AllOf(ContainsRegex("everything held; [0-9,]+ callers failed\n"),
                                   ContainsRegex("\n  callers    [0-9,]+, of whom [0-9,]+ failed "),
                                   HasSubstr("  pass  assertMaxTimeouts: ")));

  Program seeds({"sim", "tenant-storm", "--duration", "95s", "--seeds", "1..2"});
  EXPECT_EQ(seeds.wait(), 0) << seeds.out();
  EXPECT_THAT(seeds.out(), AllOf(ContainsRegex("everything held; [0-9,]+ callers failed\n"),
                                 ContainsRegex("\n  callers    [0-9,]+, of whom [0-9,]+ failed ")));

  Program json({"sim", "tenant-storm", "--duration", "95s", "--seeds", "1..2", "--json"});
  EXPECT_EQ(json.wait(), 0);
  EXPECT_GT(parsed(json.out()).get<int>("callers.failed"), 0);
}

TEST(SimTest, TheShippedScenariosAreListed) {
  Program program({"sim", "--list"});

  EXPECT_EQ(program.wait(), 0);
  EXPECT_THAT(lines_of(program.out()),
              AllOf(testing::Contains("local"), testing::Contains("ecs-150wps")));
  EXPECT_THAT(lines_of(program.out()),
              Each(testing::ResultOf([](const std::string& line) { return line.size(); },
                                     testing::Le(80U))));

  Program json({"sim", "--list", "--json"});
  EXPECT_EQ(json.wait(), 0);
  std::vector<std::string> names;
  for (const auto& [key, item] : parsed(json.out())) {
    names.push_back(item.get<std::string>("name"));
    EXPECT_NE(item.get<std::string>("description"), "");
  }
  EXPECT_THAT(names, testing::IsSupersetOf({"local", "ecs-150wps"}));
}

TEST(SimTest, FilesAppearWhenTheRunIsDone) {
  const Folder folder;
  const std::string out = (folder.path() / "results.csv").string();
  Program program({"sim", data_file("holds.yaml"), "--out", out});

  EXPECT_EQ(program.wait(), 0) << program.err();
  EXPECT_THAT(names_in(folder.path()), testing::ElementsAre("results.csv"));
  EXPECT_GE(lines_of(text_of(out)).size(), 2U);
}

// The suite has builds of both kinds: with npm, and without.
TEST(SimTest, AReportIsWrittenOrTheProgramSaysWhyItCannotBe) {
  const Folder folder;
  const std::string report = (folder.path() / "report.html").string();
  Program program({"sim", data_file("holds.yaml"), "--report", report});
  Program version({"--version"});

  if (FOREBAY_HAS_REPORT) {
    EXPECT_EQ(program.wait(), 0) << program.err();
    EXPECT_THAT(text_of(report), AllOf(HasSubstr("<"), HasSubstr("</html>")));
    EXPECT_EQ(version.wait(), 0);
    EXPECT_THAT(version.out(), Not(HasSubstr("npm")));
  } else {
    EXPECT_EQ(program.wait(), 2);
    EXPECT_THAT(program.err(), HasSubstr("--report cannot be had from this program: it was built "
                                         "where there was no npm. Install npm and build again"));
    EXPECT_THAT(names_in(folder.path()), testing::IsEmpty());
    EXPECT_EQ(version.wait(), 0);
    EXPECT_THAT(version.out(), HasSubstr("\nwithout sim --report: built where there was no npm"));
  }
}

TEST(SimTest, FilesOfAFailedRunAreWrittenToo) {
  const Folder folder;
  const std::string out = (folder.path() / "results.csv").string();
  Program program({"sim", data_file("fails.yaml"), "--out", out, "--quiet"});

  EXPECT_EQ(program.wait(), 1);
  EXPECT_TRUE(std::filesystem::exists(out));
}

TEST(SimTest, AnInterruptedRunSaysHowFarItCameAndWritesNothing) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Folder folder;
    Program program(
        {"sim", data_file("long.yaml"), "--out", (folder.path() / "results.csv").string()});
    ASSERT_GT(wait_for_world(program), 0);

    program.send(signal);

    EXPECT_EQ(program.wait(), 130);
    EXPECT_EQ(program.out(), "");
    EXPECT_THAT(program.err(), AllOf(HasSubstr("forebay sim: interrupted at "),
                                     HasSubstr(" of 8760:00:00 of virtual time, after "),
                                     HasSubstr("; no file was written\n")));
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  }
}

TEST(SimTest, ManySeedsThatHold) {
  Program program({"sim", data_file("holds.yaml"), "--seeds", "3..12", "--jobs", "3"});

  EXPECT_EQ(program.wait(), 0) << program.out();
  EXPECT_EQ(program.err(), "");
  EXPECT_THAT(program.out(), AllOf(StartsWith("forebay sim: holds, seeds 3 to 12"),
                                   HasSubstr("\n  held       10 of 10\n"),
                                   HasSubstr("\n  failed     0\n"), Not(HasSubstr("\x1b"))));
}

TEST(SimTest, ManySeedsNameThoseThatFailAndHowToReplayThem) {
  Program program({"sim", data_file("fails.yaml"), "--seeds", "11..40"});

  EXPECT_EQ(program.wait(), 1);
  EXPECT_THAT(
      program.out(),
      AllOf(HasSubstr("30 FAILED\n"), HasSubstr("\n  held       0 of 30\n"),
            HasSubstr("\nFAILED seed 11: assertConvergeWithin"),
            HasSubstr("\n  replay     forebay sim " + data_file("fails.yaml") + " --seed 11\n"),
            HasSubstr("\nFAILED seed 30: "), Not(HasSubstr("\nFAILED seed 31: ")),
            HasSubstr("\nand 10 more seeds\n")));
}

TEST(SimTest, TheNumberOfThreadsChangesNothing) {
  const auto found = [](const char* jobs) {
    Program program({"sim", data_file("fails.yaml"), "--seeds", "15", "--jobs", jobs});
    EXPECT_EQ(program.wait(), 1);
    return without_line(without_line(program.out(), "  time "), "  events ");
  };

  const std::string alone = found("1");

  EXPECT_THAT(alone, HasSubstr("FAILED seed 15: "));
  EXPECT_EQ(found("4"), alone);
}

TEST(SimTest, ManySeedsAsJson) {
  Program program({"sim", data_file("fails.yaml"), "--seeds", "1..3", "--json"});

  EXPECT_EQ(program.wait(), 1);
  const ptree json = parsed(program.out());
  EXPECT_EQ(json.get<std::string>("scenario"), "fails");
  EXPECT_EQ(json.get<int>("seeds.from"), 1);
  EXPECT_EQ(json.get<int>("seeds.to"), 3);
  EXPECT_EQ(json.get_child("failures").size(), 3U);
  EXPECT_EQ(json.get_child("failures").front().second.get<int>("seed"), 1);
  EXPECT_GT(json.get<double>("seconds"), 0);
}

TEST(SimTest, InterruptedSeedsSayHowManyWereRun) {
  Program program({"sim", data_file("long.yaml"), "--seeds", "1..100"});
  ASSERT_GT(wait_for_world(program), 0);

  program.send(SIGINT);

  EXPECT_EQ(program.wait(), 130);
  EXPECT_THAT(program.err(),
              StartsWith("forebay sim: interrupted after 0 of 100 seeds, 0 of them failed"));
}

// Nothing in a world can crash on demand, so its thread gets the signal that a failed check raises.
TEST(SimTest, ACrashSaysWhichSeedItWas) {
  Program program({"sim", data_file("long.yaml"), "--seeds", "5..6", "--jobs", "1"});
  const pid_t world = wait_for_world(program);
  ASSERT_GT(world, 0);

  ASSERT_EQ(::syscall(SYS_tgkill, program.pid(), world, SIGABRT), 0);

  EXPECT_EQ(program.wait(), 128 + SIGABRT);
  EXPECT_EQ(program.err(), "forebay sim: the program crashed in seed 5; replay: forebay sim " +
                               data_file("long.yaml") + " --seed 5\n");
}

TEST(SimTest, AScenarioThatMakesNoSenseIsRefusedWithEverythingThatIsWrong) {
  const Folder folder;
  Program program({"sim", data_file("wrong.yaml"), "--out", (folder.path() / "x.csv").string()});

  EXPECT_EQ(program.wait(), 2);
  EXPECT_EQ(program.out(), "");
  EXPECT_THAT(program.err(), AllOf(StartsWith("forebay sim: nothing was started\n"),
                                   HasSubstr("wrong.yaml:4: sampleEvry: "),
                                   ContainsRegex("wrong.yaml:9: [^ ]*tagretReady: ")));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace forebay::cli
