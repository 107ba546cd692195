// What the demo says at its end, for people or for programs. Pure.
#pragma once

#include <string>

#include "forebay/cli/demo/demo_history.hpp"
#include "forebay/cli/demo/demo_options.hpp"

namespace forebay::cli {

// Several lines, each with its end.
std::string summary_text(const DemoOptions& options, const DemoSample& end);

// One JSON object on one line. Keys are stable; every discard reason is there.
std::string summary_json(const DemoOptions& options, const DemoSample& end);

}  // namespace forebay::cli
