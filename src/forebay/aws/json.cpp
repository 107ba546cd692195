#include "forebay/aws/json.hpp"

namespace forebay::aws {

std::optional<boost::json::object> parse_object(std::string_view text) {
  boost::system::error_code problem;
  boost::json::value value =
      boost::json::parse(boost::json::string_view(text.data(), text.size()), problem);
  if (problem || !value.is_object()) return std::nullopt;
  return std::move(value.as_object());
}

std::string text_at(const boost::json::object& object, std::string_view name) {
  const boost::json::value* value =
      object.if_contains(boost::json::string_view(name.data(), name.size()));
  if (value == nullptr || !value->is_string()) return {};
  const boost::json::string& text = value->get_string();
  return std::string(text.data(), text.size());
}

}  // namespace forebay::aws
