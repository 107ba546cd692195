// A hundred worlds with proxies by chance, each twice: no promise is broken, every client hears
// what it would hear with the server to itself, what can get well does, and a seed is a world.
// FOREBAY_SEEDS=10000 looks further, FOREBAY_SEED=17 at one.
#include <cstdlib>

#include <gtest/gtest.h>

#include "sim_proxy/proxy_world.hpp"

namespace forebay::sim {
namespace {

std::uint64_t number_in(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::stoull(text) : otherwise;
}

ProxyWorldResult run_world(std::uint64_t seed) {
  ProxyTampering none;
  return ProxyWorld(RandomPlan(seed).draw(), none).run();
}

constexpr std::uint64_t kShards = 4;

class ProxySwarmTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ProxySwarmTest, EverySeedIsSafeAndLive) {
  const std::uint64_t only = number_in("FOREBAY_SEED", 0);
  const std::uint64_t seeds = number_in("FOREBAY_SEEDS", FOREBAY_SWARM_SEEDS);
  for (std::uint64_t seed = 1 + GetParam(); seed <= std::max(seeds, only); seed += kShards) {
    if (only != 0 && seed != only) continue;

    const ProxyWorldResult result = run_world(seed);
    ASSERT_FALSE(result.broken.has_value())
        << "seed " << seed << ": promise " << result.broken->promise << ": " << result.broken->what
        << " at " << readable_time(result.broken->when);
    ASSERT_EQ(run_world(seed).trace_hash, result.trace_hash) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Shards, ProxySwarmTest, testing::Range<std::uint64_t>(0, kShards));

}  // namespace
}  // namespace forebay::sim
