// Worlds by chance, each twice: no promise is broken, what can get well does, and a seed is a
// world. FOREBAY_SEEDS=10000 looks further, FOREBAY_SEED=17 at one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "forebay/sim/run.hpp"
#include "forebay/sim/scenario/scenario_file.hpp"

namespace forebay::sim {

inline std::uint64_t number_in(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::stoull(text) : otherwise;
}

inline std::string told(const RunResult& result, const std::string& file) {
  std::string text;
  if (result.broken_promise) {
    text += "promise " + std::to_string(result.broken_promise->promise) + " of " +
            result.broken_promise->process + ": " + result.broken_promise->what + "\n" +
            result.broken_promise->state + "\n";
  }
  for (const Verdict& verdict : result.assertions) {
    if (!verdict.holds)
      text += verdict.name + ": expected " + verdict.expected + ", seen " + verdict.seen + "\n";
  }
  return text + "as a file:\n" + file;
}

// A shard of the seeds from 1 on. RandomWorld(seed).text() is a scenario file, and heal() says of a
// scenario how long it has to get well, if that is not the default.
template <class RandomWorld, class Heal>
void run_swarm(std::uint64_t shard, std::uint64_t shards, Heal heal) {
  const std::uint64_t only = number_in("FOREBAY_SEED", 0);
  const std::uint64_t seeds = number_in("FOREBAY_SEEDS", FOREBAY_SWARM_SEEDS);
  for (std::uint64_t seed = 1 + shard; seed <= std::max(seeds, only); seed += shards) {
    if (only != 0 && seed != only) continue;
    const std::string file = RandomWorld(seed).text();
    ScenarioReading reading = read_scenario(file, "swarm.yaml");
    ASSERT_TRUE(reading.problems.empty()) << reading.problems.front() << "\n" << file;
    heal(reading.scenario);

    const RunResult result = run(reading.scenario);
    ASSERT_TRUE(result.holds()) << "seed " << seed << ": " << told(result, file);
    ASSERT_EQ(run(reading.scenario).trace_hash, result.trace_hash) << "seed " << seed;
  }
}

}  // namespace forebay::sim
