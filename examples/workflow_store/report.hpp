// What the program prints at the end.
#pragma once

#include <string>
#include <vector>

#include <forebay/retry/transaction_metrics.hpp>

#include "ledger.hpp"
#include "verify.hpp"

namespace workflow {

struct OperatorCount {
  std::uint64_t notes = 0;
  std::uint64_t refused_notes = 0;  // the owner changed at that very moment
  std::uint64_t given_up = 0;
};

// A figure a line. Pure.
std::string report_text(const Ledger& all, const OperatorCount& operator_count,
                        const std::vector<forebay::OperationSnapshot>& operations,
                        const Verification& verification);

}  // namespace workflow
