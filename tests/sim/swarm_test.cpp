// A few hundred worlds of pools by chance.
#include "support/swarm.hpp"

#include "support/random_scenario.hpp"

namespace forebay::sim {
namespace {

constexpr std::uint64_t kShards = 10;

class SwarmTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(SwarmTest, EverySeedIsSafeAndLive) {
  run_swarm<RandomScenario>(GetParam(), kShards, [](Scenario&) {});
}

INSTANTIATE_TEST_SUITE_P(Shards, SwarmTest, testing::Range<std::uint64_t>(0, kShards));

}  // namespace
}  // namespace forebay::sim
