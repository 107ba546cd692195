// A hundred worlds of proxies by chance, each twice: no promise is broken, every client hears what
// it would hear with the server to itself, what can get well does, and a seed is a world.
// FOREBAY_SEEDS=10000 looks further, FOREBAY_SEED=17 at one.
#include <cstdlib>

#include <gtest/gtest.h>

#include "forebay/sim/run.hpp"
#include "forebay/sim/scenario/scenario_file.hpp"
#include "sim_proxy/random_proxies.hpp"

namespace forebay::sim {
namespace {

std::uint64_t number_in(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::stoull(text) : otherwise;
}

std::string told(const RunResult& result, const std::string& file) {
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

constexpr std::uint64_t kShards = 4;

class ProxySwarmTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ProxySwarmTest, EverySeedIsSafeAndLive) {
  const std::uint64_t only = number_in("FOREBAY_SEED", 0);
  const std::uint64_t seeds = number_in("FOREBAY_SEEDS", FOREBAY_SWARM_SEEDS);
  for (std::uint64_t seed = 1 + GetParam(); seed <= std::max(seeds, only); seed += kShards) {
    if (only != 0 && seed != only) continue;
    const std::string file = RandomProxies(seed).text();
    ScenarioReading reading = read_scenario(file, "swarm.yaml");
    ASSERT_TRUE(reading.problems.empty()) << reading.problems.front() << "\n" << file;
    Scenario& scenario = reading.scenario;
    scenario.healing = RandomProxies::kHealing;

    const RunResult result = run(scenario);
    ASSERT_TRUE(result.holds()) << "seed " << seed << ": " << told(result, file);
    ASSERT_EQ(run(scenario).trace_hash, result.trace_hash) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Shards, ProxySwarmTest, testing::Range<std::uint64_t>(0, kShards));

}  // namespace
}  // namespace forebay::sim
