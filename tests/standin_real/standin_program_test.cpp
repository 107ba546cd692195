// The command, as a shell would start it.
#include <regex>

#include "cli/program.hpp"

namespace forebay::cli {
namespace {

std::vector<std::string> standin(std::vector<std::string> more) {
  more.insert(more.begin(), "standin");
  return more;
}

TEST(StandinProgramTest, ACommandRunsWithItAndItsCodeIsOurs) {
  const std::string script = "PGPASSWORD=$(" + kProgram +
                             " token --endpoint $PGHOST) psql -qAt -c \"SELECT current_user || ' ' "
                             "|| current_database()\"; "
                             "exit 7";
  Program program(standin({"--for", "sh", "-c", script}));
  EXPECT_EQ(program.wait(), 7) << program.err();
  EXPECT_EQ(program.out(), "admin postgres\n") << program.err();
}

TEST(StandinProgramTest, AScriptLearnsWhereItIs) {
  Program program(standin({"--json", "--listen", "0"}));
  while (program.out().find('\n') == std::string::npos && program.wait(20ms) == -1) {
  }
  const std::string line = program.out();
  std::smatch found;
  ASSERT_TRUE(std::regex_search(line, found, std::regex("\"port\":([1-9][0-9]*)"))) << line;
  EXPECT_NE(line.find("\"PGPORT\":\"" + found[1].str() + "\""), std::string::npos) << line;
  program.send(SIGTERM);
  EXPECT_EQ(program.wait(), 0);
  EXPECT_EQ(program.err(),
            "forebay standin: 0 sessions, 0 over the rate, 0 over the cap, 0 denied, 0 too old\n");
}

TEST(StandinProgramTest, WhatIsWrittenIsAShellsToRead) {
  Program program(standin({"--listen", "0", "--seconds", "1"}));
  EXPECT_EQ(program.wait(), 0);
  int exports = 0;
  for (const std::string& line : lines_of(program.out())) {
    EXPECT_TRUE(std::regex_match(line, std::regex("#.*|export [A-Z_]+=\\S+|unset [A-Z_ ]+")))
        << line;
    exports += line.starts_with("export") ? 1 : 0;
  }
  EXPECT_EQ(exports, 11);
}

// Two commands of ours, as those of a service would be, find DynamoDB by the environment alone.
TEST(StandinProgramTest, DynamoDbIsBesideItForThoseWhoAsk) {
  const std::string script =
      kProgram + " leases setup --table forebay > /dev/null && " + kProgram +
      " leases show --table forebay --endpoint $PGHOST --region $AWS_REGION --json";
  Program program(standin({"--dynamodb", "--for", "sh", "-c", script}));
  EXPECT_EQ(program.wait(), 0) << program.err();
  EXPECT_NE(program.out().find("\"counter\":0,\"held\":0"), std::string::npos) << program.out();
}

TEST(StandinProgramTest, DataStaysWhereItIsTold) {
  const Folder folder;
  const std::string data = (folder.path() / "data").string();
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  const auto run = [&data](const std::string& sql) {
    const std::string script =
        "PGPASSWORD=$(" + kProgram + " token --endpoint $PGHOST) psql -qAt -c \"" + sql + "\"";
    Program program(standin({"--data", data, "--for", "sh", "-c", script}));
    EXPECT_EQ(program.wait(), 0) << program.err();
    return program.out();
  };
  run("CREATE TABLE kept (id int PRIMARY KEY)");
  run("INSERT INTO kept VALUES (42)");
  EXPECT_EQ(run("SELECT id FROM kept"), "42\n");
}

TEST(StandinProgramTest, ACommandLineThatMakesNoSenseStartsNothing) {
  Program program(
      standin({"--rate", "many", "--region", "Mars", "--chaos", "dance", "--json", "--data", "x",
               "--postgres", "postgresql://u:pw@h/d", "--key", "AKIAAPP:pw", "--for"}));
  EXPECT_EQ(program.wait(), 2);
  const std::string text = program.err();
  for (const char* const problem :
       {"--rate is \"many\"", "--region is \"Mars\"", "--chaos is \"dance\": there is no dance",
        "--data and --postgres exclude each other", "--key (not shown) is not ID:SECRET:ARN",
        "--for has no command"})
    EXPECT_NE(text.find(problem), std::string::npos) << problem << "\n" << text;
  EXPECT_EQ(text.find("pw"), std::string::npos);
}

TEST(StandinProgramTest, ACommandThatIsNotThereIsSaid) {
  Program program(standin({"--for", "/no/such/program"}));
  EXPECT_EQ(program.wait(), 1);
  EXPECT_NE(program.err().find("\"/no/such/program\" cannot be run: No such file"),
            std::string::npos)
      << program.err();
}

}  // namespace
}  // namespace forebay::cli
