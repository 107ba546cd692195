// Command lines that make no sense: exit code 2, everything told at once on stderr, nothing
// started.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.hpp"

namespace forebay::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct Refusal {
  std::vector<std::string> arguments;
  std::vector<std::string> told;
};

// With a folder of its own for temporary files, a started server could not hide.
void expect_refused(const Refusal& refusal) {
  const Folder temporary;
  Program program(refusal.arguments, {"TMPDIR=" + temporary.path().string()});
  EXPECT_EQ(program.wait(), 2) << program.out() << program.err();
  EXPECT_EQ(program.out(), "");
  for (const std::string& told : refusal.told) EXPECT_THAT(program.err(), HasSubstr(told));
  const auto lines = static_cast<std::size_t>(std::ranges::count(program.err(), '\n'));
  EXPECT_EQ(lines, refusal.told.size() + 2) << "more than was expected: " << program.err();
  EXPECT_THAT(program.err(), Not(HasSubstr("hunter2")));
  EXPECT_TRUE(std::filesystem::is_empty(temporary.path()));
}

TEST(BadInputTest, SingleMistakes) {
  const std::vector<Refusal> refusals = {
      {{}, {"a command is missing"}},
      {{"dmeo"}, {"\"dmeo\" is no command; did you mean demo?"}},
      {{"--vresion"}, {"\"--vresion\" is no command; did you mean --version?"}},
      {{"help", "nothing"}, {"there is no command \"nothing\""}},
      {{"demo", "--secnds", "4"}, {"--secnds is unknown; did you mean --seconds?"}},
      {{"demo", "--verbose"}, {"--verbose is unknown\n"}},
      {{"demo", "-x"}, {"-x is unknown"}},
      {{"demo", "now"}, {"word 2 belongs to no option"}},
      {{"demo", "--seconds"}, {"--seconds has no value"}},
      {{"demo", "--seconds", "soon"}, {"--seconds is \"soon\": it must be a whole number"}},
      {{"demo", "--seconds", "-1"}, {"--seconds is -1: it must be between 0 and "}},
      {{"demo", "--seconds", "99999999999999"}, {"--seconds is \"99999999999999\": "}},
      {{"demo", "--connections", "0"}, {"--connections is 0: it must be between 1 and "}},
      {{"demo", "--connections=-3"}, {"--connections is -3: it must be between 1 and "}},
      {{"demo", "--connections", "5000"}, {"--connections is 5000: without --database "}},
      {{"demo", "--ready", "21"}, {"--ready is 21: it must be between 1 and 20 "}},
      {{"demo", "--ready", "0"}, {"--ready is 0: it must be between 1 and 20 "}},
      {{"demo", "--threads", "0"}, {"--threads is 0: it must be between 1 and 1000"}},
      {{"demo", "--lifetime", "5"}, {"--lifetime is \"5\": it must be a time with its unit"}},
      {{"demo", "--lifetime", "0s"}, {"--lifetime is 0s: it must be more than zero"}},
      {{"demo", "--lifetime", "-5s"}, {"--lifetime is -5s: it must be more than zero"}},
      {{"demo", "--guard", "6s"}, {"--guard is 6s: it must be shorter than the shortest life"}},
      {{"demo", "--guard", "-1s"}, {"--guard is -1s: it must be zero or more"}},
      {{"demo", "--rate", "fast"}, {"--rate is \"fast\": it must be a number of connects"}},
      {{"demo", "--rate", "-1"}, {"--rate is -1 a second: it must be between "}},
      {{"demo", "--rate", "nan"}, {"--rate is nan a second"}},
      {{"demo", "--burst", "0"}, {"--burst is 0: it must be between 1 and 1000000"}},
      {{"demo", "--hold", "-2ms"}, {"--hold is -2ms: it must be zero or more"}},
      {{"demo", "--fill-limit", "-1s"}, {"--fill-limit is -1s: it must be zero or more"}},
      {{"demo", "--database", ""}, {"--database is empty: right would be postgresql://"}},
      {{"demo", "--json=perhaps"}, {"--json"}},
  };
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(testing::PrintToString(refusal.arguments));
    expect_refused(refusal);
  }
}

TEST(BadInputTest, SingleMistakesOfSim) {
  const Folder folder;
  const std::string place = folder.path().string();
  const std::vector<Refusal> refusals = {
      {{"sim", "locl"}, {"\"locl\" is neither a file nor a shipped scenario; did you mean local?"}},
      {{"sim", "locale.yml"}, {"did you mean local?"}},
      {{"sim", data_file("hold.yaml")}, {"did you mean " + data_file("holds.yaml") + "?"}},
      {{"sim", "zzzzzzzzz"}, {"nor a shipped scenario; shipped are "}},
      {{"sim", place}, {" is a folder: a scenario is a file"}},
      {{"sim", "local", "more"}, {"word 3 belongs to no option: one scenario can follow \"sim\""}},
      {{"sim", "local", "--sed", "3"}, {"--sed is unknown; did you mean --seed?"}},
      {{"sim", "--sed", "3", "local"}, {"--sed is unknown; did you mean --seed?"}},
      {{"sim", "--verbose", "local"}, {"--verbose is unknown"}},
      {{"sim", "local", "--seed"}, {"--seed has no value"}},
      {{"sim", "local", "--seed", "-1"},
       {"--seed is \"-1\": it must be a whole number from 0 to "}},
      {{"sim", "local", "--seed", "1x"},
       {"--seed is \"1x\": it must be a whole number from 0 to "}},
      {{"sim", "local", "--seeds", "all"},
       {"--seeds is \"all\": it must be a range, as in 1..1000"}},
      {{"sim", "local", "--seeds", "0"}, {"--seeds is \"0\": it must be a range"}},
      {{"sim", "local", "--seeds", "1.."}, {"--seeds is \"1..\": it must be a range"}},
      {{"sim", "local", "--seeds", "1...5"}, {"--seeds is \"1...5\": it must be a range"}},
      {{"sim", "local", "--seeds", "9..2"}, {"9 comes after 2; write 2..9"}},
      {{"sim", "local", "--seeds", "1..10000001"}, {"at most 10000000 seeds are possible at once"}},
      {{"sim", "local", "--seeds", "0..18446744073709551615"}, {"at most 10000000 seeds"}},
      {{"sim", "local", "--seed", "1", "--seeds", "2"}, {"--seed and --seeds exclude each other"}},
      {{"sim", "local", "--jobs", "2"}, {"--jobs is of use with --seeds only"}},
      {{"sim", "local", "--seeds", "2", "--jobs", "0"},
       {"--jobs is \"0\": it must be a whole number"}},
      {{"sim", "local", "--duration", "5"}, {"--duration is \"5\": it must be a time above zero"}},
      {{"sim", "local", "--duration", "-5s"}, {"--duration is \"-5s\": it must be a time above"}},
      {{"sim", "local", "--duration", "1ms"},
       {"--duration is 1ms: it is shorter than sampleEvery"}},
      {{"sim", "local", "--duration", "9000h"},
       {"--duration is \"9000h\": it must be a time above"}},
      {{"sim", "local", "--duration", "900h"}, {"--duration is 900h: with sampleEvery 1s and 4 "}},
      {{"sim", "local", "--out", "/nowhere/x.csv"}, {"there is no folder /nowhere"}},
      {{"sim", "local", "--out", "/proc/x.csv"}, {"in /proc no file can be made: "}},
      {{"sim", "local", "--out", place}, {": it is a folder, and must be a file"}},
      {{"sim", "local", "--out", "/dev/null"}, {"it exists, and is no regular file"}},
      {{"sim", "local", "--report", ""}, {"--report is \"\": it must name a file"}},
      {{"sim", "local", "--out", place + "/x", "--report", place + "/./x"}, {"name the same file"}},
      {{"sim", "local", "--seeds", "2", "--out", "x.csv"},
       {"--out and --seeds exclude each other"}},
      {{"sim", "local", "--seeds", "2", "--report", "x"}, {"--report and --seeds exclude each"}},
      {{"sim", "local", "--list"}, {"--list runs nothing: only --json can stand beside it"}},
      {{"sim", "postgresql://u:hunter2@h/x"},
       {"not shown, since it may hold a password is neither"}},
      {{"sim", "demo"}, {"\"demo\" is neither a file nor a shipped scenario"}},
      {{"demo", "sim"}, {"word 2 belongs to no option: only options can follow \"demo\""}},
      {{"help", "smi"}, {"there is no command \"smi\" to explain; did you mean sim?"}},
  };
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(testing::PrintToString(refusal.arguments));
    expect_refused(refusal);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(BadInputTest, SingleMistakesOfLeasesAndToken) {
  const std::vector<Refusal> refusals = {
      {{"leases", "--table", "abc", "--endpoint", "h"}, {"what to do is missing: one of setup, "}},
      {{"leases", "shwo", "--table", "abc", "--endpoint", "h"},
       {"\"shwo\" is nothing to do with leases: it must be setup, show, watch or reap; did you "
        "mean show?"}},
      {{"leases", "show", "--endpoint", "h"}, {"--table is missing: the DynamoDB table"}},
      {{"leases", "show", "--table", "abc"}, {"--endpoint is missing: the host of the cluster"}},
      {{"leases", "show", "--table", "ab", "--endpoint", "h"},
       {"--table is \"ab\": it has 2 characters, and DynamoDB wants 3 to 255"}},
      {{"leases", "setup", "--table", "a b c"}, {"--table is \"a b c\": DynamoDB allows letters"}},
      {{"leases", "show", "--table", "abc", "--endpoint", "https://h/"},
       {"--endpoint is not shown, since it may hold a password: it must be a host's name"}},
      {{"leases", "show", "now", "--table", "abc", "--endpoint", "h"},
       {"word 3 belongs to no option: one action can follow \"leases\""}},
      {{"leases", "show", "--table", "abc", "--endpoint", "h", "--recount"},
       {"--recount belongs to \"reap\""}},
      {{"leases", "watch", "--table", "abc", "--endpoint", "h", "--every", "0s"},
       {"--every is \"0s\": it must be between 100ms and 24h"}},
      {{"leases", "watch", "--table", "abc", "--endpoint", "h", "--count", "0"},
       {"--count is 0: it must be between 1 and "}},
      {{"leases", "reap", "--table", "abc", "--endpoint", "h", "--ttl", "3"},
       {"--ttl is \"3\": it must be a time with its unit"}},
      {{"leases", "show", "--table", "abc", "--endpoint", "h", "--region", "us east"},
       {"--region is \"us east\": right would be us-east-1, say"}},
      {{"token"}, {"--endpoint is missing: the host of the cluster"}},
      {{"token", "--endpoint", "h", "--expires", "8d"}, {"--expires is \"8d\": it must be a time"}},
      {{"token", "--endpoint", "h", "--expires", "200h"},
       {"--expires is \"200h\": it must be between 1s and 168h"}},
      {{"token", "--endpoint", "h", "--user", ""}, {"--user is empty: it must be a database role"}},
      {{"token", "admin", "--endpoint", "h"},
       {"word 2 belongs to no option: only options can follow \"token\""}},
  };
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(testing::PrintToString(refusal.arguments));
    expect_refused(refusal);
  }
}

TEST(BadInputTest, SingleMistakesOfDoctor) {
  const std::vector<Refusal> refusals = {
      {{"doctor", "service.yaml"},
       {"word 2 belongs to no option: only options can follow \"doctor\""}},
      {{"doctor", "--metrics", "localhost:9464"},
       {"--metrics is \"localhost:9464\": right would be http://127.0.0.1:9464/metrics, say"}},
      {{"doctor", "--metrics", "http://u:hunter2@h/metrics"},
       {"--metrics is not shown, since it may hold a password: it holds a user or a password"}},
      {{"doctor", "--metrics", "http:///metrics"}, {"it names no host"}},
      {{"doctor", "--for", "0s"}, {"--for is \"0s\": it must be between 100ms and 1h"}},
      {{"doctor", "--processes", "0"}, {"--processes is 0: it must be between 1 and 1000000"}},
      {{"doctor", "--timeout", "5"}, {"--timeout is \"5\": it must be a time with its unit"}},
  };
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(testing::PrintToString(refusal.arguments));
    expect_refused(refusal);
  }
}

TEST(BadInputTest, AllMistakesOfSimAreToldAtOnce) {
  expect_refused({{"sim", "locl", "more", "--seed", "x", "--duration", "5", "--report", "/proc/x",
                   "--out", "/nowhere/x", "--jobs", "0", "--jsno"},
                  {"word 3 belongs to no option", "--jsno is unknown; did you mean --json?",
                   "did you mean local?", "--seed is \"x\"", "--jobs is \"0\"",
                   "--duration is \"5\"", "--out is \"/nowhere/x\"", "--report is \"/proc/x\""}});
}

TEST(BadInputTest, AllMistakesAreToldAtOnce) {
  expect_refused(
      {{"demo",       "--connections", "10",       "--ready",   "30", "--guard",
        "9s",         "--rate",        "-3",       "--burst",   "0",  "--hold",
        "soon",       "--threads",     "0",        "--unknown", "4",  "stray",
        "--database", "no url",        "--seconds"},
       {"--seconds has no value", "--unknown is unknown", "word 18 belongs to no option",
        "--threads is 0", "--hold is \"soon\"", "--ready is 30: it must be between 1 and 10",
        "--guard is 9s", "--rate is -3", "--burst is 0",
        "--database (not shown): connection string: neither a postgresql:// URL nor"}});
}

TEST(BadInputTest, SingleMistakesOfConfig) {
  const std::vector<Refusal> refusals = {
      {{"config"}, {"what to do is missing: one of check, reference"}},
      {{"config", "chekc"},
       {"\"chekc\" is nothing to do with a configuration: it must be check or reference; did you "
        "mean check?"}},
      {{"config", "check", "/nowhere.yaml"}, {"/nowhere.yaml cannot be read: "}},
      {{"config", "check", "a", "b"}, {"word 4 belongs to no option: one action can follow"}},
      {{"config", "reference", "a"}, {"reference takes neither a file nor options"}},
      {{"config", "check", "--jsn"}, {"--jsn is unknown; did you mean --json?"}},
  };
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(testing::PrintToString(refusal.arguments));
    expect_refused(refusal);
  }
}

TEST(BadInputTest, PasswordsAreNotShownWhereverTheyStand) {
  const std::string url = "postgresql://u:hunter2@db.example/x";
  expect_refused({{"demo", "--databse", url}, {"--databse is unknown; did you mean --database?"}});
  expect_refused({{"demo", "--databse=" + url}, {"--databse is unknown"}});
  expect_refused({{"demo", url}, {"word 2 belongs to no option"}});
  expect_refused({{"demo", "-phunter2"}, {"-p is unknown"}});
  expect_refused({{"demo", "--seconds", url}, {"--seconds is not shown"}});
  expect_refused({{"demo", "--database", "postgresql://u:hunt/er2@h/x"}, {"misplaced \"@\""}});
  expect_refused({{"demo", "--database", "postgresql://u:hunter2@h:port/x"}, {"the port is not"}});
  expect_refused({{"demo", "--database", "pasword=hunter2"}, {"did you mean \"password\"?"}});
  expect_refused({{url}, {"not shown, since it may hold a password is no command"}});
}

TEST(HelpTest, HelpAndVersionGoToStdout) {
  struct Wish {
    std::vector<std::string> arguments;
    std::string answer;
  };
  const std::vector<Wish> wishes = {{{"--version"}, "forebay "},
                                    {{"--help"}, "demo"},
                                    {{"help"}, "Subcommands:"},
                                    {{"help", "demo"}, "Examples:"},
                                    {{"demo", "--help"}, "Examples:"},
                                    {{"demo", "--seconds", "soon", "-h"}, "Examples:"},
                                    {{"help", "sim"}, "forebay sim [OPTIONS] [FILE]"},
                                    {{"sim", "--help"}, "--seeds A..B"}};
  for (const Wish& wish : wishes) {
    SCOPED_TRACE(testing::PrintToString(wish.arguments));
    Program program(wish.arguments);
    EXPECT_EQ(program.wait(), 0);
    EXPECT_THAT(program.out(), HasSubstr(wish.answer));
    EXPECT_EQ(program.err(), "");
  }
}

}  // namespace
}  // namespace forebay::cli
