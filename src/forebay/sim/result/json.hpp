// What a run showed, for programs: everything but the time series, which write_csv gives.
#pragma once

#include <string>

#include "forebay/base/json_writer.hpp"
#include "forebay/sim/result/result.hpp"

namespace forebay::sim {

// Keys are stable; times are in seconds of virtual time; what did not happen is null; every discard
// reason is there.
JsonObject result_object(const RunResult& result);

JsonObject callers_object(const CallerTotals& callers);

// The result on one line.
std::string result_json(const RunResult& result);

}  // namespace forebay::sim
