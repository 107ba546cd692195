// What "forebay sim --seeds" says at the end. Pure.
#pragma once

#include <string>

#include "forebay/cli/sim/seed_runs.hpp"
#include "forebay/cli/sim/sim_options.hpp"

namespace forebay::cli {

// Several lines, each with its end: the figures, then the first seeds that failed.
std::string summary_text(const SimOptions& options, const SeedsOutcome& outcome, Duration wall_time,
                         const TextStyle& style);

// Only the seeds that failed. Empty: there are none.
std::string failures_text(const SimOptions& options, const SeedsOutcome& outcome,
                          const TextStyle& style);

std::string summary_json(const SimOptions& options, const SeedsOutcome& outcome,
                         Duration wall_time);

}  // namespace forebay::cli
