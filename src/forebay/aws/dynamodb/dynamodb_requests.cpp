#include "forebay/aws/dynamodb/dynamodb_requests.hpp"

#include "forebay/aws/dynamodb/dynamodb_json.hpp"
#include "forebay/detail/base/check.hpp"

namespace forebay::aws {
namespace {

using boost::json::array;
using boost::json::object;

constexpr std::size_t kMostItems = 100;  // of one transaction, or of one batch

object key_json(const std::string& key) {
  Item item;
  item.emplace(kKeyName, AttributeValue::text(key));
  return item_json(item);
}

std::string operation_of(Write::Kind kind) {
  switch (kind) {
    case Write::Kind::put: return "Put";
    case Write::Kind::update: return "Update";
    case Write::Kind::remove: return "Delete";
    case Write::Kind::check: return "ConditionCheck";
  }
  std::unreachable();
}

// What a write says alone and in a transaction alike. DynamoDB refuses empty maps.
object write_json(const Write& write) {
  object json;
  json.emplace("TableName", write.table);
  if (write.kind == Write::Kind::put) {
    Item item = write.item;
    item.insert_or_assign(kKeyName, AttributeValue::text(write.key));
    json.emplace("Item", item_json(item));
  } else {
    json.emplace("Key", key_json(write.key));
  }
  if (!write.update.empty()) json.emplace("UpdateExpression", write.update);
  if (!write.condition.empty()) {
    json.emplace("ConditionExpression", write.condition);
    json.emplace("ReturnValuesOnConditionCheckFailure", "ALL_OLD");
  }
  if (!write.values.empty()) json.emplace("ExpressionAttributeValues", item_json(write.values));
  object names;
  for (const auto& [placeholder, name] : write.names) names.emplace(placeholder, name);
  if (!names.empty()) json.emplace("ExpressionAttributeNames", std::move(names));
  return json;
}

void ask_for_units(object& json) { json.emplace("ReturnConsumedCapacity", "TOTAL"); }

object table_json(const std::string& table) {
  object json;
  json.emplace("TableName", table);
  return json;
}

}  // namespace

DynamoDbCall get_call(const std::string& table, const std::string& key) {
  object json = table_json(table);
  json.emplace("Key", key_json(key));
  json.emplace("ConsistentRead", true);
  ask_for_units(json);
  return {"GetItem", table, json};
}

DynamoDbCall get_all_call(const std::string& table, const std::vector<std::string>& keys) {
  FOREBAY_CHECK(keys.size() <= kMostItems, "a batch reads at most 100 items");
  array wanted;
  for (const std::string& key : keys) wanted.emplace_back(key_json(key));
  object from_table;
  from_table.emplace("Keys", std::move(wanted));
  from_table.emplace("ConsistentRead", true);
  object items;
  items.emplace(table, std::move(from_table));
  return rest_call(table, items);
}

DynamoDbCall rest_call(const std::string& table, const object& unprocessed) {
  object json;
  json.emplace("RequestItems", unprocessed);
  ask_for_units(json);
  return {"BatchGetItem", table, json};
}

DynamoDbCall scan_call(const std::string& table, const std::string& key_prefix,
                       const object* start) {
  object json = table_json(table);
  json.emplace("ConsistentRead", true);
  if (!key_prefix.empty()) {
    Item values;
    values.emplace(":prefix", AttributeValue::text(key_prefix));
    json.emplace("FilterExpression", std::string("begins_with(") + kKeyName + ", :prefix)");
    json.emplace("ExpressionAttributeValues", item_json(values));
  }
  if (start != nullptr) json.emplace("ExclusiveStartKey", *start);
  ask_for_units(json);
  return {"Scan", table, json};
}

DynamoDbCall write_call(const Write& write) {
  FOREBAY_CHECK(write.kind != Write::Kind::check, "a check exists only in transactions");
  object json = write_json(write);
  if (write.kind == Write::Kind::update) json.emplace("ReturnValues", "ALL_NEW");
  ask_for_units(json);
  DynamoDbCall call(operation_of(write.kind) + "Item", write.table, json);
  call.is_write = true;
  call.is_repeatable = write.is_repeatable;
  call.units_when_refused = 1;
  call.expected_exception = "ConditionalCheckFailedException";
  return call;
}

DynamoDbCall transact_call(const std::vector<Write>& writes, const std::string& token) {
  FOREBAY_CHECK(!writes.empty() && writes.size() <= kMostItems,
                "a transaction has 1 to 100 writes");
  array actions;
  for (const Write& write : writes) {
    object action;
    action.emplace(operation_of(write.kind), write_json(write));
    actions.emplace_back(std::move(action));
  }
  object json;
  json.emplace("TransactItems", std::move(actions));
  json.emplace("ClientRequestToken", token);
  ask_for_units(json);
  DynamoDbCall call("TransactWriteItems", writes.front().table, json);
  call.is_write = true;  // repeatable, thanks to the token
  call.units_when_refused = 2.0 * static_cast<double>(writes.size());
  call.expected_exception = "TransactionCanceledException";
  return call;
}

DynamoDbCall describe_table_call(const std::string& table) {
  DynamoDbCall call("DescribeTable", table, table_json(table));
  call.expected_exception = "ResourceNotFoundException";
  return call;
}

DynamoDbCall create_table_call(const std::string& table) {
  object json = table_json(table);
  object attribute;
  attribute.emplace("AttributeName", kKeyName);
  attribute.emplace("AttributeType", "S");
  object key;
  key.emplace("AttributeName", kKeyName);
  key.emplace("KeyType", "HASH");
  json.emplace("AttributeDefinitions", array(1, std::move(attribute)));
  json.emplace("KeySchema", array(1, std::move(key)));
  json.emplace("BillingMode", "PAY_PER_REQUEST");
  DynamoDbCall call("CreateTable", table, json);
  call.expected_exception = "ResourceInUseException";  // it is there, or somebody was quicker
  return call;
}

DynamoDbCall describe_ttl_call(const std::string& table) {
  return {"DescribeTimeToLive", table, table_json(table)};
}

DynamoDbCall enable_ttl_call(const std::string& table, const std::string& attribute) {
  object specification;
  specification.emplace("Enabled", true);
  specification.emplace("AttributeName", attribute);
  object json = table_json(table);
  json.emplace("TimeToLiveSpecification", std::move(specification));
  DynamoDbCall call("UpdateTimeToLive", table, json);
  call.expected_exception = "ValidationException";  // among others: it is enabled already
  return call;
}

}  // namespace forebay::aws
