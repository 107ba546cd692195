#include "forebay/config/session_settings_text.hpp"

#include <fmt/format.h>

#include "forebay/base/suggestion.hpp"
#include "forebay/postgres/driver/conninfo_text.hpp"

namespace forebay::config {
namespace {

constexpr std::string_view kBlanks = " \t\n\v\f\r";

// Takes a value from the front: up to the closing quote, or to the next blank. False: its quote, or
// its backslash, is the last of the text.
bool take_value(std::string_view& text, std::string& value) {
  const bool is_quoted = text.starts_with('\'');
  if (is_quoted) text.remove_prefix(1);
  while (!text.empty()) {
    if (is_quoted ? text.front() == '\'' : kBlanks.contains(text.front())) break;
    if (text.front() == '\\') text.remove_prefix(1);
    if (text.empty()) return false;
    value += text.front();
    text.remove_prefix(1);
  }
  if (!is_quoted) return true;
  if (text.empty()) return false;
  text.remove_prefix(1);
  return text.empty() || kBlanks.contains(text.front());
}

}  // namespace

ReadValue<SessionSettings> session_settings_value(std::string_view text) {
  SessionSettings settings;
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (text.empty()) return settings;
    const std::size_t end = text.find_first_of("= \t\n\v\f\r");
    const std::string name(text.substr(0, end));
    if (end == std::string_view::npos || text[end] != '=') {
      return std::unexpected(fmt::format(
          "{} has no \"=\" and no value; write it like search_path='app, public' jit=off",
          shown(name)));
    }
    text.remove_prefix(end + 1);
    std::string value;
    if (!take_value(text, value))
      return std::unexpected(
          fmt::format("the value of {} does not end where it should; put it in "
                      "single quotes, and a backslash before those inside",
                      shown(name)));
    if (!settings.emplace(name, std::move(value)).second)
      return std::unexpected(fmt::format("{} is given twice; keep one", shown(name)));
  }
}

std::string session_settings_text(const SessionSettings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) {
    const bool is_plain = !value.empty() && value.find_first_of("'\\ \t\n\v\f\r") == value.npos;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name,
                        is_plain ? value : postgres::conninfo_quoted(value));
  }
  return text;
}

}  // namespace forebay::config
