// The example program as a user runs it: on a server that is right, on one that cheats, and with
// words that it cannot take.
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "forebay/embedded/server_process.hpp"
#include "postgres/postgres_fixture.hpp"
#include "support/places.hpp"

namespace forebay::postgres {
namespace {

struct Outcome {
  int status = -1;
  std::string output;

  // The number behind a name, or -1.
  int figure(const std::string& name) const {
    std::smatch match;
    const std::regex line("(?:^|\n)" + name + " +([0-9]+)\n");
    return std::regex_search(output, match, line) ? std::stoi(match[1]) : -1;
  }
  bool says(const std::string& words) const { return output.find(words) != std::string::npos; }
};

// The program, from its start on.
class RunningStore {
 public:
  explicit RunningStore(const std::vector<std::string>& arguments,
                        const std::vector<std::string>& variables = {}) {
    auto folder = embedded::TemporaryFolder::make(std::nullopt, "forebay-example");
    FOREBAY_CHECK(folder.has_value(), folder.error().text());
    folder_ = std::move(*folder);
    embedded::Command command;
    command.words = {test::built_file("examples/workflow_store/workflow_store")};
    command.words.insert(command.words.end(), arguments.begin(), arguments.end());
    command.output = output();
    command.variables = variables;
    auto process = embedded::ChildProcess::start(command);
    FOREBAY_CHECK(process.has_value(), process.error().text());
    process_.emplace(std::move(*process));
  }

  Outcome wait() {
    Outcome outcome;
    outcome.status = process_->wait(std::chrono::seconds(120)).value_or(-1);
    outcome.output = embedded::read_file(output());
    return outcome;
  }

 private:
  std::filesystem::path output() const { return folder_->path() / "output"; }

  std::unique_ptr<embedded::TemporaryFolder> folder_;
  std::optional<embedded::ChildProcess> process_;
};

Outcome run_workflow_store(const std::vector<std::string>& arguments,
                           const std::vector<std::string>& variables = {}) {
  return RunningStore(arguments, variables).wait();
}

class WorkflowStoreTest : public PostgresTest {
 protected:
  static void SetUpTestSuite() { launch({}); }

  // A database of its own for each test.
  void SetUp() override {
    database_ = testing::UnitTest::GetInstance()->current_test_info()->name();
    ask("postgres", "CREATE DATABASE \"" + database_ + "\" OWNER app");
  }

  static void ask(const std::string& database, const std::string& sql) {
    Runtime runtime;
    Client superuser(runtime, server_->superuser_url(database));
    const auto done = superuser.connect()->exec_blocking(sql, kPatience);
    ASSERT_TRUE(done) << done.error().text();
  }
  std::string url() const { return server_->url("app", database_, "hunter2"); }

  Outcome run_for(int seconds) const {
    return run_workflow_store(
        {"--database", url(), "--threads", "6", "--seconds", std::to_string(seconds)});
  }

  std::string database_;
};

TEST_F(WorkflowStoreTest, OwnersFightAndNothingIsLostOrDoubled) {
  const Outcome outcome = run_for(4);

  ASSERT_EQ(outcome.status, 0) << outcome.output;
  for (const char* name : {"shards acquired", "shards lost", "shard updates", "notes on shards",
                           "workflows started", "execution updates", "events appended",
                           "events taken", "transactions", "conflicts", "retries"}) {
    EXPECT_GT(outcome.figure(name), 0) << name << '\n' << outcome.output;
  }
  EXPECT_EQ(outcome.figure("events appended"),
            outcome.figure("events taken") + outcome.figure("events left"));
  EXPECT_EQ(outcome.figure("unknown outcomes"), 0);
  EXPECT_TRUE(outcome.says("as it should be")) << outcome.output;
}

// All of them find an empty database, and create the same tables.
TEST_F(WorkflowStoreTest, SeveralStartAtOnce) {
  std::vector<std::unique_ptr<RunningStore>> programs;
  for (int number = 0; number < 4; ++number) {
    programs.push_back(std::make_unique<RunningStore>(
        std::vector<std::string>{"--database", url(), "--threads", "2", "--seconds", "1"}));
  }
  for (const auto& program : programs) {
    const Outcome outcome = program->wait();
    EXPECT_FALSE(outcome.says("already exists") || outcome.says("duplicate key")) << outcome.output;
    EXPECT_EQ(outcome.status, 0) << outcome.output;
  }
}

TEST_F(WorkflowStoreTest, AnotherRunGoesOnWithTheSameShards) {
  ASSERT_EQ(run_for(1).status, 0);
  const Outcome second = run_workflow_store({"--seconds", "1"}, {"DATABASE_URL=" + url()});
  EXPECT_EQ(second.status, 0) << second.output;
}

TEST_F(WorkflowStoreTest, ARangeThatNobodyAcquiredIsFound) {
  ASSERT_EQ(run_for(1).status, 0);
  ask(database_, "UPDATE shards SET range_id = range_id + 1 WHERE shard_id = 2");

  const Outcome outcome = run_for(1);

  EXPECT_EQ(outcome.status, 1) << outcome.output;
  EXPECT_TRUE(outcome.says("range id of shard 2: the database has ")) << outcome.output;
}

TEST_F(WorkflowStoreTest, EventsThatTheServerLosesAreFound) {
  ASSERT_EQ(run_for(1).status, 0);
  ask(database_,
      "CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS "
      "'BEGIN DELETE FROM buffered_events WHERE id = NEW.id; RETURN NULL; END'");
  ask(database_,
      "CREATE TRIGGER lose AFTER INSERT ON buffered_events FOR EACH ROW EXECUTE FUNCTION lose()");

  const Outcome outcome = run_for(2);

  EXPECT_EQ(outcome.status, 1) << outcome.output;
  EXPECT_TRUE(outcome.says("lost events: the database has ")) << outcome.output;
}

TEST_F(WorkflowStoreTest, AServerThatIsNotThereIsSaidSo) {
  const Outcome outcome =
      run_workflow_store({"--database", "postgresql://app@127.0.0.1:1/nothing"});
  EXPECT_EQ(outcome.status, 1) << outcome.output;
  EXPECT_TRUE(outcome.says("127.0.0.1")) << outcome.output;
}

TEST(WorkflowStoreSchemaTest, IsWhatTheServerTakes) {
  const auto schema_for = [](const std::string& url) {
    const Outcome outcome = run_workflow_store({"--print-schema", "--database", url});
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    EXPECT_TRUE(outcome.says("CREATE TABLE IF NOT EXISTS buffered_events")) << outcome.output;
    return outcome;
  };
  const Outcome dsql = schema_for("postgresql://admin@abc.dsql.eu-west-1.on.aws/postgres");
  EXPECT_TRUE(dsql.says("CREATE INDEX ASYNC IF NOT EXISTS ")) << dsql.output;
  EXPECT_FALSE(dsql.says("CREATE INDEX IF")) << dsql.output;
  for (const char* refused : {"SERIAL", "CHECK", "DEFAULT", "UNIQUE", "REFERENCES"}) {
    EXPECT_FALSE(dsql.says(refused)) << dsql.output;
  }
  const Outcome postgresql = schema_for("postgresql://app@localhost/orders");
  EXPECT_TRUE(postgresql.says("CREATE INDEX IF NOT EXISTS ")) << postgresql.output;
}

// Comments and empty lines aside, what runs is what stands in the file.
TEST(WorkflowStoreSchemaTest, IsTheFileThatIsShipped) {
  std::ifstream file(test::source_file("examples/workflow_store/schema.sql"));
  ASSERT_TRUE(file);
  std::string expected;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && !line.starts_with("--")) expected += line + "\n";
  const Outcome outcome = run_workflow_store(
      {"--print-schema", "--database", "postgresql://admin@abc.dsql.eu-west-1.on.aws/postgres"});
  EXPECT_EQ(outcome.output, expected);
}

TEST(WorkflowStoreArgumentsTest, AreRefusedWithASentence) {
  struct Refusal {
    std::vector<std::string> arguments;
    std::string sentence;
  };
  const std::vector<Refusal> refusals{
      {{}, "no database is named: give --database URL or set DATABASE_URL"},
      {{"--database"}, "--database needs a value"},
      {{"--database", "postgresql:///x", "--threads", "0"},
       "--threads is a whole number from 1 to 64, not \"0\""},
      {{"--database", "postgresql:///x", "--seconds", "5s"},
       "--seconds is a whole number from 1 to 3600, not \"5s\""},
      {{"--database", "nonsense"}, "neither a postgresql:// URL nor key=value pairs"},
      {{"--shards", "3"}, "there is no option \"--shards\""},
  };
  for (const Refusal& refusal : refusals) {
    const Outcome outcome = run_workflow_store(refusal.arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.output;
    EXPECT_TRUE(outcome.says(refusal.sentence)) << outcome.output;
    EXPECT_TRUE(outcome.says("usage: workflow_store")) << outcome.output;
  }
}

}  // namespace
}  // namespace forebay::postgres
