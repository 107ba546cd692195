// Whether the values of one service of a scenario go together.
#pragma once

#include <string>

#include "forebay/sim/scenario/scenario.hpp"
#include "forebay/yaml/file_problems.hpp"

namespace forebay::sim {

// The path is that of the service: "services[1]". Where nothing is refused, its pool_options() are
// without problems, and processes() of it can be made.
void check_service(const Scenario& scenario, const ServiceSpec& service, const std::string& path,
                   yaml::FileProblems& problems);

}  // namespace forebay::sim
