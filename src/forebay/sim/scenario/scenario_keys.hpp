// The keys of a scenario file: their names, what each of them sets, and the range it must be in.
// Whether the values go together is for scenario_checks to say.
#pragma once

#include <string>
#include <vector>

#include "forebay/sim/scenario/scenario.hpp"
#include "forebay/yaml/field.hpp"

namespace forebay::sim {

// Where a fault stands in the file: under "faults", or under the "scenario" of old files, which
// has other names for the same.
struct FaultPlace {
  std::string path;
  std::string at;  // where its time stands
};

struct ScenarioDraft {
  Scenario scenario;
  std::vector<FaultPlace> fault_places;  // of scenario.faults
};

// REQUIRES: file is the whole of it.
ScenarioDraft read_keys(const yaml::Field& file);

struct KeyGroup {
  std::string path;  // "services[].workload"; empty: the file itself
  std::vector<std::string> keys;
};

// All keys that there are, for documentation and its test.
std::vector<KeyGroup> scenario_keys();

}  // namespace forebay::sim
