// What DynamoDB is asked, pure. The same request is the same bytes every time.
#pragma once

#include <string>
#include <vector>

#include "forebay/aws/dynamodb/dynamodb.hpp"
#include "forebay/aws/dynamodb/dynamodb_call.hpp"

namespace forebay::aws {

inline constexpr char kKeyName[] = "pk";

DynamoDbCall get_call(const std::string& table, const std::string& key);
// REQUIRES: at most 100 keys.
DynamoDbCall get_all_call(const std::string& table, const std::vector<std::string>& keys);
// What an answer to get_all_call left undone.
DynamoDbCall rest_call(const std::string& table, const boost::json::object& unprocessed);
// start: the last key of the page before; none for the first page.
DynamoDbCall scan_call(const std::string& table, const std::string& key_prefix,
                       const boost::json::object* start);
// REQUIRES: not a check, which exists only in transactions.
DynamoDbCall write_call(const Write& write);
// REQUIRES: 1 to 100 writes.
DynamoDbCall transact_call(const std::vector<Write>& writes, const std::string& token);

DynamoDbCall describe_table_call(const std::string& table);
DynamoDbCall create_table_call(const std::string& table);
DynamoDbCall describe_ttl_call(const std::string& table);
DynamoDbCall enable_ttl_call(const std::string& table, const std::string& attribute);

}  // namespace forebay::aws
