#include "forebay/base/json_writer.hpp"

#include <cmath>

#include <fmt/format.h>

namespace forebay {

std::string json_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

std::string json_seconds(std::chrono::nanoseconds time) {
  const char* const sign = time < std::chrono::nanoseconds::zero() ? "-" : "";
  const auto whole = std::chrono::abs(time).count() / 1'000'000'000;
  const auto rest = std::chrono::abs(time).count() % 1'000'000'000;
  if (rest == 0) return fmt::format("{}{}", sign, whole);
  std::string text = fmt::format("{}{}.{:09}", sign, whole, rest);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

JsonObject& JsonObject::add_written(std::string_view name, std::string_view json) {
  if (text_.size() > 1) text_ += ',';
  text_ += json_quoted(name);
  text_ += ':';
  text_ += json;
  return *this;
}

JsonList& JsonList::add_written(std::string_view json) {
  if (text_.size() > 1) text_ += ',';
  text_ += json;
  return *this;
}

}  // namespace forebay
