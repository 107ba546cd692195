// A pool whose server's name cannot be found, beside a healthy one in the same runtime.
#include <gmock/gmock.h>

#include "integration/pool_fixture.hpp"
#include "support/name_server.hpp"

namespace forebay::test {
namespace {

constexpr Duration kConnectTimeout = 500ms;
constexpr int kHealthyCallers = 4;

class NamesTest : public PoolFixture {
 protected:
  static PoolOptions options(const std::string& name) {
    PoolOptions options;
    options.name = name;
    options.size.max = kHealthyCallers;
    options.lifetime = 1h;
    options.connect_timeout = kConnectTimeout;
    options.initial_fill_limit = 1ms;
    options.backoff = BackoffRule{10ms, 20ms, 25};  // a lookup is always under way
    return options;
  }
  // How many callers the pool serves in a while, with a new session for each: connecting is what a
  // slow lookup of somebody else would stop.
  static int served(PostgresPool& pool, Duration time) {
    std::atomic<int> count = 0;
    Load load(kHealthyCallers, [&](int) {
      Result<PooledSession> session = pool.acquire_blocking(30s);
      ASSERT_TRUE(session) << session.error().text();
      ASSERT_TRUE((*session)->exec_blocking("SELECT 1", 30s));
      session->discard();
      ++count;
    });
    std::this_thread::sleep_for(time);
    load.stop();
    return count;
  }
};

TEST_F(NamesTest, APoolOnADeadNameDoesNotSlowDownAnother) {
  launch(PostgresServerOptions{});
  const NameServer silent{NameServer::Silent()};
  RuntimeOptions asking;
  asking.name_servers = silent.place();
  Runtime shared(asking);
  auto healthy = PostgresPool::open(shared, server->url("app", "postgres"), options("healthy"));
  ASSERT_TRUE(healthy) << healthy.error().text();
  const Duration time = load_time(3s);
  served(**healthy, time / 3);
  const int alone = served(**healthy, time);

  auto sick = PostgresPool::open(shared, "host=db.test user=app", options("sick"));
  ASSERT_TRUE(sick) << sick.error().text();
  std::atomic<int> refused = 0;
  Load callers(kHealthyCallers, [&](int) {
    const Result<PooledSession> session = (*sick)->acquire_blocking(2 * kConnectTimeout);
    EXPECT_FALSE(session);
    ++refused;
  });
  const int beside = served(**healthy, time);
  // Each lookup ends with its connect_timeout, and the next follows.
  const Scheduler& clock = shared.scheduler();
  const Instant limit = deadline_after(clock.now(), 20 * kConnectTimeout);
  while ((*sick)->statistics().counters.open_failures() < 2 && clock.now() < limit)
    std::this_thread::sleep_for(10ms);
  callers.stop();

  std::printf("alone %d, beside a dead name %d\n", alone, beside);
  EXPECT_GT(beside, alone / (kIsSanitized ? 5 : 2));  // none at all, if a lookup held the loop
  EXPECT_GT(refused, 0);
  const PoolStatistics seen = (*sick)->statistics();
  EXPECT_THAT(
      seen.last_connect_error,
      testing::HasSubstr("\"db.test\" could not be looked up: no name server has answered"));
  EXPECT_GE(seen.counters.open_failures(), 2U);
  EXPECT_TRUE((*sick)->close(5s));
}

}  // namespace
}  // namespace forebay::test
