// Threads, real time and a fake server: what the simulator cannot show. Run under ThreadSanitizer.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "support/real_pool.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;

PoolOptions busy_options() {
  PoolOptions options;
  options.size.max = 8;
  options.lifetime = 60ms;
  options.lifetime_jitter = 30ms;
  options.guard_window = 10ms;
  options.check_after_idle = 20ms;
  options.idle_timeout = 50ms;
  return options;
}

void configure(FakeServer& server) {
  server.connect_time = 1ms;
  server.check_time = 100us;
  server.close_time = 100us;
  server.needs_reset = true;
  server.reset_time = 20us;
  server.fails = [](const std::string& step, int number) {
    return step == "connect" && number % 10 == 0;
  };
}

class PoolStressTest : public testing::TestWithParam<Supply> {};

TEST_P(PoolStressTest, ThreadsAcquireBreakResizeAndTimeOut) {
  PoolOptions options = busy_options();
  options.supply = GetParam();
  RealPool pool(options, configure);
  std::atomic<int> served = 0;
  std::atomic<int> lent = 0;
  std::atomic<int> most_lent = 0;
  std::atomic<bool> is_over = false;

  std::vector<std::thread> callers;
  for (int t = 0; t < 16; ++t) {
    callers.emplace_back([&, t] {
      SeededRandom random(static_cast<std::uint64_t>(t));
      while (!is_over) {
        Result<PooledConnection> got = pool->acquire_blocking(Duration(random.below(3'000'000)));
        if (!got) continue;
        const int now_lent = ++lent;
        int most = most_lent;
        while (now_lent > most && !most_lent.compare_exchange_weak(most, now_lent)) {
        }
        ++served;
        if (random.below(4) == 0)
          std::this_thread::sleep_for(std::chrono::microseconds(random.below(500)));
        --lent;
        if (random.below(50) == 0) got->mark_broken();
      }
    });
  }
  for (int round = 0; round < 50; ++round) {
    std::this_thread::sleep_for(20ms);
    PoolSize size;
    size.max = round % 2 == 0 ? 4 : 8;
    ASSERT_TRUE(pool->resize(size).has_value());
    pool->statistics();
    pool->lent();
  }
  is_over = true;
  for (std::thread& caller : callers) caller.join();

  const FakeServer& server = pool.close();
  EXPECT_GT(served, 100);
  EXPECT_LE(most_lent, 8);
  EXPECT_LE(server.most_sessions, 8);
  EXPECT_EQ(server.refusals, 0);
  EXPECT_EQ(server.sessions, 0);
}

INSTANTIATE_TEST_SUITE_P(Supplies, PoolStressTest,
                         testing::Values(Supply::standard, Supply::reservoir),
                         [](const auto& test_case) {
                           return test_case.param == Supply::standard ? "standard" : "reservoir";
                         });

TEST(PoolThreadTest, CloseWakesEveryThreadThatWaits) {
  PoolOptions options;
  options.size.max = 1;
  RealPool pool(options, [](FakeServer&) {});
  Result<PooledConnection> held = pool->acquire_blocking(5s);
  ASSERT_TRUE(held.has_value());
  std::atomic<int> closed = 0;
  std::vector<std::thread> waiters;
  for (int i = 0; i < 10; ++i) {
    waiters.emplace_back([&] {
      const Result<PooledConnection> got = pool->acquire_blocking(60s);
      if (!got && got.error().code() == Errc::closed) ++closed;
    });
  }
  while (pool->statistics().waiters < 10) std::this_thread::yield();

  EXPECT_FALSE(run_blocking(pool.scheduler(), pool->close(pool.scheduler().now())));
  for (std::thread& waiter : waiters) waiter.join();

  EXPECT_EQ(closed, 10);
  held->give_back();
}

// The last of them goes back while the pool is being closed: nobody may touch what is gone by then.
TEST(PoolThreadTest, ThreadsGiveBackWhileThePoolEnds) {
  for (int round = 0; round < 200; ++round) {
    PoolOptions options;
    options.size.max = 4;
    options.supply = Supply::reservoir;
    RealPool pool(options, [](FakeServer& server) {
      server.connect_time = Duration::zero();
      server.close_time = Duration::zero();
    });
    std::vector<std::thread> holders;
    std::atomic<int> holding = 0;
    for (int i = 0; i < 4; ++i) {
      holders.emplace_back([&] {
        Result<PooledConnection> held = pool->acquire_blocking(5s);
        ++holding;
        while (holding < 4) std::this_thread::yield();
      });
    }
    while (holding < 4) std::this_thread::yield();

    const FakeServer& server = pool.close();

    EXPECT_EQ(server.sessions, 0);
    for (std::thread& holder : holders) holder.join();
  }
}

TEST(PoolThreadTest, AThreadIsServedByAnotherThreadsReturn) {
  PoolOptions options;
  options.size.max = 1;
  RealPool pool(options, [](FakeServer&) {});
  Result<PooledConnection> held = pool->acquire_blocking(5s);
  ASSERT_TRUE(held.has_value());
  const std::uint64_t waits_before = pool->statistics().counters.waits();
  std::thread waiter([&] { EXPECT_TRUE(pool->acquire_blocking(60s).has_value()); });
  while (pool->statistics().waiters < 1) std::this_thread::yield();

  held->give_back();
  waiter.join();

  EXPECT_EQ(pool->statistics().counters.waits(), waits_before + 1);
}

}  // namespace
}  // namespace forebay::test
