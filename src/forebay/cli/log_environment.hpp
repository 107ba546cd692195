// FOREBAY_LOG_LEVEL and FOREBAY_LOG_FORMAT, for commands that read no configuration.
#pragma once

#include "forebay/cli/command.hpp"

namespace forebay::cli {

// Makes the log as the environment says. Adds what is wrong with it to the problems.
void apply_log_environment(Problems& problems);

}  // namespace forebay::cli
