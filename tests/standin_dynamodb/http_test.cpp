// What the stand-in's DynamoDB says to requests that its client would never send, and what every
// answer bears.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/aws/dynamodb/crc32.hpp"
#include "forebay/aws/http_date.hpp"
#include "support/dynamodb_requests.hpp"
#include "support/loopback.hpp"
#include "support/standin_dynamodb.hpp"

namespace forebay::standin {
namespace {

using namespace std::chrono_literals;
using test::DynamoAnswer;
using testing::HasSubstr;

const aws::Credentials kAnyKeys("AKIDANYBODY", "whatever");

class DynamoHttpTest : public testing::Test {
 protected:
  Result<HttpResponse> send(HttpRequest request) {
    request.url = server_.url() + "/";
    const Instant deadline = runtime_.scheduler().now() + 30s;
    return run_blocking(runtime_.scheduler(), runtime_.http().send(std::move(request), deadline));
  }
  HttpResponse answer(HttpRequest request) {
    Result<HttpResponse> response = send(std::move(request));
    EXPECT_TRUE(response.has_value()) << response.error().text();
    return response.value_or(HttpResponse(0));
  }
  DynamoAnswer ask(HttpRequest request) { return DynamoAnswer(answer(std::move(request))); }
  HttpRequest signed_by_anybody(const std::string& operation, const std::string& body) {
    return test::signed_request(operation, body, runtime_.env().wall_clock.now(), kAnyKeys);
  }

  test::StandinDynamoDb server_;
  Runtime runtime_;
};

TEST_F(DynamoHttpTest, WhoDoesNotSignIsRefused) {
  EXPECT_EQ(ask(test::unsigned_request("ListTables", "{}")).error(),
            "MissingAuthenticationTokenException");
  for (const char* broken : {"Basic bWU6aHVudGVyMg==", "AWS4-HMAC-SHA256 Credential=a/b",
                             "AWS4-HMAC-SHA256 Signature=1, SignedHeaders=host"}) {
    HttpRequest request = test::unsigned_request("ListTables", "{}");
    request.headers.emplace_back("Authorization", broken);
    request.headers.emplace_back("X-Amz-Date", "20260101T000000Z");
    EXPECT_EQ(ask(request).error(), "IncompleteSignatureException") << broken;
  }
}

TEST_F(DynamoHttpTest, WhoeverSignsIsAnsweredAndSeesTheSameTables) {
  const std::string create =
      R"({"TableName":"leases","BillingMode":"PAY_PER_REQUEST",)"
      R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
      R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]})";
  EXPECT_EQ(ask(signed_by_anybody("CreateTable", create)).status, 200);
  const DynamoAnswer seen = ask(test::signed_request("ListTables", "{}", test::kServiceStart));
  EXPECT_EQ(seen.text("TableNames"), R"(["leases"])");
}

TEST_F(DynamoHttpTest, WhatIsNoRequestIsRefusedAsDynamoDbDoes) {
  EXPECT_EQ(ask(signed_by_anybody("DropEverything", "{}")).error(), "UnknownOperationException");
  EXPECT_EQ(ask(signed_by_anybody("ListTables", "{")).error(), "SerializationException");
  EXPECT_EQ(ask(signed_by_anybody("ListTables", "[]")).error(), "SerializationException");
  EXPECT_EQ(ask(signed_by_anybody("ListTables", std::string(100'000, '['))).error(),
            "SerializationException");
  EXPECT_EQ(ask(signed_by_anybody("ListTables", R"({"Limit":"x"})")).error(),
            "SerializationException");
  EXPECT_EQ(ask(signed_by_anybody("ListTables", R"({"Limit":101})")).error(),
            "ValidationException");
  EXPECT_EQ(ask(signed_by_anybody("GetItem", "{}")).error(), "ValidationException");
  HttpRequest form = signed_by_anybody("ListTables", "{}");
  form.headers.front().value = "application/x-www-form-urlencoded";
  EXPECT_EQ(ask(form).error(), "UnknownOperationException");
  HttpRequest put("PUT", "");
  put.body = "{}";
  EXPECT_EQ(ask(put).error(), "UnknownOperationException");
}

TEST_F(DynamoHttpTest, AnAnswerBearsItsTimeItsSumAndANameOfItsOwn) {
  std::set<std::string> names;
  for (int i = 0; i < 3; ++i) {
    const HttpResponse response = answer(signed_by_anybody("ListTables", "{}"));
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.header("content-type"), "application/x-amz-json-1.0");
    EXPECT_EQ(response.header("x-amz-crc32"), std::to_string(aws::crc32(response.body)));
    names.emplace(response.header("x-amzn-requestid"));
    const std::optional<WallTime> date = aws::http_date(response.header("date"));
    ASSERT_TRUE(date.has_value()) << response.header("date");
    const Duration age = runtime_.env().wall_clock.now() - *date;
    EXPECT_TRUE(age >= 0s && age < 30s) << response.header("date");
  }
  EXPECT_EQ(names.size(), 3u);
}

TEST_F(DynamoHttpTest, ALargeRequestIsReadAndOneThatIsTooLargeIsToldSo) {
  const std::string large(15 * 1024 * 1024, 'x');
  EXPECT_EQ(ask(signed_by_anybody("ListTables", large)).error(), "SerializationException");
  const DynamoAnswer refused = ask(signed_by_anybody("ListTables", large + large));
  EXPECT_EQ(refused.status, 413);
  EXPECT_EQ(refused.error(), "RequestEntityTooLargeException");
}

TEST_F(DynamoHttpTest, ItSaysThatItIsHealthy) {
  const HttpResponse response = answer(HttpRequest("GET", ""));
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.body, HasSubstr("healthy"));
}

TEST_F(DynamoHttpTest, NonsenseIsHungUpOnAndHarmsNobodyElse) {
  const int socket = test::loopback_socket();
  ASSERT_TRUE(test::connect_on_loopback(socket, static_cast<std::uint16_t>(server_.port())));
  ASSERT_TRUE(test::send_all(socket, "good morning\r\n\r\n"));
  char byte = 0;
  EXPECT_EQ(::recv(socket, &byte, 1, 0), 0);
  ::close(socket);
  EXPECT_EQ(ask(signed_by_anybody("ListTables", "{}")).status, 200);
}

}  // namespace
}  // namespace forebay::standin
