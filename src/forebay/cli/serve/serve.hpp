// "forebay serve": the proxy at work, from its options to its end.
#pragma once

#include "forebay/cli/serve/serve_options.hpp"

namespace forebay::cli {

// The configuration is right, and of no use if there is a server of its own. Returns the exit code.
int run_serve(const ServeOptions& options, ConfigurationReading reading);

}  // namespace forebay::cli
