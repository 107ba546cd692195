// The time series of a run as CSV, for spreadsheets and scripts. Columns of the seeds' poolsim come
// first, by their old names, so that its scripts go on working; ours follow.
#pragma once

#include <iosfwd>

#include "forebay/sim/result/result.hpp"

namespace forebay::sim {

// A line of names, then one row for each sample time and service: by time, then in the order of the
// services. Virtual time zero is 2026-01-01T00:00:00Z. What is a counter is one since the start.
// Nothing is kept: rows go to the stream as they are made.
void write_csv(const RunResult& result, std::ostream& out);

}  // namespace forebay::sim
