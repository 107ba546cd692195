// What summaries say of callers, so that nobody reads "everything held" and misses those who
// failed. Pure.
#pragma once

#include <string>

#include "forebay/cli/text/styled_line.hpp"
#include "forebay/sim/result/result.hpp"

namespace forebay::cli {

// "40,104, of whom 4,887 failed (12.2 %); 4,887 got no connection in time"
std::string callers_text(const sim::CallerTotals& callers);

// The right end of a title where no assertion and no promise failed.
void add_held(StyledLine& title, const sim::CallerTotals& callers);

}  // namespace forebay::cli
