// The report of a run for people: one HTML page with plots that needs nothing but a browser. It
// loads nothing from anywhere.
#pragma once

#include <iosfwd>

#include "forebay/sim/result/result.hpp"

namespace forebay::sim {

// False: this program was built where there was no npm, and so without the script that draws plots.
bool has_report();

// REQUIRES: has_report().
void write_report(const RunResult& result, std::ostream& out);

}  // namespace forebay::sim
