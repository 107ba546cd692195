#include "forebay/postgres/driver/session_options.hpp"

#include <utility>

#include <fmt/format.h>

#include "forebay/base/ascii_text.hpp"
#include "forebay/detail/base/check.hpp"

namespace forebay::postgres {
namespace {

// The server ends a word at white space, unless a backslash stands before it.
std::string as_part_of_word(std::string_view text) {
  constexpr std::string_view kSpecial = " \t\n\v\f\r\\";
  std::string escaped;
  for (const char c : text) {
    if (kSpecial.contains(c)) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

std::string_view keyword_of(std::string_view name) {
  for (const std::string_view keyword : {"application_name", "client_encoding"}) {
    if (is_same_name(name, keyword)) return keyword;
  }
  return "";
}

std::string with_settings(std::string options, const SessionSettings& settings) {
  for (const auto& [name, value] : settings) {
    if (!keyword_of(name).empty()) continue;
    options += fmt::format("{}-c {}={}", options.empty() ? "" : " ", name, as_part_of_word(value));
  }
  return options;
}

void set_keywords(ConnectionString& target, const SessionSettings& settings) {
  for (const auto& [name, value] : settings) {
    const std::string_view keyword = keyword_of(name);
    if (keyword.empty()) continue;
    const Result<void> is_set = target.set(keyword, value);
    FOREBAY_CHECK(is_set.has_value(), "a session setting was not checked");
  }
}

std::string setting_in(const Error& error, const SessionSettings& settings) {
  const std::string text = lower_case(error.text());
  const bool is_poolers = text.contains("startup parameter");
  for (const auto& [name, value] : settings) {
    const std::string lowered = lower_case(name);
    if (text.contains(fmt::format("\"{}\"", lowered)) || (is_poolers && text.contains(lowered)))
      return name;
  }
  return "";
}

}  // namespace forebay::postgres
