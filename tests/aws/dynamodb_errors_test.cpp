// What people read when DynamoDB says no.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aws/dynamodb_world.hpp"

namespace forebay::aws {
namespace {

using test::response;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Error refused(const Result<HttpResponse>& answer) {
  DynamoDbWorld world;
  world.script({answer});
  const auto reply = world.run(world.client.write(counting_write(), world.in(1s)));
  FOREBAY_CHECK(!reply.has_value(), "it was not refused");
  return reply.error();
}

TEST(DynamoDbErrorsTest, ATableThatIsMissing) {
  const Error error = refused(exception("ResourceNotFoundException",
                                        "Requested resource not "
                                        "found"));

  EXPECT_EQ(error.code(), Errc::refused);
  EXPECT_EQ(error.text(),
            "DynamoDB has no table \"leases\" in eu-west-1; \"forebay leases setup --table "
            "leases\" creates it, or correct the name or the region");
}

TEST(DynamoDbErrorsTest, AnActionThatIsNotAllowed) {
  const Error told = refused(exception(
      "AccessDeniedException",
      "User: arn:aws:sts::123456789012:assumed-role/app/i-1 is not authorized to perform: "
      "dynamodb:UpdateItem on resource: arn:aws:dynamodb:eu-west-1:123456789012:table/leases "
      "because no identity-based policy allows the dynamodb:UpdateItem action"));
  const Error silent = refused(exception("AccessDeniedException"));

  EXPECT_EQ(told.code(), Errc::refused);
  EXPECT_EQ(told.text(),
            "AWS does not allow arn:aws:sts::123456789012:assumed-role/app/i-1 to do "
            "dynamodb:UpdateItem on table \"leases\" in eu-west-1; allow it in the policy of its "
            "role, as docs/coordination.md shows");
  EXPECT_THAT(silent.text(), HasSubstr("does not allow these credentials to do "
                                       "dynamodb:UpdateItem on"));
}

TEST(DynamoDbErrorsTest, KeysThatAreWrong) {
  for (const char* name : {"UnrecognizedClientException", "InvalidSignatureException",
                           "SignatureDoesNotMatch", "MissingAuthenticationTokenException"}) {
    const Error error = refused(exception(name, "The Canonical String should have been '...'"));

    EXPECT_EQ(error.code(), Errc::refused);
    EXPECT_THAT(error.text(), AllOf(HasSubstr(name), HasSubstr("secret is wrong"),
                                    HasSubstr("\"eu-west-1\" is not the region of "
                                              "dynamodb.eu-west-1.amazonaws.com"),
                                    Not(HasSubstr("Canonical"))));
  }
}

TEST(DynamoDbErrorsTest, AClockThatIsWrong) {
  const auto dated = [](const char* name, const char* message, const char* date) {
    HttpResponse answer = exception(name, message);
    if (date != nullptr) answer.headers.emplace_back("Date", date);
    return refused(answer).text();
  };
  const char* const late = "Sun, 30 Aug 2015 12:48:10 GMT";
  const char* const early = "Sun, 30 Aug 2015 11:36:00 GMT";

  EXPECT_EQ(dated("InvalidSignatureException", "Signature expired: 2015... is now earlier", late),
            "AWS refused the request's signature because this machine's clock is 12m behind "
            "AWS's; correct it (chrony, systemd-timesyncd)");
  EXPECT_THAT(dated("InvalidSignatureException", "Signature not yet current: ...", early),
              HasSubstr("clock is 1h ahead of AWS's"));
  EXPECT_THAT(dated("RequestTimeTooSkewed", "", nullptr), HasSubstr("clock differs from AWS's"));
  EXPECT_THAT(dated("SignatureDoesNotMatch", "", late), HasSubstr("12m behind"));
}

TEST(DynamoDbErrorsTest, OldKeysAreAskedForOnceMore) {
  DynamoDbWorld world;
  world.script({exception("ExpiredTokenException")});

  const auto item = world.run(world.client.get("leases", "a", world.in(1s)));

  ASSERT_FALSE(item.has_value());
  EXPECT_EQ(item.error().code(), Errc::refused);
  EXPECT_THAT(item.error().text(), HasSubstr("credentials have run out"));
  EXPECT_EQ(world.http.requests.size(), 2u);
}

// Each time it is asked, it has other credentials.
class ChangingCredentials final : public CredentialsProvider {
 public:
  Task<Result<Credentials>> get(Instant) override {
    const std::string number = std::to_string(++asked);
    co_return Credentials("id" + number, "secret" + number, "session" + number);
  }
  void reject(const std::string& access_key_id) override { rejected.push_back(access_key_id); }
  int asked = 0;
  std::vector<std::string> rejected;
};

class NoCredentials final : public CredentialsProvider {
 public:
  explicit NoCredentials(Errc code) : code_(code) {}
  Task<Result<Credentials>> get(Instant) override {
    co_return failure(code_, "no credentials were found; set AWS_PROFILE");
  }

 private:
  Errc code_;
};

TEST(DynamoDbErrorsTest, OldKeysAreReplacedByFreshOnes) {
  DynamoDbWorld world;
  ChangingCredentials credentials;
  DynamoDb client(Env{world.scheduler, world.random, world.wall_clock}, world.http, credentials,
                  DynamoDbOptions{"eu-west-1", ""});
  world.script({exception("ExpiredTokenException"), response(200, "{}")});

  EXPECT_TRUE(world.run(client.get("leases", "a", world.in(1s))).has_value());

  EXPECT_EQ(credentials.asked, 2);
  EXPECT_EQ(credentials.rejected, std::vector<std::string>{"id1"});
}

TEST(DynamoDbErrorsTest, NoCredentialsMeansNothingWasSent) {
  for (const Errc code : {Errc::timed_out, Errc::refused}) {
    DynamoDbWorld world;
    NoCredentials credentials(code);
    DynamoDb client(Env{world.scheduler, world.random, world.wall_clock}, world.http, credentials,
                    DynamoDbOptions{"eu-west-1", ""});

    const auto reply = world.run(client.write(counting_write(), world.in(1s)));

    ASSERT_FALSE(reply.has_value());
    EXPECT_EQ(reply.error().code(), code == Errc::timed_out ? Errc::connect_failed : code);
    EXPECT_THAT(reply.error().text(), HasSubstr("set AWS_PROFILE"));
    EXPECT_TRUE(world.http.requests.empty());
  }
}

TEST(DynamoDbErrorsTest, AServerThatIsNotThere) {
  const Error regional = refused(failure(Errc::connect_failed, "no such host"));

  EXPECT_EQ(regional.code(), Errc::connect_failed);
  EXPECT_THAT(regional.text(),
              HasSubstr("DynamoDB at dynamodb.eu-west-1.amazonaws.com cannot be reached (no such "
                        "host); check the network and the region, \"eu-west-1\""));
}

TEST(DynamoDbErrorsTest, ATableOfAnotherKind) {
  const Error error = refused(
      exception("ValidationException", "The provided key element does not match the schema"));

  EXPECT_EQ(error.code(), Errc::invalid);
  EXPECT_THAT(error.text(), HasSubstr("has another key than the text \"pk\""));
}

TEST(DynamoDbErrorsTest, ARequestThatIsNotUnderstood) {
  const Error error = refused(exception("ValidationException", "Invalid UpdateExpression: ADD"));

  EXPECT_EQ(error.code(), Errc::invalid);
  EXPECT_THAT(error.text(), HasSubstr("Invalid UpdateExpression: ADD"));
}

TEST(DynamoDbErrorsTest, SomethingThatIsNotDynamoDb) {
  const Error error = refused(response(403, "<html>Forbidden</html>"));

  EXPECT_EQ(error.code(), Errc::refused);
  EXPECT_THAT(error.text(), AllOf(HasSubstr("HTTP status 403"), HasSubstr("proxy")));
}

TEST(DynamoDbErrorsTest, WhatTheTransportRefusesIsPassedOn) {
  EXPECT_EQ(refused(failure(Errc::closed, "the runtime is closing")).code(), Errc::closed);
  EXPECT_EQ(refused(failure(Errc::invalid, "not an address")).code(), Errc::invalid);
}

TEST(DynamoDbErrorsTest, NoSecretIsShownWhateverTheServerQuotes) {
  const std::string quoted = std::string("You sent ") + kWorldSecret + " and " + kWorldSession;
  for (const char* name :
       {"AccessDeniedException", "ValidationException", "InvalidSignatureException",
        "UnrecognizedClientException", "ThrottlingException", "SomethingElse", ""}) {
    const std::string text = refused(exception(name, quoted)).text();

    EXPECT_THAT(text, AllOf(Not(HasSubstr(kWorldSecret)), Not(HasSubstr(kWorldSession)))) << name;
  }
  const std::string lost = refused(failure(Errc::connection_lost, quoted)).text();
  EXPECT_THAT(lost, AllOf(Not(HasSubstr(kWorldSecret)), Not(HasSubstr(kWorldSession))));
}

TEST(DynamoDbErrorsTest, ASecretMadeOfStarsIsHiddenToo) {
  for (const char* secret : {"*", "**", "***", "****"}) {
    DynamoDbWorld world;
    StaticCredentials credentials(Credentials("id", secret, secret));
    DynamoDb client(Env{world.scheduler, world.random, world.wall_clock}, world.http, credentials,
                    DynamoDbOptions{"eu-west-1", ""});
    world.script({exception("ValidationException", std::string("You sent ") + secret)});

    EXPECT_FALSE(world.run(client.get("leases", "a", world.in(1s))).has_value()) << secret;
  }
}

}  // namespace
}  // namespace forebay::aws
