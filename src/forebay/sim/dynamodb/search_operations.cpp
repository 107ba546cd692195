// Operations that look for items.
#include <algorithm>

#include "forebay/sim/dynamodb/operation_parts.hpp"
#include "forebay/sim/dynamodb/operations.hpp"

namespace forebay::sim::dynamodb {

namespace json = boost::json;

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

}  // namespace forebay::sim::dynamodb
