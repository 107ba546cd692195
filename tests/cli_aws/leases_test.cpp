// "forebay leases" and "forebay token", as a shell starts them: against the stand-in's DynamoDB,
// and against a server that refuses as AWS does.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/chrono.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli_aws/aws_program.hpp"
#include "forebay/coordination/leases/dynamo_lease_store.hpp"
#include "support/http_server.hpp"
#include "support/standin_dynamodb.hpp"

namespace forebay::cli {
namespace {

using test::HttpServer;
using test::StandinDynamoWorld;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class LeasesCommandTest : public testing::Test {
 protected:
  Ending leases(const std::string& action, const Words& more = {}) {
    Words words{"leases", action, "--table", world_.table, "--endpoint", kCluster};
    words.insert(words.end(), more.begin(), more.end());
    return run_forebay(words, variables(world_.server.url()));
  }
  void acquire(const std::string& id, int connections) {
    AcquireRequest request(LeaseChange(id, 1, connections), 100);
    request.service = id + "-service";
    request.now = world_.runtime.env().wall_clock.now();
    const auto reply = world_.run(store_.acquire(request, world_.soon()));
    ASSERT_TRUE(reply.has_value()) << reply.error().text();
    ASSERT_EQ(reply->outcome, AcquireOutcome::granted);
  }

  StandinDynamoWorld world_;
  DynamoLeaseStore store_{world_.client, world_.table, kCluster};
};

TEST_F(LeasesCommandTest, SetupMakesATableAndSaysSoIfItExists) {
  const std::string name = world_.server.fresh_table_name();
  const Words words{"leases", "setup", "--table", name, "--region", "us-east-1"};
  const Words settings = variables(world_.server.url());

  const Ending first = run_forebay(words, settings);
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out, AllOf(HasSubstr("was made, billed on demand"),
                               HasSubstr("TTL on ttl_epoch was switched on")));

  const Ending second = run_forebay(words, settings);
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_THAT(second.out,
              AllOf(HasSubstr("exists already"), HasSubstr("TTL on ttl_epoch is on already")));
}

TEST_F(LeasesCommandTest, ShowTellsTheCounterItsHoldersAndAMissingTtl) {
  acquire("history", 40);
  acquire("matching", 2);

  const Ending shown = leases("show", {"--limit", "100"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("42 connections of 100"), HasSubstr("they add up"),
                               HasSubstr("history-service"), HasSubstr("matching-service"),
                               HasSubstr("TTL is not on")));

  const Ending json = leases("show", {"--json"});
  EXPECT_THAT(json.out, HasSubstr(R"("counter":42,"held":42)"));
}

TEST_F(LeasesCommandTest, ReapFreesWhatTheDeadLeftBehindAndNothingElse) {
  acquire("dead", 5);

  const Ending reaped = leases("reap", {"--ttl", "1s"});
  EXPECT_EQ(reaped.code, 0) << reaped.err;
  EXPECT_THAT(reaped.out,
              AllOf(HasSubstr("1 lease was silent for 1s or longer: 5 connections freed"),
                    HasSubstr("0 leases for 0 connections")));
}

TEST_F(LeasesCommandTest, RecountSetsACounterRightThatWasLeftBehind) {
  aws::Write drift(aws::Write::Kind::update, world_.table,
                   std::string("dsqllease_counter#") + kCluster);
  drift.update = "SET active = :seven";
  drift.values = {{":seven", aws::AttributeValue::number(7)}};
  ASSERT_TRUE(world_.run(world_.client.write(drift, world_.soon())).has_value());

  const Ending shown = leases("show");
  EXPECT_EQ(shown.code, 1);
  EXPECT_THAT(shown.out, HasSubstr("the counter has 7 more"));

  const Ending reaped = leases("reap", {"--ttl", "1s", "--recount", "--json"});
  EXPECT_EQ(reaped.code, 0) << reaped.err;
  EXPECT_THAT(reaped.out, HasSubstr(R"("counter":0,"held":0,"adds_up":true)"));
}

TEST_F(LeasesCommandTest, WatchInAPipeIsALineEachTime) {
  acquire("history", 3);

  const Ending watched = leases("watch", {"--every", "100ms", "--count", "3"});
  EXPECT_EQ(watched.code, 0) << watched.err;
  EXPECT_EQ(std::ranges::count(watched.out, '\n'), 3);
  EXPECT_THAT(watched.out, HasSubstr("counter 3, 1 lease hold 3"));
}

TEST_F(LeasesCommandTest, AWrongTableNameIsOneSentenceWithWhatToDo) {
  const Ending ending =
      run_forebay({"leases", "show", "--table", "no-such-table", "--endpoint", kCluster},
                  variables(world_.server.url()));
  EXPECT_EQ(ending.code, 1);
  EXPECT_THAT(ending.err, AllOf(HasSubstr("no table \"no-such-table\" in us-east-1"),
                                HasSubstr("forebay leases setup --table no-such-table")));
  EXPECT_EQ(std::ranges::count(ending.err, '\n'), 1);
}

// As DynamoDB refuses.
HttpResponse refusal(const std::string& type, const std::string& message, const std::string& date) {
  HttpResponse response(400);
  response.headers.emplace_back("Content-Type", "application/x-amz-json-1.0");
  if (!date.empty()) response.headers.emplace_back("Date", date);
  response.body =
      R"({"__type":"com.amazon.coral.service#)" + type + R"(","message":")" + message + R"("})";
  return response;
}

std::string told_by(const HttpResponse& response) {
  HttpServer server([&](const HttpRequest&) { return response; });
  const Ending ending = run_forebay(
      {"leases", "show", "--table", "forebay", "--endpoint", kCluster}, variables(server.url("")));
  EXPECT_EQ(ending.code, 1);
  EXPECT_EQ(ending.out, "");
  EXPECT_EQ(std::ranges::count(ending.err, '\n'), 1) << ending.err;
  return ending.err;
}

TEST(LeasesRefusalTest, NoPermission) {
  const std::string told = told_by(
      refusal("AccessDeniedException",
              "User: arn:aws:iam::1:user/app is not authorized to perform: dynamodb:GetItem on "
              "resource: arn:aws:dynamodb:us-east-1:1:table/forebay",
              ""));
  EXPECT_THAT(told, AllOf(HasSubstr("arn:aws:iam::1:user/app"), HasSubstr("dynamodb:GetItem"),
                          HasSubstr("docs/coordination.md")));
}

TEST(LeasesRefusalTest, AWrongRegion) {
  const std::string told =
      told_by(refusal("InvalidSignatureException",
                      "Credential should be scoped to a valid region, not 'us-east-1'.", ""));
  EXPECT_THAT(told, HasSubstr("\"us-east-1\" is not the region of"));
}

TEST(LeasesRefusalTest, AClockThatIsTenMinutesBehind) {
  const auto later = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()) +
                     std::chrono::minutes(10);
  const std::string told =
      told_by(refusal("InvalidSignatureException",
                      "Signature expired: 20261116T000000Z is now earlier than 20261116T000500Z",
                      fmt::format("{:%a, %d %b %Y %T} GMT", later)));
  EXPECT_THAT(told, AllOf(HasSubstr("clock is 10m behind AWS's"), HasSubstr("correct it")));
}

TEST(TokenCommandTest, PrintsATokenThatNamesTheRoleAndHoldsNoSecret) {
  const Ending admin = run_forebay({"token", "--endpoint", kCluster}, variables(""));
  EXPECT_EQ(admin.code, 0) << admin.err;
  EXPECT_THAT(admin.out, AllOf(HasSubstr("abc.dsql.us-east-1.on.aws/?Action=DbConnectAdmin&"),
                               HasSubstr("us-east-1%2Fdsql%2Faws4_request"),
                               HasSubstr("X-Amz-Expires=900"), Not(HasSubstr(kSecretKey))));

  const Ending app = run_forebay(
      {"token", "--endpoint", kCluster, "--user", "app", "--expires", "1h"}, variables(""));
  EXPECT_THAT(app.out, AllOf(HasSubstr("Action=DbConnect&"), HasSubstr("X-Amz-Expires=3600")));
}

TEST(TokenCommandTest, WithoutCredentialsSaysWhereItLooked) {
  const Ending ending =
      run_forebay({"token", "--endpoint", kCluster},
                  {"AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY=", "AWS_CONFIG_FILE=/nonexistent",
                   "AWS_SHARED_CREDENTIALS_FILE=/nonexistent", "AWS_EC2_METADATA_DISABLED=true"});
  EXPECT_EQ(ending.code, 1);
  EXPECT_EQ(ending.out, "");
  // Once, in one line, and without a promise to try again.
  EXPECT_THAT(ending.err, StartsWith("forebay token: no AWS credentials were found ("));
  EXPECT_EQ(std::ranges::count(ending.err, '\n'), 1) << ending.err;
  EXPECT_THAT(ending.err, Not(HasSubstr("retry")));
}

TEST(TokenCommandTest, AHostInCapitalsWithItsPortIsUnderstood) {
  const Ending ending =
      run_forebay({"token", "--endpoint", "ABC.DSQL.US-EAST-1.ON.AWS:5432"}, variables(""));

  EXPECT_EQ(ending.code, 0) << ending.err;
  EXPECT_THAT(ending.out, AllOf(StartsWith("abc.dsql.us-east-1.on.aws/?Action=DbConnectAdmin&"),
                                HasSubstr("us-east-1%2Fdsql%2Faws4_request")));
}

// A real program of a real profile; its argument is a secret, and so is what it prints.
TEST(TokenCommandTest, AProgramOfTheProfileGivesCredentials) {
  const std::string folder = testing::TempDir();
  const std::string config = folder + "/forebay_token_config_" + std::to_string(::getpid());
  std::ofstream(config) << "[default]\ncredential_process = /bin/sh -c 'echo \"$1\"' name "
                           "'{\"Version\": 1, \"AccessKeyId\": \"AKIAPROGRAM\", "
                           "\"SecretAccessKey\": \"hunter2printed\"}'\n";
  const Words settings{"AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY=", "AWS_CONFIG_FILE=" + config,
                       "AWS_SHARED_CREDENTIALS_FILE=/nonexistent",
                       "AWS_EC2_METADATA_DISABLED=true"};

  const Ending ending = run_forebay({"token", "--endpoint", kCluster}, settings);

  EXPECT_EQ(ending.code, 0) << ending.err;
  EXPECT_THAT(ending.out, HasSubstr("X-Amz-Credential=AKIAPROGRAM%2F"));
  EXPECT_EQ(ending.err, "");
  std::ofstream(config) << "[default]\ncredential_process = /bin/sh -c 'echo sign in first >&2; "
                           "exit 4' hunter2argument\n";
  const Ending failed = run_forebay({"token", "--endpoint", kCluster}, settings);
  EXPECT_EQ(failed.code, 1);
  EXPECT_EQ(failed.err,
            "forebay token: no credentials from the program /bin/sh of the AWS profile "
            "\"default\" (credential_process): it ended with 4: sign in first\n");
  std::filesystem::remove(config);
}

}  // namespace
}  // namespace forebay::cli
