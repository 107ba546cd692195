// What people read when DynamoDB says no: what happened, and what to do. Pure.
//
// What DynamoDB wrote is quoted only where it cannot repeat the request: its words about signatures
// contain the headers, and among them the session token.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "forebay/aws/dynamodb/dynamodb_trouble.hpp"

namespace forebay::aws {

// An exception, as DynamoDB names and explains it.
struct DynamoDbException {
  std::string name;
  std::string message;
  int status = 0;
  std::string date;  // of the answer
};

// "UpdateItem on table "leases" in eu-west-1"
std::string what_was_asked(const DynamoDbCall& call, const DynamoDbPlace& place);

// Why it is refused for good, and with which code.
Error refusal(const DynamoDbCall& call, const DynamoDbPlace& place,
              const DynamoDbException& exception, WallTime now);

bool is_about_old_keys(const DynamoDbException& exception);

}  // namespace forebay::aws
