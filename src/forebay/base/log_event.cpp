#include "forebay/base/log_event.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "forebay/base/calendar_text.hpp"
#include "forebay/base/json_writer.hpp"
#include "forebay/base/readable_time.hpp"

namespace forebay::log {
namespace {

using std::chrono::nanoseconds;

struct ValueText {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(std::uint64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(nanoseconds value) const { return readable_time(value); }
  std::string operator()(std::string_view value) const { return std::string(value); }
};

bool is_present(const Value& value) { return !std::holds_alternative<std::monostate>(value); }

// Times are texts here, and so are the numbers that JSON has no words for.
void add_to(JsonObject& line, const Field& field) {
  const auto add = [&](const auto& value) {
    using Type = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::same_as<Type, nanoseconds>) {
      line.add(field.name, readable_time(value));
    } else if constexpr (std::same_as<Type, double>) {
      if (std::isfinite(value)) {
        line.add(field.name, value);
      } else {
        line.add(field.name, value_text(field.value));
      }
    } else if constexpr (!std::same_as<Type, std::monostate>) {
      line.add(field.name, value);
    }
  };
  std::visit(add, field.value);
}

// Escaped like a text in JSON, and without the quotes where these are not needed.
std::string plain_or_quoted(std::string_view text, bool may_have_blanks) {
  std::string quoted = json_quoted(text);
  const bool is_as_it_was = quoted.size() == text.size() + 2;
  const bool has_blanks = text.find_first_of(" =") != std::string_view::npos;
  const bool is_plain = is_as_it_was && !text.empty() && (may_have_blanks || !has_blanks);
  if (!is_plain && !may_have_blanks) return quoted;
  return quoted.substr(1, quoted.size() - 2);
}

std::string rfc3339(Time time) {
  const auto milliseconds = std::chrono::floor<std::chrono::milliseconds>(time);
  const auto days = std::chrono::floor<std::chrono::days>(milliseconds);
  const CalendarDate date = date_of(days.time_since_epoch().count());
  const std::int64_t rest = (milliseconds - days).count();
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", date.year, date.month, date.day,
                     rest / 3'600'000, rest / 60'000 % 60, rest / 1000 % 60, rest % 1000);
}

}  // namespace

std::string_view name(Level level) {
  switch (level) {
    case Level::debug: return "debug";
    case Level::info: return "info";
    case Level::warning: return "warning";
    case Level::error: return "error";
  }
  std::unreachable();
}

std::optional<std::string> Event::text(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &Field::name);
  if (found == fields.end() || !is_present(found->value)) return std::nullopt;
  return value_text(found->value);
}

std::string value_text(const Value& value) { return std::visit(ValueText(), value); }

std::string describe(const Event& event) {
  std::string line = plain_or_quoted(event.message, true);
  for (const Field& field : event.fields) {
    if (!is_present(field.value)) continue;
    line += fmt::format(" {}={}", field.name, plain_or_quoted(value_text(field.value), false));
  }
  return line;
}

std::string text_line(const Event& event) {
  return fmt::format("{} {} {}", rfc3339(event.time), name(event.level), describe(event));
}

std::string json_line(const Event& event) {
  JsonObject line;
  line.add("time", rfc3339(event.time)).add("level", name(event.level));
  line.add("message", event.message);
  for (const Field& field : event.fields) add_to(line, field);
  return line.text();
}

KeptEvent::KeptEvent(const Event& event) : level_(event.level), time_(event.time) {
  texts_.reserve(1 + 2 * event.fields.size());
  fields_.reserve(event.fields.size());
  keep(event.message);
  for (const Field& field : event.fields) {
    const std::string_view* const text = std::get_if<std::string_view>(&field.value);
    const std::string_view name = keep(field.name);
    fields_.push_back({name, text != nullptr ? Value(keep(*text)) : field.value});
  }
}

}  // namespace forebay::log
