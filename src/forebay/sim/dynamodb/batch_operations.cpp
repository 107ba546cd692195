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

}  // namespace forebay::sim::dynamodb
