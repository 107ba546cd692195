#include "forebay/sim/dynamodb/operations.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "forebay/sim/dynamodb/item_size.hpp"
#include "forebay/sim/dynamodb/reader.hpp"

namespace forebay::sim::dynamodb {
namespace {

namespace json = boost::json;
using Reply = Answer<json::object>;

constexpr std::size_t kMostKeys = 100;
constexpr std::size_t kLongestToken = 36;

json::object capacity(const std::string& table, double units) {
  return {{"TableName", table}, {"CapacityUnits", units}};
}

bool wants_capacity(Reader& reader) {
  const std::string wanted = reader.text("ReturnConsumedCapacity", "NONE");
  if (wanted != "NONE" && wanted != "TOTAL" && wanted != "INDEXES")
    reader.refuse_invalid("ReturnConsumedCapacity set to invalid value");
  return wanted != "NONE";
}

// ---- one item

json::object attributes_named(const UpdateExpression& update,
                              const std::optional<aws::Item>& item) {
  aws::Item named;
  for (const std::string& attribute : update.attributes()) {
    if (item && item->contains(attribute)) named.emplace(attribute, item->at(attribute));
  }
  return to_json(named);
}

void add_returned(json::object& reply, const std::string& wanted, const WriteAction& action,
                  const Written& written) {
  if (wanted == "ALL_OLD" && written.before) reply["Attributes"] = to_json(*written.before);
  if (wanted == "ALL_NEW" && written.after) reply["Attributes"] = to_json(*written.after);
  if (!action.update) return;
  if (wanted == "UPDATED_OLD")
    reply["Attributes"] = attributes_named(*action.update, written.before);
  if (wanted == "UPDATED_NEW")
    reply["Attributes"] = attributes_named(*action.update, written.after);
}

Reply write_one(WriteAction::Kind kind, Reader& reader, Tables& tables, WallTime now) {
  const WriteAction action = reader.write(kind);
  const bool has_capacity = wants_capacity(reader);
  const std::string returned = reader.text("ReturnValues", "NONE");
  const bool is_update = kind == WriteAction::Kind::update;
  const bool is_known = returned == "NONE" || returned == "ALL_OLD" ||
                        (is_update && (returned == "ALL_NEW" || returned == "UPDATED_OLD" ||
                                       returned == "UPDATED_NEW"));
  if (!is_known) reader.refuse_invalid("Return values set to invalid value");
  if (reader.refusal()) return std::unexpected(*reader.refusal());
  const Answer<Written> written = tables.write(action, now);
  if (!written) return std::unexpected(written.error());
  json::object reply;
  add_returned(reply, returned, action, *written);
  if (has_capacity) reply["ConsumedCapacity"] = capacity(action.table, written->units);
  return reply;
}

Reply put_item(Reader& reader, Tables& tables, WallTime now) {
  reader.allow_only({"TableName", "Item", "ConditionExpression", "ExpressionAttributeNames",
                     "ExpressionAttributeValues", "ReturnValues", "ReturnConsumedCapacity",
                     "ReturnValuesOnConditionCheckFailure"});
  return write_one(WriteAction::Kind::put, reader, tables, now);
}

Reply update_item(Reader& reader, Tables& tables, WallTime now) {
  reader.allow_only({"TableName", "Key", "UpdateExpression", "ConditionExpression",
                     "ExpressionAttributeNames", "ExpressionAttributeValues", "ReturnValues",
                     "ReturnConsumedCapacity", "ReturnValuesOnConditionCheckFailure"});
  return write_one(WriteAction::Kind::update, reader, tables, now);
}

Reply delete_item(Reader& reader, Tables& tables, WallTime now) {
  reader.allow_only({"TableName", "Key", "ConditionExpression", "ExpressionAttributeNames",
                     "ExpressionAttributeValues", "ReturnValues", "ReturnConsumedCapacity",
                     "ReturnValuesOnConditionCheckFailure"});
  return write_one(WriteAction::Kind::remove, reader, tables, now);
}

Reply get_item(Reader& reader, Tables& tables, WallTime now) {
  reader.allow_only({"TableName", "Key", "ConsistentRead", "ReturnConsumedCapacity"});
  const std::string table = reader.table();
  const std::string key = reader.key("Key");
  const bool has_capacity = wants_capacity(reader);
  const double factor = reader.flag("ConsistentRead") ? 1 : 0.5;
  if (reader.refusal()) return std::unexpected(*reader.refusal());
  const Answer<std::optional<aws::Item>> item = tables.get(table, key, now);
  if (!item) return std::unexpected(item.error());
  json::object reply;
  if (*item) reply["Item"] = to_json(**item);
  const double units = factor * read_units(*item ? size_of(**item) : 0);
  if (has_capacity) reply["ConsumedCapacity"] = capacity(table, units);
  return reply;
}

// ---- several items

struct ActionName {
  std::string_view name;
  WriteAction::Kind kind;
};
constexpr auto kActionNames =
    std::to_array<ActionName>({{"Put", WriteAction::Kind::put},
                               {"Update", WriteAction::Kind::update},
                               {"Delete", WriteAction::Kind::remove},
                               {"ConditionCheck", WriteAction::Kind::check}});

WriteAction read_action(const json::value& value, Reader& whole) {
  const auto is_right = [&](const ActionName& action) {
    return value.get_object().begin()->key() ==
           json::string_view(action.name.data(), action.name.size());
  };
  if (!value.is_object() || value.get_object().size() != 1) {
    whole.refuse_invalid("TransactItems can only contain one of Check, Put, Update or Delete");
    return {};
  }
  const auto found = std::ranges::find_if(kActionNames, is_right);
  if (found == kActionNames.end() || !value.get_object().begin()->value().is_object()) {
    whole.refuse_invalid(
        "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request");
    return {};
  }
  Reader reader(value.get_object().begin()->value().get_object());
  reader.allow_only({"TableName", "Key", "Item", "UpdateExpression", "ConditionExpression",
                     "ExpressionAttributeNames", "ExpressionAttributeValues",
                     "ReturnValuesOnConditionCheckFailure"});
  WriteAction action = reader.write(found->kind);
  if (reader.refusal()) whole.refuse(*reader.refusal());
  return action;
}

Reply transact_write_items(Reader& reader, Tables& tables, WallTime now) {
  reader.allow_only({"TransactItems", "ClientRequestToken", "ReturnConsumedCapacity"});
  const json::array& items = reader.list("TransactItems");
  if (items.empty()) {
    reader.refuse_invalid(
        "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1");
  }
  std::vector<WriteAction> actions;
  for (const json::value& item : items) actions.push_back(read_action(item, reader));
  TransactionToken token;
  token.token = reader.text("ClientRequestToken");
  token.fingerprint = json::serialize(items);
  if (token.token.size() > kLongestToken) {
    reader.refuse_invalid(
        "1 validation error detected: Value at 'clientRequestToken' failed to satisfy constraint: "
        "Member must have length less than or equal to 36");
  }
  const bool has_capacity = wants_capacity(reader);
  if (reader.refusal()) return std::unexpected(*reader.refusal());
  const Answer<Transacted> done = tables.transact(actions, token, now);
  if (!done) return std::unexpected(done.error());
  json::object reply;
  if (!has_capacity) return reply;
  json::array capacities;
  for (const auto& [table, units] : done->units) {
    json::object one = capacity(table, units);
    one[done->is_repeated ? "ReadCapacityUnits" : "WriteCapacityUnits"] = units;
    capacities.push_back(std::move(one));
  }
  reply["ConsumedCapacity"] = std::move(capacities);
  return reply;
}

struct BatchPart {
  json::array items;
  double units = 0;
};

BatchPart get_batch(const std::string& table, Reader& reader, Tables& tables, WallTime now) {
  BatchPart part;
  reader.allow_only({"Keys", "ConsistentRead"});
  const double factor = reader.flag("ConsistentRead") ? 1 : 0.5;
  std::set<std::string> keys;
  for (const json::value& key : reader.list("Keys")) {
    const json::object wrapped{{"Key", key}};
    Reader one(wrapped);
    const std::string name = one.key("Key");
    if (one.refusal()) reader.refuse(*one.refusal());
    if (!keys.insert(name).second)
      reader.refuse_invalid("Provided list of item keys contains duplicates");
  }
  if (keys.empty()) {
    reader.refuse_invalid(fmt::format(
        "The list of keys in RequestItems for BatchGetItem is required: {} has empty list", table));
  }
  if (keys.size() > kMostKeys)
    reader.refuse_invalid("Too many items requested for the BatchGetItem call");
  if (reader.refusal()) return part;
  for (const std::string& key : keys) {
    const Answer<std::optional<aws::Item>> item = tables.get(table, key, now);
    reader.pass_on(item);
    if (!item) return part;
    if (*item) part.items.push_back(to_json(**item));
    part.units += factor * read_units(*item ? size_of(**item) : 0);
  }
  return part;
}

Reply batch_get_item(Reader& reader, Tables& tables, WallTime now) {
  reader.allow_only({"RequestItems", "ReturnConsumedCapacity"});
  const json::object& requests = reader.object("RequestItems");
  if (requests.empty()) reader.refuse_invalid("BatchGetItem must have some requests set");
  const bool has_capacity = wants_capacity(reader);
  json::object responses;
  json::array capacities;
  for (const auto& [name, request] : requests) {
    if (!request.is_object()) reader.refuse(Refusal("SerializationException", "Unexpected type"));
    if (reader.refusal()) break;
    const std::string table(name.data(), name.size());
    Reader one(request.get_object());
    BatchPart part = get_batch(table, one, tables, now);
    if (one.refusal()) reader.refuse(*one.refusal());
    responses[name] = std::move(part.items);
    capacities.push_back(capacity(table, part.units));
  }
  if (reader.refusal()) return std::unexpected(*reader.refusal());
  json::object reply{{"Responses", std::move(responses)}, {"UnprocessedKeys", json::object()}};
  if (has_capacity) reply["ConsumedCapacity"] = std::move(capacities);
  return reply;
}

Reply scan(Reader& reader, Tables& tables, WallTime now) {
  reader.allow_only({"TableName", "FilterExpression", "ExpressionAttributeNames",
                     "ExpressionAttributeValues", "ConsistentRead", "Limit", "ExclusiveStartKey",
                     "ReturnConsumedCapacity"});
  ScanRequest request;
  request.table = reader.table();
  if (reader.has("ExclusiveStartKey")) request.after = reader.key("ExclusiveStartKey");
  Words words = reader.words();
  request.filter = reader.condition("FilterExpression", words);
  if (const auto unused = words.check_all_used()) reader.refuse(*unused);
  const std::int64_t limit = reader.number("Limit", 0);
  if (reader.has("Limit") && limit < 1)
    reader.refuse_invalid("Limit must be greater than or equal to 1");
  request.limit = static_cast<std::size_t>(std::max<std::int64_t>(limit, 0));
  const double factor = reader.flag("ConsistentRead") ? 1 : 0.5;
  const bool has_capacity = wants_capacity(reader);
  if (reader.refusal()) return std::unexpected(*reader.refusal());
  const Answer<Page> page = tables.scan(request, now);
  if (!page) return std::unexpected(page.error());
  json::array items;
  for (const aws::Item& item : page->items) items.push_back(to_json(item));
  json::object reply{
      {"Count", page->items.size()}, {"ScannedCount", page->scanned}, {"Items", std::move(items)}};
  if (!page->last_key.empty()) {
    aws::Item last;
    last.emplace(kKey, aws::AttributeValue::text(page->last_key));
    reply["LastEvaluatedKey"] = to_json(last);
  }
  if (has_capacity) reply["ConsumedCapacity"] = capacity(request.table, factor * page->units);
  return reply;
}

// ---- tables

json::object described(const std::string& name, const Table& table, WallTime now) {
  const auto created = std::chrono::duration<double>(table.created_at.time_since_epoch()).count();
  json::object result{{"TableName", name},
                      {"TableStatus", now < table.active_at ? "CREATING" : "ACTIVE"},
                      {"CreationDateTime", created},
                      {"ItemCount", table.items.size()}};
  result["KeySchema"] =
      json::array{json::object{{"AttributeName", table.key}, {"KeyType", "HASH"}}};
  result["AttributeDefinitions"] =
      json::array{json::object{{"AttributeName", table.key}, {"AttributeType", "S"}}};
  // A table that was never anything but provisioned has no summary.
  if (table.billing_mode == "PAY_PER_REQUEST")
    result["BillingModeSummary"] = json::object{{"BillingMode", table.billing_mode}};
  return result;
}

Reply create_table(Reader& reader, Tables& tables, WallTime now) {
  reader.allow_only({"TableName", "AttributeDefinitions", "KeySchema", "BillingMode",
                     "ProvisionedThroughput", "Tags"});
  const std::string name = reader.table();
  Table table;
  table.billing_mode = reader.text("BillingMode", "PROVISIONED");
  const json::array& schema = reader.list("KeySchema");
  if (schema.size() == 1 && schema[0].is_object()) {
    Reader key(schema[0].get_object());
    table.key = key.text("AttributeName");
  } else {
    reader.refuse_invalid("keys of several attributes are not simulated");
  }
  if (table.billing_mode == "PROVISIONED" && !reader.has("ProvisionedThroughput")) {
    reader.refuse_invalid(
        "One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must "
        "both be specified when BillingMode is PROVISIONED");
  }
  if (reader.refusal()) return std::unexpected(*reader.refusal());
  const Answer<void> created = tables.create(name, std::move(table), now);
  if (!created) return std::unexpected(created.error());
  return json::object{{"TableDescription", described(name, **tables.describe(name), now)}};
}

Reply describe_table(Reader& reader, Tables& tables, WallTime now) {
  reader.allow_only({"TableName"});
  const std::string name = reader.table();
  if (reader.refusal()) return std::unexpected(*reader.refusal());
  const Answer<const Table*> table = tables.describe(name);
  if (!table) return std::unexpected(table.error());
  return json::object{{"Table", described(name, **table, now)}};
}

Reply describe_time_to_live(Reader& reader, Tables& tables, WallTime) {
  reader.allow_only({"TableName"});
  const std::string name = reader.table();
  if (reader.refusal()) return std::unexpected(*reader.refusal());
  const Answer<const Table*> table = tables.describe(name);
  if (!table) return std::unexpected(table.error());
  const std::string& attribute = (*table)->ttl_attribute;
  json::object description{{"TimeToLiveStatus", attribute.empty() ? "DISABLED" : "ENABLED"}};
  if (!attribute.empty()) description["AttributeName"] = attribute;
  return json::object{{"TimeToLiveDescription", std::move(description)}};
}

Reply update_time_to_live(Reader& reader, Tables& tables, WallTime now) {
  reader.allow_only({"TableName", "TimeToLiveSpecification"});
  const std::string name = reader.table();
  const json::object& specification = reader.object("TimeToLiveSpecification");
  Reader wanted(specification);
  const std::string attribute = wanted.text("AttributeName");
  if (!wanted.flag("Enabled")) reader.refuse_invalid("TimeToLive is already disabled");
  if (attribute.empty()) reader.refuse_invalid("TimeToLiveSpecification needs an AttributeName");
  if (reader.refusal()) return std::unexpected(*reader.refusal());
  const Answer<void> enabled = tables.enable_ttl(name, attribute, now);
  if (!enabled) return std::unexpected(enabled.error());
  return json::object{{"TimeToLiveSpecification", specification}};
}

struct Operation {
  std::string_view name;
  Reply (*perform)(Reader&, Tables&, WallTime);
};
constexpr auto kOperations =
    std::to_array<Operation>({{"BatchGetItem", &batch_get_item},
                              {"CreateTable", &create_table},
                              {"DeleteItem", &delete_item},
                              {"DescribeTable", &describe_table},
                              {"DescribeTimeToLive", &describe_time_to_live},
                              {"GetItem", &get_item},
                              {"PutItem", &put_item},
                              {"Scan", &scan},
                              {"TransactWriteItems", &transact_write_items},
                              {"UpdateItem", &update_item},
                              {"UpdateTimeToLive", &update_time_to_live}});

}  // namespace

json::object to_json(const aws::Item& item) {
  json::object result;
  for (const auto& [name, value] : item)
    result[name] = json::object{{value.is_number() ? "N" : "S", value.raw()}};
  return result;
}

Answer<json::object> perform(std::string_view name, const json::object& request, Tables& tables,
                             WallTime now) {
  const auto found = std::ranges::find(kOperations, name, &Operation::name);
  if (found == kOperations.end())
    return refused("UnknownOperationException", "An unknown operation was requested.");
  Reader reader(request);
  return found->perform(reader, tables, now);
}

}  // namespace forebay::sim::dynamodb
