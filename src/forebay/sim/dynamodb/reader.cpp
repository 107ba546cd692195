#include "forebay/sim/dynamodb/reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/sim/dynamodb/number.hpp"

namespace forebay::sim::dynamodb {
namespace {

namespace json = boost::json;

std::string_view view(json::string_view text) { return {text.data(), text.size()}; }

Refusal serialization(std::string_view name) {
  return Refusal("SerializationException", fmt::format("Unexpected type of {}", name));
}

Answer<aws::AttributeValue> attribute_value(const json::value& value) {
  if (!value.is_object())
    return std::unexpected(Refusal("SerializationException", "Unexpected value type in payload"));
  const json::object& typed = value.get_object();
  if (typed.size() != 1) {
    return invalid(typed.empty() ? "Supplied AttributeValue is empty, must contain exactly one of "
                                   "the supported datatypes"
                                 : "Supplied AttributeValue has more than one datatypes set, must "
                                   "contain exactly one of the supported datatypes");
  }
  const std::string_view type = view(typed.begin()->key());
  if (type != "S" && type != "N")
    return invalid(fmt::format("values of type {} are not simulated", type));
  if (!typed.begin()->value().is_string())
    return std::unexpected(Refusal("SerializationException", "NUMBER_VALUE cannot be converted"));
  std::string text(view(typed.begin()->value().get_string()));
  if (type == "S") return aws::AttributeValue::text(std::move(text));
  return normalized(aws::AttributeValue::digits(std::move(text)));
}

bool is_word(std::string_view word, char first) {
  const auto is_allowed = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_';
  };
  return word.size() > 1 && word.front() == first &&
         std::ranges::all_of(word.substr(1), is_allowed);
}

}  // namespace

const json::value* Reader::find(std::string_view name) const {
  const json::value* value = object_.if_contains(json::string_view(name.data(), name.size()));
  return value == nullptr || value->is_null() ? nullptr : value;
}

void Reader::refuse(Refusal refusal) {
  if (!refusal_) refusal_ = std::move(refusal);
}

void Reader::allow_only(std::initializer_list<std::string_view> names) {
  for (const auto& [name, value] : object_) {
    if (std::ranges::find(names, view(name)) == names.end())
      refuse_invalid(fmt::format("the parameter {} is not simulated", view(name)));
  }
}

std::string Reader::text(std::string_view name, std::string otherwise) {
  const json::value* value = find(name);
  if (value == nullptr) return otherwise;
  if (value->is_string()) return std::string(view(value->get_string()));
  refuse(serialization(name));
  return otherwise;
}

std::string Reader::table() {
  if (!has("TableName")) {
    refuse_invalid(
        "1 validation error detected: Value null at 'tableName' failed to satisfy constraint: "
        "Member must not be null");
  }
  return text("TableName");
}

std::int64_t Reader::number(std::string_view name, std::int64_t otherwise) {
  const json::value* value = find(name);
  if (value == nullptr) return otherwise;
  if (value->is_int64()) return value->get_int64();
  refuse(serialization(name));
  return otherwise;
}

bool Reader::flag(std::string_view name) {
  const json::value* value = find(name);
  if (value == nullptr) return false;
  if (value->is_bool()) return value->get_bool();
  refuse(serialization(name));
  return false;
}

const json::array& Reader::list(std::string_view name) {
  static const json::array kNone;
  const json::value* value = find(name);
  if (value != nullptr && value->is_array()) return value->get_array();
  if (value != nullptr) refuse(serialization(name));
  return kNone;
}

const json::object& Reader::object(std::string_view name) {
  static const json::object kNone;
  const json::value* value = find(name);
  if (value != nullptr && value->is_object()) return value->get_object();
  if (value != nullptr) refuse(serialization(name));
  return kNone;
}

aws::Item Reader::item(std::string_view name) {
  aws::Item item;
  for (const auto& [attribute, value] : object(name)) {
    const Answer<aws::AttributeValue> read = attribute_value(value);
    if (read) {
      item.emplace(view(attribute), *read);
    } else if (name == "ExpressionAttributeValues" && read.error().type == "ValidationException") {
      refuse_invalid(fmt::format("ExpressionAttributeValues contains invalid value: {} for key {}",
                                 read.error().message, view(attribute)));
    } else {
      refuse(read.error());
    }
  }
  return item;
}

std::string Reader::key_of(const aws::Item& item) {
  const auto key = item.find(kKey);
  if (key == item.end()) {
    refuse_invalid("One of the required keys was not given a value");
    return {};
  }
  if (key->second.is_number())
    refuse_invalid("One or more parameter values were invalid: Type mismatch for key");
  if (key->second.raw().empty()) {
    refuse_invalid(
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
        "contain an empty string value. Key: pk");
  }
  return key->second.raw();
}

std::string Reader::key(std::string_view name) {
  if (!has(name)) {
    refuse_invalid(
        "1 validation error detected: Value null at 'key' failed to satisfy constraint: Member "
        "must not be null");
    return {};
  }
  const aws::Item key = item(name);
  if (key.size() > 1) refuse_invalid("The provided key element does not match the schema");
  return key_of(key);
}

Words Reader::words() {
  constexpr std::string_view kNames = "ExpressionAttributeNames";
  constexpr std::string_view kValues = "ExpressionAttributeValues";
  std::map<std::string, std::string> names;
  for (const auto& [word, name] : object(kNames)) {
    if (!is_word(view(word), '#')) {
      refuse_invalid(
          fmt::format("ExpressionAttributeNames contains invalid key: Syntax error; "
                      "key: \"{}\"",
                      view(word)));
    }
    if (name.is_string()) {
      names.emplace(view(word), view(name.get_string()));
    } else {
      refuse(serialization(kNames));
    }
  }
  aws::Item values = item(kValues);
  for (const auto& [word, value] : values) {
    if (!is_word(word, ':')) {
      refuse_invalid(fmt::format(
          "ExpressionAttributeValues contains invalid key: Syntax error; key: \"{}\"", word));
    }
  }
  if (has(kNames) && names.empty()) refuse_invalid("ExpressionAttributeNames must not be empty");
  if (has(kValues) && values.empty()) refuse_invalid("ExpressionAttributeValues must not be empty");
  return {std::move(names), std::move(values)};
}

std::optional<ConditionExpression> Reader::condition(std::string_view name, Words& words) {
  if (!has(name)) return std::nullopt;
  Answer<ConditionExpression> parsed = parse_condition(text(name), name, words);
  pass_on(parsed);
  return parsed ? std::optional(std::move(*parsed)) : std::nullopt;
}

std::optional<Projection> Reader::projection(Words& words) {
  if (!has("ProjectionExpression")) return std::nullopt;
  Answer<Projection> parsed = parse_projection(text("ProjectionExpression"), words);
  pass_on(parsed);
  return parsed ? std::optional(std::move(*parsed)) : std::nullopt;
}

std::optional<Projection> Reader::only_projection() {
  if (has("ExpressionAttributeNames") && !has("ProjectionExpression")) {
    refuse_invalid(
        "ExpressionAttributeNames can only be specified when using expressions: "
        "ProjectionExpression is null");
  }
  Words meant = words();
  std::optional<Projection> wanted = projection(meant);
  if (const auto unused = meant.check_all_used()) refuse(*unused);
  return wanted;
}

WriteAction Reader::write(WriteAction::Kind kind) {
  WriteAction action;
  action.kind = kind;
  action.table = table();
  if (kind == WriteAction::Kind::put) {
    action.item = item("Item");
    action.key = key_of(action.item);
  } else {
    action.key = key("Key");
  }
  const bool has_words = has("ExpressionAttributeNames") || has("ExpressionAttributeValues");
  const bool has_expressions = has("ConditionExpression") || has("UpdateExpression");
  if (has_words && !has_expressions) {
    refuse_invalid(
        "ExpressionAttributeValues can only be specified when using expressions: "
        "UpdateExpression and ConditionExpression are null");
  }
  Words meant = words();
  if (kind == WriteAction::Kind::update && has("UpdateExpression")) {
    Answer<UpdateExpression> update = parse_update(text("UpdateExpression"), meant);
    pass_on(update);
    if (update) action.update = std::move(*update);
  }
  action.condition = condition("ConditionExpression", meant);
  if (kind == WriteAction::Kind::check && !action.condition)
    refuse_invalid("The expression can not be empty;");
  if (const auto unused = meant.check_all_used()) refuse(*unused);
  if (action.update && std::ranges::count(action.update->attributes(), std::string(kKey)) > 0) {
    refuse_invalid(
        "One or more parameter values were invalid: Cannot update attribute pk. This attribute is "
        "part of the key");
  }
  const std::string on_failure = text("ReturnValuesOnConditionCheckFailure", "NONE");
  action.returns_old_on_failure = on_failure == "ALL_OLD";
  if (on_failure != "NONE" && on_failure != "ALL_OLD")
    refuse_invalid("ReturnValuesOnConditionCheckFailure set to invalid value");
  return action;
}

}  // namespace forebay::sim::dynamodb
