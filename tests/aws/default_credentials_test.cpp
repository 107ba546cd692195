// The whole search in virtual time: which source wins, what is asked there, and what is said when
// there is nothing, or something that does not work.
#include "forebay/aws/credentials/default_credentials.hpp"

#include "support/aws_world.hpp"

namespace forebay::aws {
namespace {

using namespace std::chrono_literals;

constexpr const char* kConfig = "/home-of-test/.aws/config";
constexpr const char* kKeys = "/home-of-test/.aws/credentials";

std::string sts_answer(const std::string& id) {
  return "<AssumeRoleResponse xmlns=\"sts\">\n <AssumeRoleResult>\n  <AssumedRoleUser><Arn>arn"
         "</Arn></AssumedRoleUser>\n  <Credentials>\n   <AccessKeyId>" +
         id +
         "</AccessKeyId>\n   <SecretAccessKey>role-secret</SecretAccessKey>\n   <SessionToken>"
         "role-session+/=</SessionToken>\n   <Expiration>2026-01-01T01:00:00Z</Expiration>\n"
         "  </Credentials>\n </AssumeRoleResult>\n</AssumeRoleResponse>";
}

std::string json_answer(const std::string& id) {
  return R"({"Code":"Success","Type":"AWS-HMAC","AccessKeyId":")" + id +
         R"(","SecretAccessKey":"json-secret","Token":"json-token",)"
         R"("Expiration":"2026-01-01T06:00:00Z"})";
}

class DefaultCredentialsTest : public test::AwsWorld {
 protected:
  ~DefaultCredentialsTest() override { run(credentials_->close()); }

  static Task<void> close_and_note(CredentialsProvider& credentials, bool& is_closed) {
    co_await credentials.close();
    is_closed = true;
  }
  Result<Credentials> get() { return run(credentials_->get(in(1min))); }
  std::string id() {
    const Result<Credentials> found = get();
    return found ? found->access_key_id : "error: " + found.error().text();
  }
  void expect_error(const std::string& text, Errc code = Errc::refused) {
    const Result<Credentials> found = get();
    ASSERT_FALSE(found.has_value());
    EXPECT_EQ(found.error().text(), text);
    EXPECT_EQ(found.error().code(), code);
  }
  // An answer for each address that begins so; all others are unreachable.
  void answer(const std::string& url, int status, const std::string& body) {
    answers_.emplace_back(url, test::response(status, body));
    http_.handler = [this](const HttpRequest& request) -> Result<HttpResponse> {
      for (const auto& [prefix, response] : answers_)
        if ((request.method + ' ' + request.url).starts_with(prefix)) return response;
      return failure(Errc::connect_failed, "nobody listens");
    };
  }
  void answer_instance() {
    answer("PUT http://169.254.169.254/latest/api/token", 200, "metadata-token");
    answer("GET http://169.254.169.254/latest/meta-data/iam/security-credentials/my", 200,
           json_answer("instance"));
    answer("GET http://169.254.169.254/latest/meta-data/iam/security-credentials/", 200, "my-role");
  }

  std::vector<std::pair<std::string, HttpResponse>> answers_;
  std::unique_ptr<CredentialsProvider> credentials_ = default_credentials(env(), http_, machine_);
};

TEST_F(DefaultCredentialsTest, EachSourceCountsMoreThanTheNext) {
  const auto fresh = [this] {
    run(credentials_->close());
    credentials_ = default_credentials(env(), http_, machine_);
    return id();
  };
  answer_instance();
  EXPECT_EQ(fresh(), "instance");
  answer("GET http://169.254.170.2/v2/x", 200, json_answer("container"));
  machine_.variables["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "/v2/x";
  EXPECT_EQ(fresh(), "container");
  machine_.files[kKeys] = "[default]\naws_access_key_id=profile\naws_secret_access_key=s\n";
  EXPECT_EQ(fresh(), "profile");
  answer("POST https://sts.amazonaws.com/", 200, sts_answer("sts"));
  machine_.variables["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/token";
  machine_.variables["AWS_ROLE_ARN"] = "arn:aws:iam::1:role/web";
  machine_.files["/token"] = "jwt";
  EXPECT_EQ(fresh(), "sts");
  EXPECT_NE(http_.requests.back().body.find("WebIdentity"), std::string::npos);
  machine_.files[kConfig] = "[default]\nrole_arn = arn:a\nsource_profile = default\n";
  EXPECT_EQ(fresh(), "sts");
  EXPECT_EQ(http_.requests.back().body.find("WebIdentity"), std::string::npos);
  machine_.variables["AWS_ACCESS_KEY_ID"] = "environment";
  machine_.variables["AWS_SECRET_ACCESS_KEY"] = "s";
  EXPECT_EQ(fresh(), "environment");
}

TEST_F(DefaultCredentialsTest, WhenThereAreNoneOneSentenceSaysWhereTheyWereLookedFor) {
  const Instant start = scheduler_.now();

  expect_error(
      "no AWS credentials were found (AWS_ACCESS_KEY_ID is not set; AWS_WEB_IDENTITY_TOKEN_FILE is "
      "not set; there is no profile \"default\" in /home-of-test/.aws/config or "
      "/home-of-test/.aws/credentials; AWS_CONTAINER_CREDENTIALS_FULL_URI is not set; no answer "
      "from instance metadata at 169.254.169.254): set AWS_ACCESS_KEY_ID and "
      "AWS_SECRET_ACCESS_KEY, choose a profile with AWS_PROFILE, or give this instance, container "
      "or service account a role");
  EXPECT_LT(scheduler_.now() - start, 1s);
}

// Outside of AWS, packets to the metadata address vanish.
TEST_F(DefaultCredentialsTest, AMachineThatIsNotAnInstanceHearsQuickly) {
  answer_instance();
  http_.delay = test::ScriptedHttp::kNoAnswer;
  const Instant start = scheduler_.now();

  EXPECT_FALSE(get().has_value());
  EXPECT_LE(scheduler_.now() - start, 2200ms);

  machine_.variables["AWS_EC2_METADATA_DISABLED"] = "True";
  const std::size_t requests = http_.requests.size();
  scheduler_.run_for(1min);
  EXPECT_NE(id().find("turned off by AWS_EC2_METADATA_DISABLED"), std::string::npos);
  EXPECT_EQ(http_.requests.size(), requests);
}

TEST_F(DefaultCredentialsTest, OnceFoundTheSourceIsKept) {
  answer_instance();
  EXPECT_EQ(id(), "instance");
  machine_.files[kKeys] = "[default]\naws_access_key_id=profile\naws_secret_access_key=s\n";
  answers_.clear();
  scheduler_.run_for(6h);

  EXPECT_EQ(id(),
            "error: the AWS credentials in use cannot be renewed: no answer from instance metadata "
            "at 169.254.169.254");
}

TEST_F(DefaultCredentialsTest, HalfOfTheEnvironmentIsAnError) {
  machine_.variables["AWS_ACCESS_KEY_ID"] = "AKIA";

  expect_error(
      "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY belong together, but only one of them is set: "
      "set both, or neither");
}

TEST_F(DefaultCredentialsTest, LineEndsInVariablesDoNotGetIntoKeys) {
  machine_.variables["AWS_ACCESS_KEY_ID"] = " AKIA\n";
  machine_.variables["AWS_SECRET_ACCESS_KEY"] = "secret\r\n";
  machine_.variables["AWS_SESSION_TOKEN"] = "session\n";

  const Credentials found = get().value();

  EXPECT_EQ(found.access_key_id, "AKIA");
  EXPECT_EQ(found.secret_access_key, "secret");
  EXPECT_EQ(found.session_token, "session");
}

TEST_F(DefaultCredentialsTest, AnInstanceIsAskedWithATokenForItsRole) {
  answer_instance();

  const Credentials found = get().value();

  EXPECT_EQ(found.access_key_id, "instance");
  EXPECT_EQ(found.secret_access_key, "json-secret");
  EXPECT_EQ(found.session_token, "json-token");
  EXPECT_EQ(found.expires_at, kStart + 6h);
  EXPECT_EQ(found.source, "instance metadata at 169.254.169.254");
  ASSERT_EQ(http_.requests.size(), 3u);
  EXPECT_EQ(test::header_of(http_.requests[0], "X-aws-ec2-metadata-token-ttl-seconds"), "21600");
  EXPECT_EQ(test::header_of(http_.requests[1], "X-aws-ec2-metadata-token"), "metadata-token");
  EXPECT_EQ(test::header_of(http_.requests[2], "X-aws-ec2-metadata-token"), "metadata-token");
  EXPECT_EQ(http_.requests[2].url,
            "http://169.254.169.254/latest/meta-data/iam/security-credentials/my-role");
}

TEST_F(DefaultCredentialsTest, InstanceMetadataCanBeElsewhere) {
  machine_.variables["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = "http://localhost:1338/";
  EXPECT_FALSE(get().has_value());
  EXPECT_EQ(http_.requests.at(0).url, "http://localhost:1338/latest/api/token");

  http_.requests.clear();
  machine_.variables.erase("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  machine_.variables["AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"] = "IPv6";
  scheduler_.run_for(1min);
  EXPECT_FALSE(get().has_value());
  EXPECT_EQ(http_.requests.at(0).url, "http://[fd00:ec2::254]/latest/api/token");
}

TEST_F(DefaultCredentialsTest, ARoleThatTheInstanceMayNotTakeIsRefused) {
  answer("GET http://169.254.169.254/latest/meta-data/iam/security-credentials/my", 200,
         R"({"Code":"AssumeRoleUnauthorizedAccess","Message":"EC2 cannot assume the role"})");
  answer_instance();

  expect_error(
      "instance metadata at 169.254.169.254 gives no credentials: AssumeRoleUnauthorizedAccess; "
      "check the role and its trust policy");
}

TEST_F(DefaultCredentialsTest, AWebIdentityTokenIsSentUnsignedToTheRegionsSts) {
  answer("POST https://sts.eu-west-1.amazonaws.com/", 200, sts_answer("web"));
  machine_.variables["AWS_REGION"] = "eu-west-1";
  machine_.variables["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/token";
  machine_.variables["AWS_ROLE_ARN"] = "arn:aws:iam::1:role/web";
  machine_.variables["AWS_ROLE_SESSION_NAME"] = "my pod";
  machine_.files["/token"] = "jwt+token\n";

  const Credentials found = get().value();

  EXPECT_EQ(found.access_key_id, "web");
  EXPECT_EQ(found.session_token, "role-session+/=");
  EXPECT_EQ(found.expires_at, kStart + 1h);
  EXPECT_EQ(found.source, "the role arn:aws:iam::1:role/web by web identity");
  const HttpRequest& request = http_.requests.at(0);
  EXPECT_EQ(request.body,
            "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3A"
            "role%2Fweb&RoleSessionName=my%20pod&WebIdentityToken=jwt%2Btoken");
  EXPECT_EQ(test::header_of(request, "Authorization"), "(none)");
}

TEST_F(DefaultCredentialsTest, ATokenThatStsRefusesIsNotRepeatedInTheError) {
  answer("POST https://sts.amazonaws.com/", 400,
         "<ErrorResponse><Error><Type>Sender</Type><Code>InvalidIdentityToken</Code><Message>bad "
         "token jwt-secret</Message></Error></ErrorResponse>");
  machine_.variables["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/token";
  machine_.variables["AWS_ROLE_ARN"] = "arn:aws:iam::1:role/web";
  machine_.files["/token"] = "jwt-secret";

  expect_error(
      "the role arn:aws:iam::1:role/web could not be taken: sts.amazonaws.com answered with HTTP "
      "status 400: InvalidIdentityToken; check the role's trust policy and who asks for it");
}

TEST_F(DefaultCredentialsTest, AWebIdentityNeedsBothVariablesAndTheFile) {
  machine_.variables["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/token";
  expect_error(
      "AWS_WEB_IDENTITY_TOKEN_FILE is set, but AWS_ROLE_ARN is not: set it to the role that the "
      "token is for");
  scheduler_.run_for(1min);
  machine_.variables["AWS_ROLE_ARN"] = "arn:aws:iam::1:role/web";
  expect_error("the web identity token: there is no file /token");
  scheduler_.run_for(1min);
  machine_.files["/token"] = "\n";
  expect_error("the web identity token file /token is empty");
}

TEST_F(DefaultCredentialsTest, StsIsAskedAgainWhenItIsAwayForAMoment) {
  machine_.variables["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/token";
  machine_.variables["AWS_ROLE_ARN"] = "arn:aws:iam::1:role/web";
  machine_.files["/token"] = "jwt";
  http_.handler = [this](const HttpRequest&) -> Result<HttpResponse> {
    if (http_.requests.size() == 1) return failure(Errc::connection_lost, "lost");
    if (http_.requests.size() == 2) return test::response(503, "");
    return test::response(200, sts_answer("web"));
  };

  EXPECT_EQ(id(), "web");
  EXPECT_EQ(http_.requests.size(), 3u);
}

TEST_F(DefaultCredentialsTest, AContainerIsToldWhoAsks) {
  answer("GET http://169.254.170.23/v1/credentials", 200, json_answer("pod"));
  machine_.variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://169.254.170.23/v1/credentials";
  machine_.variables["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "not this one";
  machine_.variables["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = "/pod/token";
  machine_.files["/pod/token"] = "pod-token\n";

  EXPECT_EQ(id(), "pod");
  EXPECT_EQ(test::header_of(http_.requests.at(0), "Authorization"), "pod-token");
}

TEST_F(DefaultCredentialsTest, AContainersTokenCannotSmuggleInAHeader) {
  machine_.variables["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "/x";
  machine_.variables["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "one\r\nX-Other: two";

  expect_error("the container's authorization token has more than one line");
}

TEST_F(DefaultCredentialsTest, CredentialsDoNotTravelUnprotectedToOthers) {
  for (const char* url :
       {"http://example.com/x", "http://127.example.com/", "http://10.0.0.1/", "ftp://localhost/",
        "http://169.254.170.2.example.com/", "http://localhost@example.com/", "nonsense"}) {
    machine_.variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = url;
    const Result<Credentials> found = get();
    ASSERT_FALSE(found.has_value()) << url;
    EXPECT_EQ(found.error().code(), Errc::refused) << url;
    EXPECT_NE(found.error().text().find("unprotected"), std::string::npos) << found.error().text();
    scheduler_.run_for(2min);
  }
  EXPECT_TRUE(http_.requests.empty());
  for (const char* url : {"https://example.com/x", "http://127.0.0.2:80/x", "http://[::1]:80/x",
                          "http://localhost/x", "http://[fd00:ec2::23]/v1"}) {
    machine_.variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = url;
    http_.requests.clear();
    EXPECT_FALSE(get().has_value());
    EXPECT_EQ(http_.requests.at(0).url, url);
    scheduler_.run_for(2min);
  }
}

TEST_F(DefaultCredentialsTest, AProfilesRoleIsTakenWithItsSourcesKeys) {
  answer("POST https://sts.eu-central-1.amazonaws.com/", 200, sts_answer("role"));
  machine_.variables["AWS_PROFILE"] = "app";
  machine_.files[kConfig] =
      "[profile app]\nrole_arn = arn:aws:iam::1:role/app\nsource_profile = base\n"
      "role_session_name = me\nexternal_id = x/y\nduration_seconds = 900\nregion = eu-central-1\n";
  machine_.files[kKeys] = "[base]\naws_access_key_id = AKIABASE\naws_secret_access_key = s\n";

  const Credentials found = get().value();

  EXPECT_EQ(found.access_key_id, "role");
  EXPECT_EQ(found.source, "the role arn:aws:iam::1:role/app of the profile \"app\"");
  const HttpRequest& request = http_.requests.at(0);
  EXPECT_EQ(request.body,
            "Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fapp&"
            "RoleSessionName=me&ExternalId=x%2Fy&DurationSeconds=900");
  const std::string signature = test::header_of(request, "Authorization");
  EXPECT_TRUE(
      signature.starts_with("AWS4-HMAC-SHA256 Credential=AKIABASE/20260101/eu-central-1/"
                            "sts/aws4_request"))
      << signature;
}

TEST_F(DefaultCredentialsTest, RolesCanLeadToRoles) {
  http_.handler = [this](const HttpRequest&) -> Result<HttpResponse> {
    return test::response(200, sts_answer("role" + std::to_string(http_.requests.size())));
  };
  machine_.files[kConfig] =
      "[default]\nrole_arn = arn:b\nsource_profile = middle\n[profile middle]\nrole_arn = arn:a\n"
      "source_profile = middle\naws_access_key_id = AKIA\naws_secret_access_key = s\n"
      "[profile outer]\nrole_arn = arn:c\nsource_profile = default\n";
  machine_.variables["AWS_PROFILE"] = "outer";

  // The middle one has keys, which count more than its role when it is a source.
  EXPECT_EQ(id(), "role2");
  ASSERT_EQ(http_.requests.size(), 2u);
  EXPECT_NE(http_.requests[0].body.find("RoleArn=arn%3Ab"), std::string::npos);
  EXPECT_NE(http_.requests[1].body.find("RoleArn=arn%3Ac"), std::string::npos);
  EXPECT_EQ(test::header_of(http_.requests[1], "X-Amz-Security-Token"), "role-session+/=");
}

TEST_F(DefaultCredentialsTest, AProfilesRoleCanBeTakenByTheInstance) {
  answer_instance();
  answer("POST https://sts.amazonaws.com/", 200, sts_answer("role"));
  machine_.files[kConfig] =
      "[default]\nrole_arn = arn:a\ncredential_source = Ec2InstanceMetadata\n";

  EXPECT_EQ(id(), "role");
  EXPECT_EQ(test::header_of(http_.requests.back(), "X-Amz-Security-Token"), "json-token");
}

TEST_F(DefaultCredentialsTest, AProfilesRoleCanBeTakenByWebIdentity) {
  answer("POST https://sts.amazonaws.com/", 200, sts_answer("role"));
  machine_.files[kConfig] = "[default]\nrole_arn = arn:a\nweb_identity_token_file = /token\n";
  machine_.files["/token"] = "jwt";

  EXPECT_EQ(id(), "role");
  EXPECT_NE(http_.requests.at(0).body.find("WebIdentityToken=jwt"), std::string::npos);
}

TEST_F(DefaultCredentialsTest, ProfilesThatCannotWorkSayWhyAndWhatToDo) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"role_arn = a\n",
       "has role_arn, so it needs source_profile or credential_source, and only one of them"},
      {"role_arn = a\nsource_profile = gone\n",
       "has \"gone\" as its source_profile, which does not exist"},
      {"role_arn = a\nsource_profile = default\n",
       "leads back to itself by source_profile: default, default"},
      {"role_arn = a\ncredential_source = Moon\n",
       "has the credential_source \"Moon\"; it can be Environment, EcsContainer or "
       "Ec2InstanceMetadata"},
      {"role_arn = a\ncredential_source = Environment\n",
       "has a role, but nobody to take it: AWS_ACCESS_KEY_ID is not set"},
      {"role_arn = a\nsource_profile = b\nmfa_serial = m\n",
       "asks for a code of a person's device (mfa_serial), which forebay cannot do: use a role "
       "that "
       "needs none"},
      {"aws_access_key_id = a\n",
       "has only one of aws_access_key_id and aws_secret_access_key in "
       "/home-of-test/.aws/config: it needs both, in one file"},
      {"login_session = x\n",
       "signs in a person (login_session), which forebay cannot do: give it what `aws configure "
       "export-credentials --profile default --format env` prints, or use a role"},
      {"sso_session = x\nsso_account_id = 1\n",
       "has sso_session = x, but there is no [sso-session x] in /home-of-test/.aws/config"},
      {"sso_start_url = x\nsso_account_id = 1\n",
       "is about single sign-on, but lacks sso_role_name and sso_region"},
  };
  for (const auto& [content, text] : cases) {
    machine_.files[kConfig] = "[default]\n" + content;
    expect_error("the AWS profile \"default\" " + text);
    scheduler_.run_for(2min);
  }
  EXPECT_TRUE(http_.requests.empty());
}

TEST_F(DefaultCredentialsTest, AProfileThatWasChosenMustExist) {
  answer_instance();
  machine_.variables["AWS_PROFILE"] = "work";

  expect_error(
      "AWS_PROFILE is \"work\", but there is no such profile in /home-of-test/.aws/config or "
      "/home-of-test/.aws/credentials");
}

TEST_F(DefaultCredentialsTest, AProfileWithoutCredentialsIsPassedOver) {
  answer_instance();
  machine_.files[kConfig] = "[default]\nregion = eu-west-1\n";

  EXPECT_EQ(id(), "instance");
}

TEST_F(DefaultCredentialsTest, ARenewedFileNeedsNoRestart) {
  machine_.files[kKeys] = "[default]\naws_access_key_id=old\naws_secret_access_key=secret\n";
  EXPECT_EQ(id(), "old");
  scheduler_.run_for(1h);
  machine_.files[kKeys] = "[default]\naws_access_key_id=new\naws_secret_access_key=secret\n";
  EXPECT_EQ(id(), "old");

  credentials_->reject("old");

  EXPECT_EQ(id(), "new");
}

// EC2 that cannot make new credentials hands out the old ones, which may still be accepted.
TEST_F(DefaultCredentialsTest, OldCredentialsOfAnInstanceAreUsedAndLookedForAgain) {
  answer_instance();
  scheduler_.run_for(7h);

  const Credentials found = get().value();

  EXPECT_EQ(found.access_key_id, "instance");
  EXPECT_GE(found.expires_at, wall_clock_.now() + 7min);
  EXPECT_LE(found.expires_at, wall_clock_.now() + 15min);
  EXPECT_EQ(log_.count("AWS credentials of the instance are old, and used nevertheless"), 1u);
  http_.requests.clear();
  scheduler_.run_for(11min);
  EXPECT_TRUE(get().has_value());
  scheduler_.settle();
  EXPECT_EQ(http_.requests.size(), 3u);
}

TEST_F(DefaultCredentialsTest, AProgramIsAskedAgainBeforeItsCredentialsEnd) {
  machine_.files[kConfig] = "[default]\ncredential_process = /bin/creds\n";
  machine_.programs.emplace(
      "/bin/creds", ProgramEnd(0,
                               R"({"Version":1,"AccessKeyId":"program","SecretAccessKey":"s",)"
                               R"("Expiration":"2026-01-01T01:00:00Z"})",
                               ""));
  EXPECT_EQ(id(), "program");
  scheduler_.run_for(54min);
  EXPECT_EQ(id(), "program");
  EXPECT_EQ(machine_.runs.size(), 1u);

  scheduler_.run_for(2min);
  EXPECT_EQ(id(), "program");
  scheduler_.settle();
  EXPECT_EQ(machine_.runs.size(), 2u);
}

// Instance metadata where nobody answers takes twenty seconds.
TEST_F(DefaultCredentialsTest, ClosingDoesNotWaitForAnAnswer) {
  http_.delay = test::ScriptedHttp::kNoAnswer;
  std::optional<Result<Credentials>> found;
  start_detached(scheduler_, keep(credentials_->get(in(1min)), found));
  scheduler_.run_for(10ms);
  ASSERT_EQ(http_.in_flight, 1);

  bool is_closed = false;
  start_detached(scheduler_, close_and_note(*credentials_, is_closed));
  scheduler_.settle();

  EXPECT_TRUE(is_closed);
  EXPECT_EQ(found.value().error().code(), Errc::closed);
  scheduler_.run();
  EXPECT_EQ(http_.requests.size(), 1u);
}

}  // namespace
}  // namespace forebay::aws
