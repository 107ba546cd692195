// "forebay config": the real program with files and variables.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.hpp"
#include "support/places.hpp"

namespace forebay::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

std::string file_with(const Folder& folder, const std::string& text) {
  const std::string path = (folder.path() / "service.yaml").string();
  std::ofstream(path) << text;
  return path;
}

// Its values are all wrong, each in its own way, and no two for the same reason.
const std::vector<std::string>& twenty_wrong_values() {
  static const std::vector<std::string> kWrong{"DB_PORT=seventy",
                                               "DB_SSLMODE=maybe",
                                               "DB_PREFIX=Robert'); DROP",
                                               "DB_MAX_CONNECTIONS=5",
                                               "DB_MAX_CONNECTIONS_PER_DB=0",
                                               "DB_CONNECTION_MAX_LIFETIME=600",
                                               "DB_CONNECTION_MAX_IDLE_TIME=-5m",
                                               "DSQL_CONNECTION_RATE_LIMIT=fast",
                                               "DSQL_CONNECTION_BURST_LIMIT=0",
                                               "DSQL_STAGGERED_STARTUP=perhaps",
                                               "DSQL_STAGGERED_STARTUP_MAX_DELAY=5",
                                               "DSQL_RESERVOIR_TARGET_READY=all",
                                               "DSQL_RESERVOIR_LOW_WATERMARK=1.5",
                                               "DSQL_RESERVOIR_BASE_LIFETIME=eleven",
                                               "DSQL_RESERVOIR_GUARD_WINDOW=45",
                                               "DSQL_DISTRIBUTED_CONN_LIMIT=10k",
                                               "DSQL_DISTRIBUTED_RATE_LIMITER_MAX_WAIT=forever",
                                               "FOREBAY_CLUSTER_ON_ABSENCE=holt",
                                               "FOREBAY_RETRY_MAX_RETRIES=-1",
                                               "FOREBAY_DATABASE_URL=postgresql://u:hunter2@h:x/d"};
  return kWrong;
}

TEST(ConfigCommandTest, TwentyWrongValuesGiveTwentyLinesAtOnce) {
  const std::vector<std::string>& wrong = twenty_wrong_values();
  ASSERT_EQ(wrong.size(), 20u);

  Program program({"config", "check"}, wrong);

  EXPECT_EQ(program.wait(), 2);
  EXPECT_EQ(program.out(), "");
  const std::vector<std::string> lines = lines_of(program.err());
  ASSERT_EQ(lines.size(), wrong.size() + 2) << program.err();
  EXPECT_EQ(lines.front(), "forebay config: nothing was started");
  for (const std::string& setting : wrong) {
    const std::string name = setting.substr(0, setting.find('='));
    const std::string value = setting.substr(setting.find('=') + 1);
    const auto tells = [&](const std::string& line) {
      return line.starts_with("  " + name + ":") || line.starts_with("  " + name + " ");
    };
    const auto line = std::ranges::find_if(lines, tells);
    ASSERT_NE(line, lines.end()) << name;
    EXPECT_EQ(std::ranges::count_if(lines, tells), 1) << name;
    // A port that is no number may be a secret. All else is told as it was typed.
    const bool is_hidden = value == "seventy" || value.contains("hunter2");
    EXPECT_EQ(line->contains(value), !is_hidden) << *line;
  }
  EXPECT_THAT(program.err(), Not(HasSubstr("hunter2")));
}

TEST(ConfigCommandTest, ShowsWhatHoldsAndWhereItCameFrom) {
  const Folder folder;
  const std::string path = file_with(folder,
                                     "database:\n  host: db.example\n  password: hunter2\n"
                                     "reservoir: {enabled: true, target_ready: 5}\n");

  Program program({"config", "check", path},
                  {"DSQL_RESERVOIR_LOW_WATERMARK=10", "DB_NAME=shop", "DSQL_RESERVOR_ENABLED=1"});

  EXPECT_EQ(program.wait(), 0) << program.err();
  EXPECT_EQ(program.err(), "");
  const std::string out = program.out();
  EXPECT_THAT(out, AllOf(HasSubstr("database.host"), HasSubstr(path + ":2\n"), HasSubstr("***"),
                         Not(HasSubstr("hunter2"))));
  EXPECT_THAT(lines_of(out), testing::Contains(MatchesRegex("database.name +shop +DB_NAME")));
  EXPECT_THAT(lines_of(out), testing::Contains(MatchesRegex("retry.max_retries +5 +default")));
  EXPECT_THAT(out, HasSubstr("warning: DSQL_RESERVOR_ENABLED is unknown and has no effect; did you "
                             "mean DSQL_RESERVOIR_ENABLED?\n"));
  EXPECT_THAT(out, HasSubstr("reservoir.target_ready is 5: it must not be below"));
}

TEST(ConfigCommandTest, TellsTheSameInJson) {
  Program right({"config", "check", "--json"}, {"DB_HOST=db.example", "DB_PASSWORD=hunter2"});
  EXPECT_EQ(right.wait(), 0) << right.err();
  EXPECT_THAT(right.out(), StartsWith(R"({"settings":{"database.url":{)"));
  EXPECT_THAT(right.out(), HasSubstr(R"("database.host":{"value":"db.example","source":"DB_HOST",)"
                                     R"("is_default":false})"));
  EXPECT_THAT(right.out(), AllOf(HasSubstr(R"("problems":[]})"), Not(HasSubstr("hunter2"))));

  Program wrong({"config", "check", "--json"}, {"DB_PORT=0"});
  EXPECT_EQ(wrong.wait(), 2);
  EXPECT_EQ(
      wrong.out(),
      R"({"settings":{},"warnings":[],"problems":["DB_PORT is 0: it must be from 1 to 65535"]})"
      "\n");
  EXPECT_THAT(wrong.err(), HasSubstr("  DB_PORT is 0: it must be from 1 to 65535\n"));
}

TEST(ConfigCommandTest, WarningsAreToldBesideProblems) {
  Program program({"config", "check"}, {"DB_PORT=0", "DSQL_RESERVOIR_GUARD_WINDOW=-1s"});

  EXPECT_EQ(program.wait(), 2);
  EXPECT_THAT(program.err(), StartsWith("forebay config: warning: DSQL_RESERVOIR_GUARD_WINDOW is "
                                        "-1s: a guard window is zero or more; 0s is used\n"));
}

TEST(ConfigCommandTest, TheReferenceIsTheCommittedPage) {
  Program program({"config", "reference"});

  EXPECT_EQ(program.wait(), 0);
  EXPECT_EQ(program.out(), text_of(test::source_file("docs/configuration.md")))
      << "run: forebay config reference > docs/configuration.md";
}

}  // namespace
}  // namespace forebay::cli
