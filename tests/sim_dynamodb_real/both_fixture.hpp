// BothTest: asks DynamoDB Local and the stand-in's DynamoDB the same, over HTTP, and compares
// statuses, errors, reasons of cancelled transactions and items.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/dynamodb_local.hpp"
#include "support/dynamodb_requests.hpp"
#include "support/standin_dynamodb.hpp"

namespace forebay::test {

// Keys of objects in order, and items in the order of their keys: what is the same looks the same.
inline std::string canonical(const boost::json::value& value) {
  if (value.is_object()) {
    std::vector<std::string> members;
    for (const auto& [name, member] : value.get_object())
      members.push_back(std::string(name) + ":" + canonical(member));
    std::ranges::sort(members);
    return fmt::format("{{{}}}", fmt::join(members, ","));
  }
  if (value.is_array()) {
    std::vector<std::string> members;
    for (const boost::json::value& member : value.get_array()) members.push_back(canonical(member));
    std::ranges::sort(members);
    return fmt::format("[{}]", fmt::join(members, ","));
  }
  return value.is_number() ? fmt::format("{}", value.to_number<double>())
                           : boost::json::serialize(value);
}

inline std::string told(const DynamoAnswer& answer) {
  std::string text = fmt::format("{} {} [{}]", answer.status, answer.error(), answer.codes());
  for (const char* name :
       {"Item", "Attributes", "Items", "Count", "ScannedCount", "LastEvaluatedKey", "Responses",
        "UnprocessedKeys", "UnprocessedItems", "TimeToLiveSpecification"}) {
    if (const boost::json::value* value = answer.body.if_contains(name))
      text += fmt::format(" {} {}", name, canonical(*value));
  }
  if (const boost::json::value* reasons = answer.body.if_contains("CancellationReasons")) {
    for (const boost::json::value& reason : reasons->as_array()) {
      const boost::json::value* item = reason.as_object().if_contains("Item");
      text += item == nullptr ? " -" : " " + canonical(*item);
    }
  }
  return text;
}

class BothTest : public testing::Test {
 protected:
  BothTest() {
    const Result<void> made = ours_.run(ours_.client.create_table(real_.table, ours_.soon()));
    FOREBAY_CHECK(made.has_value(), made.error().text());
  }

  static DynamoAnswer ask(DynamoClientWorld& world, const std::string& operation,
                          const std::string& body) {
    HttpRequest request("POST", world.server.url());
    request.headers.emplace_back("Content-Type", "application/x-amz-json-1.0");
    request.headers.emplace_back("X-Amz-Target", "DynamoDB_20120810." + operation);
    request.body = body;
    aws::SigningScope scope;
    scope.region = "eu-west-1";
    scope.service = "dynamodb";
    const WallTime now = world.runtime.env().wall_clock.now();
    aws::sign_headers(request, aws::Credentials("local", "secret"), scope, now);
    const Instant deadline = world.soon();
    const Result<HttpResponse> response =
        world.run(world.runtime.http().send(std::move(request), deadline));
    EXPECT_TRUE(response.has_value()) << response.error().text();
    return DynamoAnswer(response ? *response : HttpResponse(0));
  }
  DynamoAnswer ask_real(const std::string& operation, const std::string& body) {
    return ask(real_, operation, body);
  }
  DynamoAnswer ask_simulated(const std::string& operation, const std::string& body) {
    return ask(ours_, operation, body);
  }
  // False: they differ, and the test has failed.
  bool expect_same(const std::string& operation, const std::string& body) {
    const std::string real = told(ask_real(operation, body));
    const std::string simulated = told(ask_simulated(operation, body));
    EXPECT_EQ(simulated, real) << operation << " " << body;
    ++asked_;
    return simulated == real;
  }
  std::string table() const { return fmt::format(R"("TableName":"{}")", real_.table); }
  static std::string key(const std::string& name) {
    return fmt::format(R"("Key":{{"pk":{{"S":"{}"}}}})", name);
  }

  DynamoDbLocalWorld real_;
  StandinDynamoDb standin_;
  DynamoClientWorld ours_{standin_};
  int asked_ = 0;
};

}  // namespace forebay::test
