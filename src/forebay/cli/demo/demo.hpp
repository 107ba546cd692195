// "forebay demo": a reservoir pool at work on a PostgreSQL, with a live view, until told to end.
#pragma once

#include "forebay/cli/demo/demo_options.hpp"

namespace forebay::cli {

// Call it on the main thread of a process without other threads. The summary goes to stdout, errors
// and warnings to stderr. Returns the exit code: 0, or 1 when there was no database to work with.
int run_demo(const DemoOptions& options);

}  // namespace forebay::cli
