// "forebay sim": runs a scenario with one seed or with many, and says what held.
#pragma once

#include "forebay/cli/sim/sim_options.hpp"

namespace forebay::cli {

// Call it on the main thread of a process without other threads. The summary goes to stdout; with
// --json the only thing there is one JSON object, and what did not hold goes to stderr. Returns the
// exit code: 0 everything held, 1 something did not or could not be written, 130 interrupted.
int simulate(const SimOptions& options);

}  // namespace forebay::cli
