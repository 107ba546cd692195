// What AWS answers in JSON: parsing without exceptions, and texts by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json.hpp>

namespace forebay::aws {

// Nothing: the text is not a JSON object. What is wrong with it is not told, for it may hold
// secrets.
std::optional<boost::json::object> parse_object(std::string_view text);

// Absent, or not a text: empty.
std::string text_at(const boost::json::object& object, std::string_view name);

}  // namespace forebay::aws
