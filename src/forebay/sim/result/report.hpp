// The report of a run for people: one HTML page with plots that needs nothing but a browser. It
// loads nothing from anywhere.
#pragma once

#include <iosfwd>

#include "forebay/sim/result/result.hpp"

namespace forebay::sim {

void write_report(const RunResult& result, std::ostream& out);

}  // namespace forebay::sim
