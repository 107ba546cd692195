#include "forebay/cli/log_environment.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "forebay/config/origins.hpp"

namespace forebay::cli {

void apply_log_environment(Problems& problems) {
  config::Settings settings;
  for (const char* const key : {"log.level", "log.format"}) {
    const config::Setting& setting = config::setting_of(key);
    const std::string variable(setting.variable);
    const char* const word = std::getenv(variable.c_str());
    if (word == nullptr || *word == '\0') continue;
    if (const auto wrong = setting.value.read(word, settings))
      problems.push_back(fmt::format("{}: {}", variable, *wrong));
  }
  if (settings.log_level) log::set_level(*settings.log_level);
  if (settings.log_format) log::set_format(*settings.log_format);
}

}  // namespace forebay::cli
