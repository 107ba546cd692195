// A hundred worlds of proxies by chance: every client hears, too, what it would hear with the
// server to itself.
#include "sim_proxy/random_proxies.hpp"
#include "support/swarm.hpp"

namespace forebay::sim {
namespace {

constexpr std::uint64_t kShards = 4;

class ProxySwarmTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ProxySwarmTest, EverySeedIsSafeAndLive) {
  run_swarm<RandomProxies>(GetParam(), kShards,
                           [](Scenario& scenario) { scenario.healing = RandomProxies::kHealing; });
}

INSTANTIATE_TEST_SUITE_P(Shards, ProxySwarmTest, testing::Range<std::uint64_t>(0, kShards));

}  // namespace
}  // namespace forebay::sim
