// Reads scenario files: YAML, or JSON, with the keys of docs/simulation.md. The files of poolsim
// are read unchanged.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "forebay/sim/scenario/scenario.hpp"

namespace forebay::sim {

struct ScenarioReading {
  Scenario scenario;  // to be used only if there are no problems
  // Everything that is wrong with the file, one line each, in its order:
  // "file.yaml:12: services[1].targetReady: "fifty" is not a whole number; write it like 50"
  std::vector<std::string> problems;
};

// The scenario is called as the file is, without folder and ending.
ScenarioReading read_scenario(std::string_view text, const std::string& file_name);
ScenarioReading read_scenario_file(const std::string& path);

}  // namespace forebay::sim
