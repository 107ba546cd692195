// The services of a simulated run as a table: all of them, or the worst if they are many. Pure.
#pragma once

#include "forebay/cli/text_block.hpp"
#include "forebay/sim/result/result.hpp"

namespace forebay::cli {

void add_service_table(const sim::RunResult& result, TextBlock& block);

}  // namespace forebay::cli
