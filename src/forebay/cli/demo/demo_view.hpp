// The live view of the demo: a trend in, lines of text out. Pure.
//
// No line is wider than the style allows. It has at most 24 lines, from 60 columns on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "forebay/cli/demo/demo_history.hpp"
#include "forebay/cli/demo/demo_options.hpp"
#include "forebay/cli/text/styled_line.hpp"

namespace forebay::cli {

enum class DemoStage : std::uint8_t { filling, running, ending };

std::vector<std::string> render(const DemoOptions& options, DemoStage stage, const DemoTrend& trend,
                                const TextStyle& style);

}  // namespace forebay::cli
