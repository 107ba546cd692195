#include "forebay/cli/config_view.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "forebay/base/json_writer.hpp"

namespace forebay::cli {
namespace {

// Longer values push their source to the right, so that the others stay readable.
constexpr std::size_t kWidestValue = 40;

JsonList json_list(const std::vector<std::string>& texts) {
  JsonList list;
  for (const std::string& text : texts) list.add(text);
  return list;
}

}  // namespace

std::string configuration_text(const Configuration& configuration) {
  std::size_t key_width = 0;
  std::size_t value_width = 0;
  for (const EffectiveSetting& setting : configuration.settings) {
    key_width = std::max(key_width, setting.key.size());
    value_width = std::max(value_width, std::min(setting.value.size(), kWidestValue));
  }
  std::string text;
  std::string group;
  for (const EffectiveSetting& setting : configuration.settings) {
    std::string its_group = setting.key.substr(0, setting.key.find('.'));
    if (!group.empty() && its_group != group) text += '\n';
    group = std::move(its_group);
    text += fmt::format("{:{}}  {:{}}  {}\n", setting.key, key_width,
                        setting.value.empty() ? "-" : setting.value, value_width, setting.source);
  }
  if (!configuration.warnings.empty()) text += '\n';
  for (const std::string& warning : configuration.warnings)
    text += fmt::format("warning: {}\n", warning);
  return text;
}

std::string configuration_json(const ConfigurationReading& reading) {
  JsonObject settings;
  // What stands beside a problem is not what would hold.
  if (reading.problems.empty()) {
    for (const EffectiveSetting& setting : reading.configuration.settings) {
      JsonObject shown;
      shown.add("value", setting.value).add("source", setting.source);
      settings.add(setting.key, shown.add("is_default", setting.is_default));
    }
  }
  JsonObject json;
  json.add("settings", settings).add("warnings", json_list(reading.configuration.warnings));
  return json.add("problems", json_list(reading.problems)).text() + "\n";
}

}  // namespace forebay::cli
