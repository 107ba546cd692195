// Keys, tokens and passwords reach no log, no error and no list of processes.
#include "cluster/cluster_fixture.hpp"

namespace forebay::test {
namespace {

class SecretsTest : public ClusterTest {
 protected:
  SecretsTest() : ClusterTest(10, StandinDynamoDb::shared(), "password") {
    variables_ = {"AWS_ACCESS_KEY_ID=local", "AWS_SECRET_ACCESS_KEY=hunter2SecretKey",
                  "AWS_SESSION_TOKEN=hunter2Session", "PGPASSWORD=hunter2Password"};
  }

  static void expect_no_secret(const std::string& text, const std::string& where) {
    for (const char* secret : {"hunter2", "X-Amz-Signature", "X-Amz-Credential"})
      EXPECT_EQ(text.find(secret), std::string::npos) << secret << " in " << where;
  }
  void expect_no_secret_anywhere() {
    for (const auto& [name, process] : members_) expect_no_secret(said(name), "the log of " + name);
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string number = entry.path().filename();
      if (number.find_first_not_of("0123456789") != std::string::npos) continue;
      expect_no_secret(embedded::read_file(entry.path() / "cmdline"),
                       "the command line of " + number);
    }
  }
};

TEST_F(SecretsTest, AppearNowhereWhateverGoesWrong) {
  const Words words{"limit=10", "wanted=2", "ttl=5", "credentials=environment"};
  Words lost = words;
  lost.emplace_back("table=no-such-table");
  Words with_token = words;
  with_token.emplace_back("user=app");  // a token, which this server takes for a wrong password
  start("member-1", words);
  start("member-2", lost);
  start("member-3", with_token);
  ASSERT_TRUE(becomes(30s, [&] { return figure("member-1", "acquires") > 0; })) << said();
  ASSERT_TRUE(becomes(30s, [&] { return said("member-2").contains("no-such-table"); })) << said();
  ASSERT_TRUE(becomes(30s, [&] { return said("member-3").contains("authentication failed"); }))
      << said();
  expect_no_secret_anywhere();

  // PostgreSQL refuses the password from now on, and DynamoDB does not answer.
  ask("ALTER ROLE app PASSWORD 'another'");
  ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'member-1'");
  world_.server.stop();
  watch(5s);
  world_.server.start();
  watch(3s);
  expect_no_secret_anywhere();
}

}  // namespace
}  // namespace forebay::test
