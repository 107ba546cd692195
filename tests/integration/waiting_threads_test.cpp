// Threads on a real server: the loop sleeps while they work.
#include "integration/pool_fixture.hpp"
#include "support/loop_switches.hpp"

namespace forebay::test {
namespace {

constexpr int kSharedByThreads = 2;
constexpr int kLoans = 2000;

Task<bool> use_all(PostgresPool& pool, Instant deadline) {
  std::vector<PooledSession> sessions;
  for (int i = 0; i < kSharedByThreads; ++i) {
    Result<PooledSession> session = co_await pool.acquire(deadline);
    if (!session) co_return false;
    const Result<QueryResult> answered = co_await (*session)->exec("SELECT 1", deadline);
    if (!answered) co_return false;
    sessions.push_back(std::move(*session));
  }
  co_return true;
}

class WaitingThreadsTest : public PoolFixture {
 protected:
  void SetUp() override {
    launch({});
    PoolOptions options;
    options.size.max = kSharedByThreads;
    options.supply = Supply::reservoir;
    pool = open_pool(options);
    ASSERT_NE(pool, nullptr);
    admin_pool.reset();  // the loop is that of one pool
    loan();              // loans have ended, and what they tell the supplier is told
    work(4, 100);
  }

  void loan() {
    Result<PooledSession> session = pool->acquire_blocking(60s);
    ASSERT_TRUE(session.has_value()) << session.error().text();
    const auto answered = (*session)->exec_blocking("SELECT 1", 60s);
    ASSERT_TRUE(answered.has_value()) << answered.error().text();
  }
  void work(int threads, int loans) {
    std::vector<std::thread> callers;
    for (int t = 0; t < threads; ++t) {
      callers.emplace_back([this, loans] {
        for (int i = 0; i < loans; ++i) loan();
      });
    }
    for (std::thread& caller : callers) caller.join();
  }
  // It looks at the pool once a second, and at idle connections now and then; each look is a few
  // switches.
  static long timers_of(Duration time) { return 20 + 10 * (time / 1s); }

  std::unique_ptr<PostgresPool> pool;
};

TEST_F(WaitingThreadsTest, AThreadsStatementsDoNotWakeTheLoop) {
  const Instant begun = runtime.scheduler().now();
  const long before = switches_of("forebay");

  work(1, kLoans);

  EXPECT_LE(switches_of("forebay") - before, timers_of(runtime.scheduler().now() - begun));
}

TEST_F(WaitingThreadsTest, ThreadsThatWaitForEachOtherDoNotWakeTheLoop) {
  const std::uint64_t waits_before = pool->statistics().counters.waits();
  const Instant begun = runtime.scheduler().now();
  const long before = switches_of("forebay");

  work(8, kLoans / 4);

  EXPECT_LE(switches_of("forebay") - before, timers_of(runtime.scheduler().now() - begun));
  EXPECT_GT(pool->statistics().counters.waits() - waits_before, kLoans / 10u);
}

// A check registers the socket with the loop. The next statement of a thread takes it out again.
TEST_F(WaitingThreadsTest, AThreadsStatementsDoNotWakeALoopThatHasUsedTheConnection) {
  const Instant deadline = runtime.scheduler().now() + 60s;
  ASSERT_TRUE(run_blocking(runtime.scheduler(), use_all(*pool, deadline)));
  const Instant begun = runtime.scheduler().now();
  const long before = switches_of("forebay");

  work(1, kLoans);

  EXPECT_LE(switches_of("forebay") - before, timers_of(runtime.scheduler().now() - begun));
}

}  // namespace
}  // namespace forebay::test
