// The DynamoDB table of leases and rate: how it is made.
#pragma once

#include <string>

#include "forebay/aws/dynamodb/dynamodb.hpp"

namespace forebay {

// Items whose time is over are deleted by DynamoDB, some day.
inline constexpr const char* kTtlAttribute = "ttl_epoch";

struct TableSetup {
  bool was_there = false;
  bool had_ttl = false;
  std::string billing_mode;  // as DynamoDB calls it
};

// Makes the table if there is none, waits until it can be used, and switches TTL on if it is off.
// Errc::invalid: there is a table of that name that cannot serve. Each request has the timeout; a
// table takes longer to appear, and has until the deadline.
Task<Result<TableSetup>> set_up_table(Env env, aws::DynamoDb& client, std::string table,
                                      Duration timeout, Instant deadline);

}  // namespace forebay
