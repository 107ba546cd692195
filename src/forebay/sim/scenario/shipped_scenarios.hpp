// The files of the folder scenarios, which the build has put into the program.
#pragma once

#include <vector>

#include "forebay/base/bundled_file.hpp"

namespace forebay {

std::vector<BundledFile> shipped_scenarios();  // by name

}  // namespace forebay
