#include "forebay/sim/dynamodb/operations.hpp"

#include <algorithm>
#include <array>

#include "forebay/sim/dynamodb/item_size.hpp"
#include "forebay/sim/dynamodb/operation_parts.hpp"

namespace forebay::sim::dynamodb {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestToken = 36;

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
  reader.allow_only({"TableName", "Key", "ConsistentRead", "ReturnConsumedCapacity",
                     "ProjectionExpression", "ExpressionAttributeNames"});
  const std::string table = reader.table();
  const std::string key = reader.key("Key");
  const std::optional<Projection> projection = reader.only_projection();
  const bool has_capacity = wants_capacity(reader);
  const double factor = reader.flag("ConsistentRead") ? 1 : 0.5;
  if (reader.refusal()) return std::unexpected(*reader.refusal());
  const Answer<std::optional<aws::Item>> item = tables.get(table, key, now);
  if (!item) return std::unexpected(item.error());
  json::object reply;
  if (*item) reply["Item"] = to_json(projection ? projection->of(**item) : **item);
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

struct Operation {
  std::string_view name;
  Reply (*perform)(Reader&, Tables&, WallTime);
};
constexpr auto kOperations =
    std::to_array<Operation>({{"BatchGetItem", &batch_get_item},
                              {"BatchWriteItem", &batch_write_item},
                              {"CreateTable", &create_table},
                              {"DeleteItem", &delete_item},
                              {"DeleteTable", &delete_table},
                              {"DescribeTable", &describe_table},
                              {"DescribeTimeToLive", &describe_time_to_live},
                              {"GetItem", &get_item},
                              {"ListTables", &list_tables},
                              {"PutItem", &put_item},
                              {"Query", &query},
                              {"Scan", &scan},
                              {"TransactGetItems", &transact_get_items},
                              {"TransactWriteItems", &transact_write_items},
                              {"UpdateItem", &update_item},
                              {"UpdateTimeToLive", &update_time_to_live}});

}  // namespace

json::object capacity(const std::string& table, double units) {
  return {{"TableName", table}, {"CapacityUnits", units}};
}

bool wants_capacity(Reader& reader) {
  const std::string wanted = reader.text("ReturnConsumedCapacity", "NONE");
  if (wanted != "NONE" && wanted != "TOTAL" && wanted != "INDEXES")
    reader.refuse_invalid("ReturnConsumedCapacity set to invalid value");
  return wanted != "NONE";
}

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
