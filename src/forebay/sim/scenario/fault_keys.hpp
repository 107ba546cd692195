// The keys of a fault in a scenario file. Each kind of fault understands some of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "forebay/sim/scenario/scenario.hpp"
#include "forebay/yaml/field.hpp"

namespace forebay::sim {

// One of "faults"; nothing if its kind is not known.
std::optional<FaultSpec> read_fault(const yaml::Field& item);

// The group "scenario" of poolsim's files. Keys of another kind are read and mean nothing, as
// there.
FaultSpec read_poolsim_fault(const yaml::Field& group);

std::vector<std::string> fault_keys();
std::vector<std::string> poolsim_fault_keys();
// What a fault of this kind understands, besides its kind.
std::vector<std::string> fault_keys(FaultKind kind);

}  // namespace forebay::sim
