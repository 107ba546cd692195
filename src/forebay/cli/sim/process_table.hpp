// The processes of a simulated run as a table: all of them, or the worst if they are many. Pure.
#pragma once

#include "forebay/cli/text/text_block.hpp"
#include "forebay/sim/result/result.hpp"

namespace forebay::cli {

void add_process_table(const sim::RunResult& result, TextBlock& block);

}  // namespace forebay::cli
