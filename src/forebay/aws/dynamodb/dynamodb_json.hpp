// Items of DynamoDB in JSON, and questions to its answers. None of them throws.
#pragma once

#include <optional>
#include <string_view>

#include "forebay/aws/dynamodb/attribute_value.hpp"
#include "forebay/aws/json.hpp"

namespace forebay::aws {

// Absent, or of another kind: none, or 0.
const boost::json::object* object_at(const boost::json::object& object, std::string_view name);
const boost::json::array* array_at(const boost::json::object& object, std::string_view name);
double number_at(const boost::json::object& object, std::string_view name);

// What an exception says: DynamoDB writes the name of that field in two ways.
std::string message_of(const boost::json::object& exception);

// {"count": {"N": "3"}, "pk": {"S": "a"}}
boost::json::object item_json(const Item& item);
// Attributes that are neither texts nor numbers are somebody else's, and left out.
Item item_from(const boost::json::object& json);
// The item at that name, if there is one.
std::optional<Item> item_at(const boost::json::object& object, std::string_view name);

}  // namespace forebay::aws
