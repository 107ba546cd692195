// Signed requests to a simulated DynamoDB, and its answers, for tests.
#pragma once

#include <string>
#include <utility>

#include <boost/json.hpp>

#include "forebay/aws/json.hpp"
#include "forebay/sim/dynamodb/service.hpp"

namespace forebay::test {

inline constexpr WallTime kServiceStart{std::chrono::seconds(1'767'225'600)};  // 2026-01-01

inline aws::Credentials test_credentials() {
  return aws::Credentials("AKIDEXAMPLE", "secret-of-the-tests", "session-of-the-tests");
}

inline HttpRequest unsigned_request(const std::string& operation, std::string body) {
  HttpRequest request("POST", "https://dynamodb.eu-west-1.amazonaws.com/");
  request.headers.emplace_back("Content-Type", "application/x-amz-json-1.0");
  request.headers.emplace_back("X-Amz-Target", "DynamoDB_20120810." + operation);
  request.body = std::move(body);
  return request;
}

inline HttpRequest signed_request(const std::string& operation, std::string body, WallTime now,
                                  const aws::Credentials& credentials = test_credentials()) {
  HttpRequest request = unsigned_request(operation, std::move(body));
  aws::SigningScope scope;
  scope.region = "eu-west-1";
  scope.service = "dynamodb";
  aws::sign_headers(request, credentials, scope, now);
  return request;
}

// An answer, taken apart.
class DynamoAnswer {
 public:
  explicit DynamoAnswer(const HttpResponse& response)
      : status(response.status),
        body(aws::parse_object(response.body).value_or(boost::json::object())) {}

  // "ValidationException"; empty if it is no error.
  std::string error() const {
    const std::string type = aws::text_at(body, "__type");
    return type.substr(type.find('#') + 1);
  }
  std::string message() const {
    return aws::text_at(body, body.contains("message") ? "message" : "Message");
  }
  // "None ConditionalCheckFailed"
  std::string codes() const {
    std::string all;
    const boost::json::value* reasons = body.if_contains("CancellationReasons");
    if (reasons == nullptr) return all;
    for (const boost::json::value& reason : reasons->as_array())
      all += (all.empty() ? "" : " ") + aws::text_at(reason.as_object(), "Code");
    return all;
  }
  std::string text(const char* name) const {
    const boost::json::value* value = body.if_contains(name);
    return value == nullptr ? std::string() : std::string(boost::json::serialize(*value));
  }

  int status;
  boost::json::object body;
};

// A service with one table, "leases".
class DynamoWorld {
 public:
  DynamoWorld() { create_table("leases"); }

  DynamoAnswer ask(const std::string& operation, std::string body) {
    return DynamoAnswer(service.answer(signed_request(operation, std::move(body), now), now));
  }
  DynamoAnswer create_table(const std::string& name) {
    return ask("CreateTable",
               R"({"TableName":")" + name +
                   R"(","BillingMode":"PAY_PER_REQUEST",)"
                   R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
                   R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]})");
  }

  WallTime now = kServiceStart;
  sim::dynamodb::Tables tables;
  sim::dynamodb::Service service{tables, test_credentials(), "eu-west-1"};
};

}  // namespace forebay::test
