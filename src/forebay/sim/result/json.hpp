// What a run showed, for programs: everything but the time series, which write_csv gives.
#pragma once

#include <string>

#include "forebay/sim/result/result.hpp"

namespace forebay::sim {

// One JSON object on one line. Keys are stable; times are in seconds of virtual time; what did not
// happen is null; every discard reason is there.
std::string result_json(const RunResult& result);

}  // namespace forebay::sim
