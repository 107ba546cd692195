#include "forebay/base/log_event.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "forebay/base/calendar_text.hpp"
#include "forebay/base/json_text.hpp"

namespace forebay::log {
namespace {

using std::chrono::nanoseconds;

// "12.30" without the zeros that say nothing.
std::string short_number(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (decimals > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return text;
}

std::string time_text(nanoseconds time) {
  if (time == nanoseconds::max()) return "unlimited";
  if (time == nanoseconds::zero()) return "0s";
  if (time < nanoseconds::zero())
    return "-" +
           time_text(time == nanoseconds::min() ? nanoseconds::max() - nanoseconds(1) : -time);
  const double seconds = static_cast<double>(time.count()) / 1e9;
  if (seconds >= 59.95) {
    const std::int64_t whole = std::llround(seconds);
    const std::int64_t hours = whole / 3600;
    const std::string minutes = fmt::format("{}m{}s", whole / 60 % 60, whole % 60);
    return hours > 0 ? fmt::format("{}h{}", hours, minutes) : minutes;
  }
  struct Unit {
    std::string_view name;
    double seconds;
  };
  static constexpr std::array<Unit, 4> kUnits{{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};
  for (const Unit& unit : kUnits) {
    const double value = seconds / unit.seconds;
    if (value < 0.9995 && unit.name != "ns") continue;
    const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return short_number(value, unit.name == "ns" ? 0 : decimals) + std::string(unit.name);
  }
  std::unreachable();
}

struct ValueText {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(std::uint64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(nanoseconds value) const { return time_text(value); }
  std::string operator()(std::string_view value) const { return std::string(value); }
};

bool is_present(const Value& value) { return !std::holds_alternative<std::monostate>(value); }

// Numbers and truths as they are, but for those that JSON has no words for.
std::string json_value(const Value& value) {
  const double* const number = std::get_if<double>(&value);
  const bool is_text = std::holds_alternative<std::string_view>(value) ||
                       std::holds_alternative<nanoseconds>(value) ||
                       (number != nullptr && !std::isfinite(*number));
  return is_text ? json_quoted(value_text(value)) : value_text(value);
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
  std::string line = fmt::format(R"({{"time":"{}","level":"{}","message":{})", rfc3339(event.time),
                                 name(event.level), json_quoted(event.message));
  for (const Field& field : event.fields) {
    if (!is_present(field.value)) continue;
    line += fmt::format(",{}:{}", json_quoted(field.name), json_value(field.value));
  }
  return line + "}";
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
