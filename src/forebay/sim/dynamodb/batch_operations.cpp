// Operations on several items by their keys.
#include <set>

#include <fmt/format.h>

#include "forebay/sim/dynamodb/item_size.hpp"
#include "forebay/sim/dynamodb/operation_parts.hpp"
#include "forebay/sim/dynamodb/operations.hpp"

namespace forebay::sim::dynamodb {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostKeys = 100;
constexpr std::size_t kMostBatchWrites = 25;

using Units = std::map<std::string, double>;  // by table

json::array capacities_of(const Units& units) {
  json::array capacities;
  for (const auto& [table, used] : units) capacities.push_back(capacity(table, used));
  return capacities;
}

// ---- reading

struct BatchPart {
  json::array items;
  double units = 0;
};

BatchPart get_batch(const std::string& table, Reader& reader, Tables& tables, WallTime now) {
  BatchPart part;
  reader.allow_only({"Keys", "ConsistentRead", "ProjectionExpression", "ExpressionAttributeNames"});
  const std::optional<Projection> projection = reader.only_projection();
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
    if (*item) part.items.push_back(to_json(projection ? projection->of(**item) : **item));
    part.units += factor * read_units(*item ? size_of(**item) : 0);
  }
  return part;
}

struct TransactedGet {
  std::string table;
  std::string key;
  json::object response;
  double units = 0;
};

TransactedGet transacted_get(const json::value& value, Reader& whole, Tables& tables,
                             WallTime now) {
  TransactedGet get;
  const json::object* const named = value.if_object();
  const json::value* const request = named != nullptr ? named->if_contains("Get") : nullptr;
  if (request == nullptr || !request->is_object() || named->size() != 1) {
    whole.refuse_invalid("Invalid Request: TransactGetRequest should contain Get request");
    return get;
  }
  Reader reader(request->get_object());
  reader.allow_only({"TableName", "Key", "ProjectionExpression", "ExpressionAttributeNames"});
  get.table = reader.table();
  get.key = reader.key("Key");
  const std::optional<Projection> projection = reader.only_projection();
  if (reader.refusal()) {
    whole.refuse(*reader.refusal());
    return get;
  }
  const Answer<std::optional<aws::Item>> item = tables.get(get.table, get.key, now);
  whole.pass_on(item);
  if (!item) return get;
  if (*item) get.response["Item"] = to_json(projection ? projection->of(**item) : **item);
  get.units = 2 * read_units(*item ? size_of(**item) : 0);
  return get;
}

// ---- writing

// "PutRequest" or "DeleteRequest": one of them.
WriteAction batched_write(const std::string& table, const json::value& value, Reader& whole) {
  WriteAction action;
  action.table = table;
  const json::object* const request = value.if_object();
  const bool is_one = request != nullptr && request->size() == 1 &&
                      request->begin()->value().is_object() &&
                      (request->contains("PutRequest") || request->contains("DeleteRequest"));
  if (!is_one) {
    whole.refuse_invalid(
        "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the "
        "supported datatypes");
    return action;
  }
  Reader reader(request->begin()->value().get_object());
  if (request->contains("PutRequest")) {
    reader.allow_only({"Item"});
    action.item = reader.item("Item");
    action.key = reader.key_of(action.item);
  } else {
    reader.allow_only({"Key"});
    action.kind = WriteAction::Kind::remove;
    action.key = reader.key("Key");
  }
  if (reader.refusal()) whole.refuse(*reader.refusal());
  return action;
}

std::vector<WriteAction> batched_writes(Reader& reader, Tables& tables, WallTime now) {
  std::vector<WriteAction> actions;
  std::set<std::pair<std::string, std::string>> seen;
  const json::object& requests = reader.object("RequestItems");
  if (requests.empty()) reader.refuse_invalid("Batch requests cannot be null or empty");
  for (const auto& [name, writes] : requests) {
    const std::string table(name.data(), name.size());
    if (!writes.is_array() || writes.get_array().empty()) {
      reader.refuse_invalid(fmt::format(
          "The batch write request list for a table cannot be null or empty: {}", table));
      continue;
    }
    for (const json::value& write : writes.get_array()) {
      actions.push_back(batched_write(table, write, reader));
      if (!seen.emplace(table, actions.back().key).second)
        reader.refuse_invalid("Provided list of item keys contains duplicates");
    }
    if (!reader.refusal()) reader.pass_on(tables.get(table, actions.back().key, now));
  }
  if (actions.size() > kMostBatchWrites)
    reader.refuse_invalid("Too many items requested for the BatchWriteItem call");
  return actions;
}

}  // namespace

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

// Each write by itself, once all of them have been found possible.
Reply batch_write_item(Reader& reader, Tables& tables, WallTime now) {
  reader.allow_only({"RequestItems", "ReturnConsumedCapacity"});
  const bool has_capacity = wants_capacity(reader);
  const std::vector<WriteAction> actions = batched_writes(reader, tables, now);
  if (reader.refusal()) return std::unexpected(*reader.refusal());
  Units units;
  for (const WriteAction& action : actions) {
    if (size_of(action.item) > kLargestItem)
      return invalid("Item size has exceeded the maximum allowed size");
  }
  for (const WriteAction& action : actions) {
    const Answer<Written> written = tables.write(action, now);
    if (!written) return std::unexpected(written.error());
    units[action.table] += written->units;
  }
  json::object reply{{"UnprocessedItems", json::object()}};
  if (has_capacity) reply["ConsumedCapacity"] = capacities_of(units);
  return reply;
}

Reply transact_get_items(Reader& reader, Tables& tables, WallTime now) {
  reader.allow_only({"TransactItems", "ReturnConsumedCapacity"});
  const bool has_capacity = wants_capacity(reader);
  const json::array& gets = reader.list("TransactItems");
  if (gets.empty()) {
    reader.refuse_invalid(
        "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1");
  }
  if (gets.size() > kMostKeys)
    reader.refuse_invalid("Member must have length less than or equal to 100");
  json::array responses;
  Units units;
  std::set<std::pair<std::string, std::string>> seen;
  for (const json::value& value : gets) {
    if (reader.refusal()) break;
    const TransactedGet get = transacted_get(value, reader, tables, now);
    if (!reader.refusal() && !seen.emplace(get.table, get.key).second)
      reader.refuse_invalid("Transaction request cannot include multiple operations on one item");
    responses.push_back(get.response);
    units[get.table] += get.units;
  }
  if (reader.refusal()) return std::unexpected(*reader.refusal());
  json::object reply{{"Responses", std::move(responses)}};
  if (has_capacity) reply["ConsumedCapacity"] = capacities_of(units);
  return reply;
}

}  // namespace forebay::sim::dynamodb
