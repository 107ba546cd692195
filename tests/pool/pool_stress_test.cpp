// Threads, real time and a fake server: what the simulator cannot show. Run under ThreadSanitizer.
#include <atomic>
#include <numeric>
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

// Each look at the pool sees it in one moment: nobody has found nothing, and stands nowhere.
TEST(PoolThreadTest, AThreadThatFindsNothingStandsInLineAtOnce) {
  PoolOptions options;
  options.size.max = 1;
  RealPool pool(options, [](FakeServer&) {});
  for (int round = 0; round < 100; ++round) {
    Result<PooledConnection> held = pool->acquire_blocking(5s);
    ASSERT_TRUE(held.has_value());
    const std::uint64_t before = pool->statistics().counters.empty;
    std::thread waiter([&] { EXPECT_TRUE(pool->acquire_blocking(60s).has_value()); });

    PoolStatistics seen = pool->statistics();
    while (seen.counters.empty == before) seen = pool->statistics();

    EXPECT_EQ(seen.waiters, 1);
    held->give_back();
    waiter.join();
  }
}

// They come one after the other, each when the one before it stands in line. Whoever comes last,
// in whatever way, is served last.
TEST(PoolThreadTest, ThreadsAreServedInTheOrderInWhichTheyCame) {
  constexpr int kThreads = 8;
  PoolOptions options;
  options.size.max = 1;
  RealPool pool(options, [](FakeServer&) {});
  Result<PooledConnection> held = pool->acquire_blocking(5s);
  ASSERT_TRUE(held.has_value());
  std::vector<int> served;  // by the one that has the connection
  std::vector<std::thread> callers;
  const auto come = [&](int number) {
    callers.emplace_back([&, number] {
      const Result<PooledConnection> got = pool->acquire_blocking(60s);
      ASSERT_TRUE(got.has_value());
      served.push_back(number);
      // It is given back when all others stand in line; a look then must find nothing.
      while (number == 0 && pool->statistics().waiters < kThreads) std::this_thread::yield();
    });
  };
  for (int number = 0; number < kThreads; ++number) {
    come(number);
    while (pool->statistics().waiters < number + 1) std::this_thread::yield();
  }

  held->give_back();
  EXPECT_FALSE(pool->try_acquire().has_value());
  come(kThreads);
  for (std::thread& caller : callers) caller.join();

  std::vector<int> expected(kThreads + 1);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(served, expected);
}

// Hand-overs and deadlines meet all the time, and no connection is lost between them.
TEST(PoolThreadTest, ThreadsInLineThatGiveUpLoseNothing) {
  PoolOptions options;
  options.size.max = 2;
  options.supply = Supply::reservoir;
  RealPool pool(options, [](FakeServer&) {});
  std::atomic<std::uint64_t> served = 0;
  std::atomic<std::uint64_t> given_up = 0;
  const PoolCounters before = pool->statistics().counters;

  std::vector<std::thread> callers;
  for (int t = 0; t < 12; ++t) {
    callers.emplace_back([&, t] {
      SeededRandom random(static_cast<std::uint64_t>(t));
      for (int call = 0; call < 2000; ++call) {
        const Duration patience(1 + random.below(100'000));
        ++(pool->acquire_blocking(patience) ? served : given_up);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();

  const PoolStatistics after = pool->statistics();
  EXPECT_EQ(after.counters.acquired - before.acquired, served);
  EXPECT_EQ(after.counters.timeouts - before.timeouts, given_up);
  EXPECT_EQ(after.ready, 2);
  EXPECT_EQ(after.waiters, 0);
  EXPECT_GT(served, 0u);
  pool->audit();
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
