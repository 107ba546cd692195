#include "forebay/aws/dynamodb/dynamodb_json.hpp"

namespace forebay::aws {

const boost::json::object* object_at(const boost::json::object& object, std::string_view name) {
  const boost::json::value* const value = object.if_contains(name);
  return value != nullptr ? value->if_object() : nullptr;
}

const boost::json::array* array_at(const boost::json::object& object, std::string_view name) {
  const boost::json::value* const value = object.if_contains(name);
  return value != nullptr ? value->if_array() : nullptr;
}

double number_at(const boost::json::object& object, std::string_view name) {
  const boost::json::value* const value = object.if_contains(name);
  if (value == nullptr || !value->is_number()) return 0;
  boost::system::error_code error;
  const double number = value->to_number<double>(error);
  return error ? 0 : number;
}

std::string message_of(const boost::json::object& exception) {
  std::string message = text_at(exception, "message");
  return message.empty() ? text_at(exception, "Message") : message;
}

boost::json::object item_json(const Item& item) {
  boost::json::object json;
  for (const auto& [name, value] : item) {
    boost::json::object typed;
    typed.emplace(value.is_number() ? "N" : "S", value.raw());
    json.emplace(name, std::move(typed));
  }
  return json;
}

Item item_from(const boost::json::object& json) {
  Item item;
  for (const auto& [key, value] : json) {
    const boost::json::object* const typed = value.if_object();
    if (typed == nullptr) continue;
    const std::string name(key.data(), key.size());
    if (typed->contains("S")) item.emplace(name, AttributeValue::text(text_at(*typed, "S")));
    if (typed->contains("N")) item.emplace(name, AttributeValue::digits(text_at(*typed, "N")));
  }
  return item;
}

std::optional<Item> item_at(const boost::json::object& object, std::string_view name) {
  const boost::json::object* const json = object_at(object, name);
  if (json == nullptr || json->empty()) return std::nullopt;
  return item_from(*json);
}

}  // namespace forebay::aws
