// The server goes away for five seconds and comes back, under load.
#include "integration/pool_fixture.hpp"

namespace forebay::test {
namespace {

class RecoveryTest : public PoolFixture {};

// Waits until the load has been served more often than that.
bool grows_beyond(const std::atomic<int>& served, int before) {
  for (int i = 0; i < 2000 && served <= before; ++i) std::this_thread::sleep_for(5ms);
  return served > before;
}

TEST_F(RecoveryTest, ThePoolIsBackAtTargetAsFastAsBackoffAllows) {
  launch({});
  PoolOptions options;
  options.size.max = 10;
  options.supply = Supply::reservoir;
  options.connect_rate = 100;
  options.backoff.longest = 1s;
  auto pool = open_pool(options);
  constexpr Duration kTimeout = 500ms;
  constexpr Duration kBusyMachine = kIsSanitized ? 20s : 5s;
  std::atomic<std::int64_t> slowest_nanoseconds = 0;
  std::atomic<int> served = 0;
  std::atomic<int> unexplained = 0;
  std::atomic<int> refused = 0;
  Load load(8, [&](int) {
    const Instant asked = runtime.scheduler().now();
    Result<PooledSession> session = pool->acquire_blocking(kTimeout);
    const std::int64_t waited = (runtime.scheduler().now() - asked).count();
    std::int64_t slowest = slowest_nanoseconds;
    while (waited > slowest && !slowest_nanoseconds.compare_exchange_weak(slowest, waited)) {
    }
    if (!session) {
      ++refused;
      // Who is turned away is told why: what holds the connections, or what keeps
      // them from opening.
      const std::string& text = session.error().text();
      if (text.find("last connect failure: ") == std::string::npos) ++unexplained;
      return;
    }
    if ((*session)->exec_blocking("SELECT 1", 5s)) ++served;
    std::this_thread::sleep_for(1ms);
  });
  ASSERT_TRUE(grows_beyond(served, 0));

  server->stop();
  std::this_thread::sleep_for(5s);
  const int served_while_away = served;
  EXPECT_EQ(pool->statistics().open(), 0);
  ASSERT_TRUE(server->start().has_value());
  const Instant back = runtime.scheduler().now();
  while (pool->statistics().open() < 10 && runtime.scheduler().now() - back < 30s) {
    std::this_thread::sleep_for(5ms);
  }
  const Duration recovery = runtime.scheduler().now() - back;
  EXPECT_TRUE(grows_beyond(served, served_while_away));
  load.stop();

  // One backoff at most (1 s), ten connects at 100 a second, and what a busy machine adds.
  EXPECT_LT(recovery, 1s + 100ms + kBusyMachine);
  EXPECT_GT(refused, 0);
  EXPECT_EQ(unexplained, 0);
  EXPECT_LT(Duration(slowest_nanoseconds), kTimeout + kBusyMachine);
  EXPECT_TRUE(pool->close(30s));
  std::printf("back at target after %lld ms; slowest answer %lld ms; %d turned away meanwhile\n",
              static_cast<long long>(recovery / 1ms),
              static_cast<long long>(Duration(slowest_nanoseconds) / 1ms), refused.load());
}

}  // namespace
}  // namespace forebay::test
