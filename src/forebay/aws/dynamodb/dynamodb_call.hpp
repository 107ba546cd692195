// DynamoDbCall: one operation to be asked of DynamoDB. DynamoDbAnswer: what it said.
#pragma once

#include <string>
#include <utility>

#include "forebay/aws/json.hpp"

namespace forebay::aws {

class DynamoDbCall {
 public:
  DynamoDbCall(std::string operation_name, std::string table_name,
               const boost::json::object& request)
      : operation(std::move(operation_name)),
        table(std::move(table_name)),
        body(boost::json::serialize(request)) {}

  std::string operation;  // "UpdateItem"
  std::string table;
  std::string body;
  bool is_write = false;
  // Whether doing it twice is as good as once, so that it may be sent again when nobody knows
  // whether it was done.
  bool is_repeatable = true;
  // Write units that a failed condition or a conflict costs; DynamoDB does not say it then.
  double units_when_refused = 0;
  // An exception that is an answer to this call, no error.
  std::string expected_exception;
};

class DynamoDbAnswer {
 public:
  explicit DynamoDbAnswer(boost::json::object json, std::string exception_name = {})
      : body(std::move(json)), exception(std::move(exception_name)) {}

  boost::json::object body;
  std::string exception;  // empty, or one that the call expects
};

}  // namespace forebay::aws
