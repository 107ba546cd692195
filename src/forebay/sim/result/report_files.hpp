// The files of web/report, and those of uPlot, as the build put them into the program; none if it
// was built where there was no npm.
#pragma once

#include <vector>

#include "forebay/base/bundled_file.hpp"

namespace forebay {

std::vector<BundledFile> report_files();

}  // namespace forebay
