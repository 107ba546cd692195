// Fifty connections from one burst do not die in one: callers never find the pool empty.
#include "integration/pool_fixture.hpp"

namespace forebay::test {
namespace {

class BurstExpiryTest : public PoolFixture {};

TEST_F(BurstExpiryTest, NobodyFindsThePoolEmpty) {
  launch({});
  PoolOptions options;
  options.size.max = 50;
  options.supply = Supply::reservoir;
  options.lifetime = 2s;
  options.lifetime_jitter = 0s;
  options.guard_window = 200ms;
  options.connect_rate = 100;
  options.connect_burst = 50;
  auto pool = open_pool(options);
  ASSERT_TRUE(pool->is_filled());
  const std::uint64_t empty_before = pool->statistics().counters.empty;
  std::atomic<int> served = 0;
  std::atomic<int> failed = 0;

  {
    Load load(20, [&](int) {
      Result<PooledSession> session = pool->acquire_blocking(5s);
      const bool is_served = session && (*session)->exec_blocking("SELECT 1", 5s);
      ++(is_served ? served : failed);
      // An instrumented program that never rests keeps the server from forking replacements in
      // time.
      if (kIsSanitized) std::this_thread::sleep_for(10ms);
    });
    std::this_thread::sleep_for(load_time(20s));
  }

  const PoolStatistics statistics = pool->statistics();
  EXPECT_EQ(statistics.counters.empty - empty_before, 0u);
  EXPECT_EQ(failed, 0);
  EXPECT_GT(served, 100);
  EXPECT_GT(statistics.counters.opened, 100u);
  std::printf("served %d, opened %llu, empty %llu\n", served.load(),
              static_cast<unsigned long long>(statistics.counters.opened),
              static_cast<unsigned long long>(statistics.counters.empty - empty_before));
}

}  // namespace
}  // namespace forebay::test
