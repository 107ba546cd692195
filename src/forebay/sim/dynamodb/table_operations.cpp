// Operations on whole tables.
#include <chrono>

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
      json::array{json::object{{"AttributeName", table.key}, {"AttributeType", "S"}}};
  // A table that was never anything but provisioned has no summary.
  if (table.billing_mode == "PAY_PER_REQUEST")
    result["BillingModeSummary"] = json::object{{"BillingMode", table.billing_mode}};
  return result;
}

}  // namespace

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

}  // namespace forebay::sim::dynamodb
