#include "forebay/config/setting.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/config/setting_value.hpp"
#include "forebay/detail/base/check.hpp"
#include "forebay/postgres/driver/conninfo.hpp"

namespace forebay::config {

std::string number_word(double value) { return fmt::format("{}", value); }

std::string Setting::shown_value(const Settings& settings) const {
  std::string word = value.word(settings);
  if (word.empty()) return std::string(otherwise);
  if (secrecy == Secrecy::none) return word;
  if (secrecy == Secrecy::secret) return "***";
  const Result<postgres::ConnectionString> parsed = postgres::ConnectionString::parse(word);
  return parsed ? parsed->redacted() : "***";
}

const Setting& setting_of(std::string_view key) {
  const auto found = std::ranges::find(all_settings(), key, &Setting::key);
  FOREBAY_CHECK(found != all_settings().end(), "a key that is in no table");
  return *found;
}

const Setting* setting_of_option(std::string_view option) {
  const auto found = std::ranges::find(all_settings(), option, &Setting::option_name);
  return found == all_settings().end() ? nullptr : &*found;
}

}  // namespace forebay::config
