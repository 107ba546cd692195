// "forebay serve": the proxy at work, from its options to its end.
#pragma once

#include "forebay/cli/serve/serve_options.hpp"

namespace forebay::cli {

// Returns the exit code.
int run_serve(const ServeOptions& options);

}  // namespace forebay::cli
