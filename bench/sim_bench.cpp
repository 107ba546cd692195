// What a simulated world costs: the shipped fleets, and one fleet in three sizes and three lengths.
// All checks are on. What it leaves out: reading the scenario and writing the results.
#include <benchmark/benchmark.h>

#include "forebay/sim/run.hpp"
#include "forebay/sim/scenario/scenario_file.hpp"
#include "forebay/sim/scenario/shipped_scenarios.hpp"

namespace forebay::sim {
namespace {

void run_world(benchmark::State& state, const Scenario& scenario) {
  std::uint64_t events = 0;
  bool holds = true;
  for (auto _ : state) {
    const RunResult result = run(scenario);
    events = result.events;
    holds = holds && result.holds();
  }
  if (!holds) state.SkipWithError("an assertion failed");
  state.counters["events"] = static_cast<double>(events);
  state.counters["events_per_second"] = benchmark::Counter(
      static_cast<double>(events), benchmark::Counter::kIsIterationInvariantRate);
}

void shipped_scenario(benchmark::State& state, const char* name) {
  for (const BundledFile& file : shipped_scenarios()) {
    if (file.name == name) return run_world(state, read_scenario(file.text, name).scenario);
  }
  state.SkipWithError("there is no such scenario");
}

// So many processes of 500 connections, for so many minutes of virtual time.
void fleet(benchmark::State& state) {
  Scenario scenario;
  scenario.duration = std::chrono::minutes(state.range(1));
  scenario.assertions.converge_within.reset();
  ServiceSpec service;
  service.name = "service";
  service.replicas = static_cast<int>(state.range(0));
  service.target_ready = 500;
  scenario.services.push_back(service);
  run_world(state, scenario);
}

BENCHMARK_CAPTURE(shipped_scenario, local, "local.yaml")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(shipped_scenario, ecs_150wps, "ecs-150wps.yaml")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(shipped_scenario, ecs_400wps, "ecs-400wps.yaml")->Unit(benchmark::kMillisecond);
BENCHMARK(fleet)
    ->ArgNames({"processes", "minutes"})
    ->Args({11, 30})
    ->Args({22, 30})
    ->Args({44, 30})
    ->Args({22, 15})
    ->Args({22, 60})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace forebay::sim

BENCHMARK_MAIN();
