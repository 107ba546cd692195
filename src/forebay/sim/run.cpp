#include "forebay/sim/run.hpp"

#include "forebay/sim/world.hpp"

namespace forebay::sim {

RunResult run(const Scenario& scenario, Tampering& tampering, RunWatch* watch) {
  return World(scenario, tampering).run(watch);
}

RunResult run(const Scenario& scenario, RunWatch* watch) {
  Tampering honest;
  return run(scenario, honest, watch);
}

}  // namespace forebay::sim
