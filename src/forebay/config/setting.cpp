#include "forebay/config/setting.hpp"

#include <fmt/format.h>

#include "forebay/config/setting_value.hpp"
#include "forebay/postgres/conninfo.hpp"

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

}  // namespace forebay::config
