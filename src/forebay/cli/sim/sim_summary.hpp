// What "forebay sim" says at the end of one run. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "forebay/cli/text/styled_line.hpp"
#include "forebay/sim/result/result.hpp"

namespace forebay::cli {

// What the command adds to a result.
struct RunFigures {
  Duration wall_time{};
  std::uint64_t peak_memory = 0;    // bytes of the process; 0: unknown
  std::size_t faults_left_out = 0;  // since the run was made shorter than the scenario
  std::string replay;               // what to type to see it again
};

// Several lines, each with its end; what did not hold comes last.
std::string summary_text(const sim::RunResult& result, const RunFigures& figures,
                         const TextStyle& style);

// Only what did not hold, with how to see it again. Empty: everything held.
std::string failures_text(const sim::RunResult& result, const RunFigures& figures,
                          const TextStyle& style);

// The result as JSON with wall_seconds and events_per_second.
std::string summary_json(const sim::RunResult& result, const RunFigures& figures);

}  // namespace forebay::cli
