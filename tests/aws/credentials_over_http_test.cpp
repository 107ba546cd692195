// The sources that are reached over HTTP, with the real transport and a real server that answers as
// the services do, well and badly.

#include <gtest/gtest.h>

#include "forebay/aws/credentials/default_credentials.hpp"
#include "forebay/aws/region.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"
#include "support/captured_log.hpp"
#include "support/fake_machine.hpp"
#include "support/http_server.hpp"

namespace forebay::aws {
namespace {

using namespace std::chrono_literals;

constexpr const char* kSecret = "s3cr3t-of-the-body";

std::string json_answer() {
  return std::string(R"({"Code" : "Success","LastUpdated":"2026-01-01T00:00:00Z",)") +
         R"("AccessKeyId":"ASIAREAL","SecretAccessKey":")" + kSecret +
         R"(","Token":"session","Expiration":"2099-01-01T00:00:00Z","AccountId":"1"})";
}

HttpResponse plain(int status, const std::string& body) {
  HttpResponse response(status);
  response.body = body;
  return response;
}

std::string header_of(const HttpRequest& request, const std::string& name) {
  for (const HttpHeader& header : request.headers)
    if (header.name == name) return header.value;
  return {};
}

// Answers as instance metadata does when version 1 is turned off.
HttpResponse metadata(const HttpRequest& request) {
  if (request.url == "/latest/api/token") {
    if (request.method != "PUT") return plain(405, "");
    if (header_of(request, "X-aws-ec2-metadata-token-ttl-seconds").empty()) return plain(400, "");
    return plain(200, "AQAEtoken==");
  }
  if (header_of(request, "X-aws-ec2-metadata-token") != "AQAEtoken==") return plain(401, kSecret);
  const std::string folder = "/latest/meta-data/iam/security-credentials/";
  if (request.url == folder) return plain(200, "web-role");
  if (request.url == folder + "web-role") return plain(200, json_answer());
  if (request.url == "/latest/meta-data/placement/region") return plain(200, "ap-south-1");
  return plain(404, "<html>404 - Not Found</html>");
}

class CredentialsOverHttpTest : public testing::Test {
 protected:
  CredentialsOverHttpTest() {
    machine_.variables["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = "http://127.0.0.1:1";
  }

  static Task<Result<Credentials>> get_once(Runtime& runtime, Machine& machine) {
    const std::unique_ptr<CredentialsProvider> provider =
        default_credentials(runtime.env(), runtime.http(), machine);
    const Instant deadline = runtime.scheduler().now() + 20s;
    Result<Credentials> result = co_await provider->get(deadline);
    co_await provider->close();
    co_return result;
  }
  Result<Credentials> get() {
    return run_blocking(runtime_.scheduler(), get_once(runtime_, machine_));
  }
  void expect_failure(Errc code, const std::string& part) {
    const Result<Credentials> result = get();
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code(), code) << result.error().text();
    EXPECT_NE(result.error().text().find(part), std::string::npos) << result.error().text();
    EXPECT_EQ(result.error().text().find(kSecret), std::string::npos) << result.error().text();
  }
  void use_instance(const test::HttpServer& server) {
    machine_.variables["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = server.url();
  }
  void use_container(const test::HttpServer& server) {
    machine_.variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = server.url("/v1/credentials");
    machine_.variables["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "Bearer abc";
  }

  const test::CapturedLog log_;
  Runtime runtime_;
  test::FakeMachine machine_;
};

TEST_F(CredentialsOverHttpTest, AnInstanceGivesItsRoleAndItsRegion) {
  const test::HttpServer server(&metadata);
  use_instance(server);

  const Credentials found = get().value();
  const AwsEnv env{runtime_.env(), runtime_.http(), machine_};
  const Result<std::string> region = run_blocking(
      runtime_.scheduler(), find_region(env, RegionHints(), runtime_.scheduler().now() + 10s));

  EXPECT_EQ(found.access_key_id, "ASIAREAL");
  EXPECT_EQ(found.secret_access_key, kSecret);
  EXPECT_EQ(region.value(), "ap-south-1");
  EXPECT_EQ(server.requests().size(), 5u);
  EXPECT_EQ(server.connections(), 1u);
}

TEST_F(CredentialsOverHttpTest, AnInstanceWithoutRoleIsNotAnError) {
  const test::HttpServer server([](const HttpRequest& request) {
    return request.method == "PUT" ? plain(200, "token") : plain(404, kSecret);
  });
  use_instance(server);

  expect_failure(Errc::refused, "no AWS credentials were found");
}

TEST_F(CredentialsOverHttpTest, InstanceMetadataThatIsTurnedOffIsNotAnError) {
  const test::HttpServer server([](const HttpRequest&) { return plain(403, kSecret); });
  use_instance(server);

  expect_failure(Errc::refused, "gives no token (HTTP status 403)");
}

TEST_F(CredentialsOverHttpTest, AnInstanceThatRefusesItsOwnTokenIsAnError) {
  const test::HttpServer server([](const HttpRequest& request) {
    return request.method == "PUT" ? plain(200, "other") : metadata(request);
  });
  use_instance(server);

  expect_failure(Errc::refused, "answered with HTTP status 401");
}

TEST_F(CredentialsOverHttpTest, AContainerGivesCredentialsToHoldersOfItsToken) {
  const test::HttpServer server([](const HttpRequest& request) {
    if (header_of(request, "Authorization") != "Bearer abc") return plain(401, kSecret);
    return plain(200, json_answer());
  });
  use_container(server);
  EXPECT_EQ(get().value().access_key_id, "ASIAREAL");

  machine_.variables["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "wrong";
  expect_failure(Errc::refused, "HTTP status 401");
}

TEST_F(CredentialsOverHttpTest, WhatIsNoAnswerIsToldWithoutItsContent) {
  const std::string secret = kSecret;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {secret, "what is not JSON"},
      {"[\"" + secret + "\"]", "what is not JSON"},
      {R"({"SecretAccessKey":")" + secret + "\"}", "without AccessKeyId"},
      {R"({"AccessKeyId":"a","SecretAccessKey":")" + secret + R"(","Expiration":")" + secret +
           "\"}",
       "an Expiration that is no time"},
      {R"({"AccessKeyId":7,"SecretAccessKey":")" + secret + "\"}", "without AccessKeyId"},
  };
  for (const auto& [body, part] : cases) {
    const test::HttpServer server([&body](const HttpRequest&) { return plain(200, body); });
    use_container(server);
    expect_failure(Errc::connect_failed, part);
  }
}

TEST_F(CredentialsOverHttpTest, AContainerEndpointThatIsAwayIsAskedThreeTimes) {
  const test::HttpServer server([](const HttpRequest&) { return plain(500, kSecret); });
  use_container(server);

  expect_failure(Errc::connect_failed, "HTTP status 500");
  EXPECT_EQ(server.requests().size(), 3u);
}

TEST_F(CredentialsOverHttpTest, AContainersCodeIsToldAndItsMessageIsNot) {
  const test::HttpServer server([](const HttpRequest&) {
    return plain(400, R"({"code":"InvalidTokenException","message":"s3cr3t-of-the-body"})");
  });
  use_container(server);

  expect_failure(Errc::refused, "HTTP status 400, InvalidTokenException");
}

TEST_F(CredentialsOverHttpTest, StsGivesTheRoleOfAWebIdentity) {
  const test::HttpServer server([](const HttpRequest& request) {
    if (request.body.find("WebIdentityToken=jwt") == std::string::npos)
      return plain(
          403,
          "<ErrorResponse xmlns=\"sts\"><Error><Type>Sender</Type><Code>AccessDenied</Code>"
          "<Message>Not authorized to perform sts:AssumeRoleWithWebIdentity</Message>"
          "</Error><RequestId>1</RequestId></ErrorResponse>");
    return plain(200,
                 "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>"
                 "<AccessKeyId>ASIAWEB</AccessKeyId><SecretAccessKey>s</SecretAccessKey>"
                 "<SessionToken>t</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration>"
                 "</Credentials></AssumeRoleWithWebIdentityResult>"
                 "</AssumeRoleWithWebIdentityResponse>");
  });
  machine_.variables["AWS_ENDPOINT_URL_STS"] = server.url();
  machine_.variables["AWS_ROLE_ARN"] = "arn:aws:iam::1:role/web";
  machine_.variables["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/token";
  machine_.files["/token"] = "jwt";
  EXPECT_EQ(get().value().access_key_id, "ASIAWEB");

  machine_.files["/token"] = "other";
  expect_failure(Errc::refused,
                 "AccessDenied (Not authorized to perform sts:AssumeRoleWithWebIdentity)");
}

}  // namespace
}  // namespace forebay::aws
