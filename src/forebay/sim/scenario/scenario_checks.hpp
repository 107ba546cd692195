// Whether the values of a scenario, each possible in itself, are possible together: nothing that is
// accepted makes a pool with impossible options, a fault after the end, or a run that no machine
// could bear.
#pragma once

#include "forebay/sim/scenario/scenario_keys.hpp"
#include "forebay/yaml/file_problems.hpp"

namespace forebay::sim {

void check_scenario(const ScenarioDraft& draft, yaml::FileProblems& problems);

}  // namespace forebay::sim
