// Operations on whole tables.
#include <chrono>

#include <fmt/format.h>

#include "forebay/sim/dynamodb/operation_parts.hpp"

namespace forebay::sim::dynamodb {
namespace {

namespace json = boost::json;

json::object described(const std::string& name, const Table& table, WallTime now) {
  const auto created = std::chrono::duration<double>(table.created_at.time_since_epoch()).count();
  json::object result{{"TableName", name},
                      {"TableStatus", now < table.active_at ? "CREATING" : "ACTIVE"},
                      {"CreationDateTime", created},
                      {"ItemCount", table.items.size()}};
  result["KeySchema"] =
      json::array{json::object{{"AttributeName", table.key}, {"KeyType", "HASH"}}};
  result["AttributeDefinitions"] =
      json::array{json::object{{"AttributeName", table.key}, {"AttributeType", table.key_type}}};
  // A table that was never anything but provisioned has no summary.
  if (table.billing_mode == "PAY_PER_REQUEST")
    result["BillingModeSummary"] = json::object{{"BillingMode", table.billing_mode}};
  return result;
}

// What the definitions say of an attribute.
void read_key(Reader& reader, Table& table) {
  const json::array& schema = reader.list("KeySchema");
  if (schema.size() != 1 || !schema[0].is_object()) {
    reader.refuse_invalid("keys of several attributes are not simulated");
    return;
  }
  Reader key(schema[0].get_object());
  table.key = key.text("AttributeName");
  table.key_type.clear();
  std::string defined;
  for (const json::value& value : reader.list("AttributeDefinitions")) {
    if (!value.is_object()) continue;
    Reader definition(value.get_object());
    const std::string name = definition.text("AttributeName");
    if (name == table.key) table.key_type = definition.text("AttributeType");
    defined.append(defined.empty() ? "" : ", ").append(name);
  }
  if (table.key_type.empty()) {
    reader.refuse_invalid(
        fmt::format("One or more parameter values were invalid: Some index key attributes are not "
                    "defined in AttributeDefinitions. Keys: [{}], AttributeDefinitions: [{}]",
                    table.key, defined));
  }
}

constexpr std::int64_t kMostNames = 100;

}  // namespace

Reply create_table(Reader& reader, Tables& tables, WallTime now) {
  reader.allow_only({"TableName", "AttributeDefinitions", "KeySchema", "BillingMode",
                     "ProvisionedThroughput", "Tags"});
  const std::string name = reader.table();
  Table table;
  table.billing_mode = reader.text("BillingMode", "PROVISIONED");
  read_key(reader, table);
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

Reply delete_table(Reader& reader, Tables& tables, WallTime now) {
  reader.allow_only({"TableName"});
  const std::string name = reader.table();
  if (reader.refusal()) return std::unexpected(*reader.refusal());
  const Answer<Table> gone = tables.remove(name, now);
  if (!gone) return std::unexpected(gone.error());
  json::object description = described(name, *gone, now);
  description["TableStatus"] = "DELETING";
  return json::object{{"TableDescription", std::move(description)}};
}

Reply list_tables(Reader& reader, Tables& tables, WallTime) {
  reader.allow_only({"Limit", "ExclusiveStartTableName"});
  const std::string after = reader.text("ExclusiveStartTableName");
  const std::int64_t limit = reader.number("Limit", kMostNames);
  if (limit < 1 || limit > kMostNames) {
    reader.refuse_invalid(
        fmt::format("1 validation error detected: Value '{}' at 'limit' failed to satisfy "
                    "constraint: Member must have value between 1 and {}",
                    limit, kMostNames));
  }
  if (reader.refusal()) return std::unexpected(*reader.refusal());
  json::array names;
  json::object reply;
  for (const std::string& name : tables.names()) {
    if (name <= after) continue;
    if (names.size() == static_cast<std::size_t>(limit)) {
      reply["LastEvaluatedTableName"] = names.back();
      break;
    }
    names.emplace_back(name);
  }
  reply["TableNames"] = std::move(names);
  return reply;
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
  const bool is_wanted = wanted.flag("Enabled");
  if (attribute.empty()) reader.refuse_invalid("TimeToLiveSpecification needs an AttributeName");
  if (reader.refusal()) return std::unexpected(*reader.refusal());
  const Answer<void> done = is_wanted ? tables.enable_ttl(name, attribute, now)
                                      : tables.disable_ttl(name, attribute, now);
  if (!done) return std::unexpected(done.error());
  return json::object{{"TimeToLiveSpecification", specification}};
}

}  // namespace forebay::sim::dynamodb
