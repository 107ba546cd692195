// Command lines that make no sense: exit code 2, everything told at once on stderr, nothing
// started.
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
      {{"demo", "--lifetime", "0s"}, {"--lifetime is 0 us: it must be more than zero"}},
      {{"demo", "--lifetime", "-5s"}, {"--lifetime is -5 s: it must be more than zero"}},
      {{"demo", "--guard", "6s"}, {"--guard is 6 s: it must be shorter than the shortest life"}},
      {{"demo", "--guard", "-1s"}, {"--guard is -1 s: it must be zero or more"}},
      {{"demo", "--rate", "fast"}, {"--rate is \"fast\": it must be a number of connects"}},
      {{"demo", "--rate", "-1"}, {"--rate is -1 a second: it must be between "}},
      {{"demo", "--rate", "nan"}, {"--rate is nan a second"}},
      {{"demo", "--burst", "0"}, {"--burst is 0: it must be between 1 and 1000000"}},
      {{"demo", "--hold", "-2ms"}, {"--hold is -2 ms: it must be zero or more"}},
      {{"demo", "--fill-limit", "-1s"}, {"--fill-limit is -1 s: it must be zero or more"}},
      {{"demo", "--database", ""}, {"--database is empty: right would be postgresql://"}},
      {{"demo", "--json=perhaps"}, {"--json"}},
  };
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(testing::PrintToString(refusal.arguments));
    expect_refused(refusal);
  }
}

TEST(BadInputTest, AllMistakesAreToldAtOnce) {
  expect_refused(
      {{"demo",       "--connections", "10",       "--ready",   "30", "--guard",
        "9s",         "--rate",        "-3",       "--burst",   "0",  "--hold",
        "soon",       "--threads",     "0",        "--unknown", "4",  "stray",
        "--database", "no url",        "--seconds"},
       {"--seconds has no value", "--unknown is unknown", "word 18 belongs to no option",
        "--threads is 0", "--hold is \"soon\"", "--ready is 30: it must be between 1 and 10",
        "--guard is 9 s", "--rate is -3", "--burst is 0",
        "--database (not shown): connection string: neither a postgresql:// URL nor"}});
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
  const std::vector<Wish> wishes = {
      {{"--version"}, "forebay "},       {{"--help"}, "demo"},
      {{"help"}, "Subcommands:"},        {{"help", "demo"}, "Examples:"},
      {{"demo", "--help"}, "Examples:"}, {{"demo", "--seconds", "soon", "-h"}, "Examples:"}};
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
