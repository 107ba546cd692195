#include "forebay/sim/result/result.hpp"

#include <algorithm>

namespace forebay::sim {

bool RunResult::holds() const {
  return !broken_promise.has_value() && std::ranges::all_of(assertions, &Verdict::holds);
}

}  // namespace forebay::sim
