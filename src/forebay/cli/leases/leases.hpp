// "forebay leases": makes the table of leases, shows who holds how many, and frees what the dead
// left behind.
#pragma once

#include "forebay/cli/leases/leases_options.hpp"

namespace forebay::cli {

// Returns the exit code.
int run_leases(const LeasesOptions& options);

}  // namespace forebay::cli
