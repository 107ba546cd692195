// What "forebay config check" shows of a configuration. Pure.
#pragma once

#include <string>

#include "forebay/config/read_configuration.hpp"

namespace forebay::cli {

// Every setting with its value and where it came from, then the warnings.
std::string configuration_text(const Configuration& configuration);
// One line; the problems, too.
std::string configuration_json(const ConfigurationReading& reading);

}  // namespace forebay::cli
