// Which scenario a word of the command line means: a file, or one that is shipped with the program.
#pragma once

#include <string>
#include <vector>

#include "forebay/sim/scenario/scenario_file.hpp"

namespace forebay::cli {

// "local", as the user names them, in alphabetical order.
std::vector<std::string> shipped_scenario_names();

// A file wins over a shipped scenario of the same name. The problems are the reader's, or one that
// says what there is instead.
sim::ScenarioReading choose_scenario(const std::string& word);

// The shipped scenarios with what they are about, for people or for programs.
std::string scenario_list_text(int width);
std::string scenario_list_json();

}  // namespace forebay::cli
