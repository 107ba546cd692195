// Operations that look for items.
#include <algorithm>

#include "forebay/sim/dynamodb/operation_parts.hpp"
#include "forebay/sim/dynamodb/operations.hpp"

namespace forebay::sim::dynamodb {
namespace {

namespace json = boost::json;

// What scans and queries say alike.
struct Search {
  ScanRequest request;
  std::optional<Projection> projection;
  bool is_count = false;
  bool has_capacity = false;
  double factor = 1;  // of read units
};

Search read_search(Reader& reader, Words& words) {
  Search search;
  search.request.table = reader.table();
  if (reader.has("ExclusiveStartKey")) search.request.after = reader.key("ExclusiveStartKey");
  search.request.filter = reader.condition("FilterExpression", words);
  search.projection = reader.projection(words);
  if (const auto unused = words.check_all_used()) reader.refuse(*unused);
  const std::int64_t limit = reader.number("Limit", 0);
  if (reader.has("Limit") && limit < 1)
    reader.refuse_invalid("Limit must be greater than or equal to 1");
  search.request.limit = static_cast<std::size_t>(std::max<std::int64_t>(limit, 0));
  const std::string selected = reader.text("Select", "ALL_ATTRIBUTES");
  search.is_count = selected == "COUNT";
  if (selected != "COUNT" && selected != "ALL_ATTRIBUTES" && selected != "SPECIFIC_ATTRIBUTES")
    reader.refuse_invalid("Select set to invalid value");
  if (search.projection && reader.has("Select") && selected != "SPECIFIC_ATTRIBUTES") {
    reader.refuse_invalid("Cannot specify the ProjectionExpression when choosing to get " +
                          selected);
  }
  search.factor = reader.flag("ConsistentRead") ? 1 : 0.5;
  search.has_capacity = wants_capacity(reader);
  return search;
}

json::object search_reply(const Search& search, const Page& page) {
  json::object reply{{"Count", page.items.size()}, {"ScannedCount", page.scanned}};
  if (!search.is_count) {
    json::array items;
    for (const aws::Item& item : page.items)
      items.push_back(to_json(search.projection ? search.projection->of(item) : item));
    reply["Items"] = std::move(items);
  }
  if (!page.last_key.empty()) {
    aws::Item last;
    last.emplace(kKey, aws::AttributeValue::text(page.last_key));
    reply["LastEvaluatedKey"] = to_json(last);
  }
  if (search.has_capacity)
    reply["ConsumedCapacity"] = capacity(search.request.table, search.factor * page.units);
  return reply;
}

// The text that the key has to be: there is no other condition on it here.
std::string wanted_key(Reader& reader, Words& words) {
  if (!reader.has("KeyConditionExpression")) {
    reader.refuse_invalid(
        "Either the KeyConditions or KeyConditionExpression parameter must be specified in the "
        "request.");
    return {};
  }
  const auto condition = reader.condition("KeyConditionExpression", words);
  if (!condition) return {};
  const auto is_key = [](const Operand& operand) {
    return operand.kind == Operand::Kind::attribute && operand.attribute == kKey;
  };
  if (condition->kind != ConditionExpression::Kind::equal || !is_key(condition->operands[0]) ||
      !condition->operands[1].value) {
    const bool has_key = std::ranges::any_of(condition->operands, is_key);
    reader.refuse_invalid(has_key ? "Query key condition not supported"
                                  : "Query condition missed key schema element: pk");
    return {};
  }
  aws::Item key;
  key.emplace(kKey, *condition->operands[1].value);
  return reader.key_of(key);
}

}  // namespace

Reply scan(Reader& reader, Tables& tables, WallTime now) {
  reader.allow_only({"TableName", "FilterExpression", "ProjectionExpression", "Select",
                     "ExpressionAttributeNames", "ExpressionAttributeValues", "ConsistentRead",
                     "Limit", "ExclusiveStartKey", "ReturnConsumedCapacity"});
  Words words = reader.words();
  const Search search = read_search(reader, words);
  if (reader.refusal()) return std::unexpected(*reader.refusal());
  const Answer<Page> page = tables.scan(search.request, now);
  if (!page) return std::unexpected(page.error());
  return search_reply(search, *page);
}

Reply query(Reader& reader, Tables& tables, WallTime now) {
  reader.allow_only({"TableName", "KeyConditionExpression", "FilterExpression",
                     "ProjectionExpression", "Select", "ExpressionAttributeNames",
                     "ExpressionAttributeValues", "ConsistentRead", "Limit", "ExclusiveStartKey",
                     "ScanIndexForward", "ReturnConsumedCapacity"});
  Words words = reader.words();
  const std::string key = wanted_key(reader, words);
  const Search search = read_search(reader, words);
  reader.flag("ScanIndexForward");  // one item has no order
  if (reader.refusal()) return std::unexpected(*reader.refusal());
  const Answer<Page> page = tables.query(key, search.request, now);
  if (!page) return std::unexpected(page.error());
  return search_reply(search, *page);
}

}  // namespace forebay::sim::dynamodb
