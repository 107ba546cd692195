// What tests of worlds with proxies ask of a run.
#pragma once

#include <string>

#include "forebay/sim/result/result.hpp"

namespace forebay::sim {

// What was broken, and where; empty: nothing.
inline std::string broken(const RunResult& result) {
  return result.broken_promise ? result.broken_promise->what + "; " + result.broken_promise->state
                               : "";
}

inline ClientFigures figures(const RunResult& result) {
  return result.clients().value_or(ClientFigures());
}

}  // namespace forebay::sim
