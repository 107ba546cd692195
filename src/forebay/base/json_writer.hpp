// JsonObject and JsonList: JSON, written value by value, on one line. Every JSON that people and
// their programs read is written by these.
//
// Numbers look as people write them (0.1, not 1E-1), and texts are safe to print: see
// json_quoted().
#pragma once

#include <chrono>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "forebay/base/json_text.hpp"

namespace forebay {

class JsonObject;
class JsonList;

// The shortest that is read back as the same number. JSON has no infinity: that is null.
std::string json_number(double value);
// Exact: 1.5, 0.000000001.
std::string json_seconds(std::chrono::nanoseconds time);

// A value as JSON: texts are quoted, times are numbers of seconds, what is not there is null.
template <class Value>
std::string json_value(const Value& value);
template <class Value>
std::string json_value(const std::optional<Value>& value) {
  return value ? json_value(*value) : "null";
}

class JsonObject {
 public:
  template <class Value>
  JsonObject& add(std::string_view name, const Value& value) {
    return add_written(name, json_value(value));
  }
  std::string text() const { return text_ + "}"; }

 private:
  JsonObject& add_written(std::string_view name, std::string_view json);
  std::string text_ = "{";
};

class JsonList {
 public:
  template <class Value>
  JsonList& add(const Value& value) {
    return add_written(json_value(value));
  }
  std::string text() const { return text_ + "]"; }

 private:
  JsonList& add_written(std::string_view json);
  std::string text_ = "[";
};

template <class Value>
std::string json_value(const Value& value) {
  if constexpr (std::same_as<Value, JsonObject> || std::same_as<Value, JsonList>) {
    return value.text();
  } else if constexpr (std::same_as<Value, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::integral<Value>) {
    return std::to_string(value);
  } else if constexpr (std::floating_point<Value>) {
    return json_number(value);
  } else if constexpr (std::convertible_to<Value, std::chrono::nanoseconds>) {
    return json_seconds(value);
  } else {
    return json_quoted(value);
  }
}

}  // namespace forebay
