// What the report's page knows of a run, as one JSON object:
//
//   run       what result_json gives
//   seed      as a text, because numbers of JavaScript lose digits beyond 2^53
//   every     n: services' series hold every n-th sample; 1 unless the run is very long
//   cluster   series of ClusterSample, and of the sums over all services, at the same times
//   services  for each its series, in the order of run.services
//
// Series are texts as SeriesText makes them, times in microseconds. Discards are there for each
// reason that occurred.
#pragma once

#include <iosfwd>

#include "forebay/sim/result/result.hpp"

namespace forebay::sim {

// The text holds no "<", so that it can stand in a script element.
void write_report_data(const RunResult& result, std::ostream& out);

}  // namespace forebay::sim
