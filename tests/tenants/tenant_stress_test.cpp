// Threads, real time and a fake server: what the simulator cannot show. Run under ThreadSanitizer.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "support/real_tenants.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;

// Eight threads want any of forty tenants, who have thirteen connections together; somebody closes
// tenants, and somebody looks at all of them.
TEST(TenantStressTest, ThreadsComeAndGoAndSoDoPools) {
  TenantOptions options;
  options.max_connections = 20;
  options.stint = 2ms;
  options.max_known_tenants = 30;
  options.pool.idle_timeout = 50ms;
  RealTenants tenants(options, [](FakeServer& server) {
    server.connect_time = 500us;
    server.close_time = 100us;
    server.needs_reset = true;
  });
  std::atomic<int> served = 0;
  std::atomic<bool> is_over = false;

  std::vector<std::thread> threads;
  for (std::uint64_t i = 1; i <= 8; ++i) {
    threads.emplace_back([&, i] {
      SeededRandom random(i);
      for (int round = 0; round < 400; ++round) {
        const std::string tenant = "t" + std::to_string(random.below(40));
        const Duration patience = random.between(0ms, 20ms);
        Result<PooledConnection> got = tenants->acquire_blocking(tenant, patience);
        if (!got) continue;
        ++served;
        if (random.below(10) == 0) got->mark_broken();
      }
    });
  }
  std::thread closing([&] {
    SeededRandom random(99);
    while (!is_over) {
      const std::string tenant = "t" + std::to_string(random.below(40));
      run_blocking(tenants.scheduler(), tenants->close_tenant(tenant, kNever));
      EXPECT_LE(tenants->totals().in_use, 13);
      EXPECT_LE(tenants->all_statistics().size(), 60u);
    }
  });
  for (std::thread& thread : threads) thread.join();
  is_over = true;
  closing.join();

  EXPECT_GT(served, 100);
  EXPECT_EQ(tenants->totals().lent, 0);
  const FakeServer& server = tenants.close();
  EXPECT_EQ(server.sessions, 0);
  EXPECT_EQ(server.refusals, 0);
  EXPECT_LE(server.most_sessions, 13);
}

// Somebody waits, and the tenant is closed under it: the pool outlives the wait.
TEST(TenantStressTest, WhoWaitsWhenItsTenantIsClosedIsToldSo) {
  TenantOptions options;
  options.max_per_tenant = 1;
  RealTenants tenants(options, [](FakeServer&) {});
  for (int round = 0; round < 20; ++round) {
    Result<PooledConnection> held = tenants->acquire_blocking("a", 30s);
    ASSERT_TRUE(held.has_value()) << held.error().text();
    std::thread waiting([&] {
      const Result<PooledConnection> refused = tenants->acquire_blocking("a", 30s);
      EXPECT_TRUE(!refused && refused.error().code() == Errc::closed);
    });
    while (tenants->statistics("a")->waiters == 0) std::this_thread::yield();
    std::thread closing(
        [&] { run_blocking(tenants.scheduler(), tenants->close_tenant("a", kNever)); });
    waiting.join();
    held->give_back();
    closing.join();
  }
}

}  // namespace
}  // namespace forebay::test
