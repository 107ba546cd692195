// Running a scenario: the whole world from its first event to its last, on one thread.
#pragma once

#include "forebay/sim/result/result.hpp"
#include "forebay/sim/scenario/scenario.hpp"

namespace forebay::sim {

class Tampering;

// Looks on while a world runs, for a progress line or to stop it.
class RunWatch {
 public:
  virtual ~RunWatch() = default;
  // Asked at every sample. False: stop here; what was seen so far is the result.
  virtual bool go_on(Duration virtual_time, std::uint64_t events) = 0;
};

// The same scenario, seed included, gives the same result everywhere. Several worlds may run at
// once, each on its own thread.
RunResult run(const Scenario& scenario, RunWatch* watch = nullptr);
// For tests: with parts that have a bug in them.
RunResult run(const Scenario& scenario, Tampering& tampering, RunWatch* watch = nullptr);

}  // namespace forebay::sim
