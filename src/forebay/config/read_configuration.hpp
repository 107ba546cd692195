// Reads a configuration: the environment counts more than the file, the file more than the
// defaults.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/config/configuration.hpp"
#include "forebay/config/proxy_configuration.hpp"
#include "forebay/env/machine.hpp"
#include "forebay/env/task.hpp"

namespace forebay {

// The file to read if none is named.
inline constexpr std::string_view kConfigurationFileVariable = "FOREBAY_CONFIG";

// No setting: where tools find the metrics of a running service.
inline constexpr std::string_view kMetricsUrlVariable = "FOREBAY_METRICS_URL";

struct ConfigurationReading {
  ConfigurationReading() = default;

  // Both are to be used only if there are no problems.
  Configuration configuration;
  ProxyConfiguration proxy;
  // Everything that is wrong, one line each: where, the value, what would be right.
  std::vector<std::string> problems;
};

// The text of a file, and what it is called in messages.
struct ConfigurationFile {
  ConfigurationFile(std::string name_of_file, std::string text_of_file)
      : name(std::move(name_of_file)), text(std::move(text_of_file)) {}
  std::string name;
  std::string text;
};

// A setting from a command line, which counts more than the environment. A whole target counts more
// than everything that is said of the database.
struct GivenSetting {
  GivenSetting(std::string by, std::string key_of_setting, std::string text)
      : option(std::move(by)), key(std::move(key_of_setting)), word(std::move(text)) {}
  std::string option;  // "--query-wait"
  std::string key;     // "proxy.query_wait"
  std::string word;
};

ConfigurationReading read_configuration(const Machine& machine,
                                        const std::optional<ConfigurationFile>& file,
                                        const std::vector<GivenSetting>& given = {});

// The same with the file read: the path, or what FOREBAY_CONFIG names, or none.
Task<ConfigurationReading> read_configuration(Machine& machine, std::string path,
                                              std::vector<GivenSetting> given = {});

// With neither a file nor an environment.
ConfigurationReading read_configuration(const std::vector<GivenSetting>& given);

}  // namespace forebay
