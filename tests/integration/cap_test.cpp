// The cap, as the server sees it: it refuses connection 21, and never has to.
#include "integration/pool_fixture.hpp"

namespace forebay::test {
namespace {

class CapTest : public PoolFixture {
 protected:
  // 24 in all, 3 reserved for superusers, 1 in use by ours: 20 are left for everybody else.
  void SetUp() override {
    PostgresServerOptions options;
    options.max_connections = 24;
    options.superuser_reserved_connections = 3;
    launch(options);
  }
};

PoolOptions short_lived(int max) {
  PoolOptions options;
  options.size.max = max;
  options.supply = Supply::reservoir;
  options.lifetime = 300ms;
  options.lifetime_jitter = 100ms;
  options.guard_window = 50ms;
  options.initial_fill_limit = 10s;
  return options;
}

TEST_F(CapTest, TheServerRefusesTheTwentyFirst) {
  PoolOptions options;
  options.size.max = 21;
  options.supply = Supply::reservoir;
  options.initial_fill_limit = 2s;

  auto pool = open_pool(options);

  EXPECT_FALSE(pool->is_filled());
  EXPECT_EQ(pool->statistics().open(), 20);
  EXPECT_GT(refusals(), 0u);
}

TEST_F(CapTest, IsNeverExceededUnderLoadKillsAndResizes) {
  auto pool = open_pool(short_lived(20));
  ASSERT_TRUE(pool->is_filled());
  std::atomic<int> served = 0;
  Load load(200, [&](int) {
    Result<PooledSession> session = pool->acquire_blocking(2s);
    if (!session) return;
    if ((*session)->exec_blocking("SELECT pg_sleep(0.001)", 5s)) ++served;
  });

  const Instant start = runtime.scheduler().now();
  const Duration length = load_time(30s);
  int most = 0;
  int kills = 0;
  for (int round = 0; runtime.scheduler().now() - start < length; ++round) {
    if (round % 40 == 0) {  // every second or two
      PoolSize size;
      size.max = (round / 40) % 2 == 0 ? 20 : 10;
      ASSERT_TRUE(pool->resize(size).has_value());
    }
    const int seen = sessions();
    most = std::max(most, seen);
    // The last quarter of a round at ten: those that held one of the others have given it back.
    const bool is_settled_at_ten = (round / 40) % 2 == 1 && round % 40 > 30;
    EXPECT_LE(seen, is_settled_at_ten ? 10 : 20);
    kills +=
        number(ask("SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity "
                   "WHERE usename = 'app' ORDER BY random() LIMIT 1) AS victim"));
    std::this_thread::sleep_for(20ms);
  }
  load.stop();

  EXPECT_LE(most, 20);
  EXPECT_GT(kills, 10);
  EXPECT_GT(served, 1000);
  EXPECT_EQ(refusals(), 0u) << server->log_text();
  EXPECT_TRUE(pool->close(30s));
  EXPECT_EQ(sessions(), 0);
  std::printf(
      "served %d statements, killed %d backends, at most %d sessions, opened %llu connections\n",
      served.load(), kills, most,
      static_cast<unsigned long long>(pool->statistics().counters.opened));
}

}  // namespace
}  // namespace forebay::test
