// The library's own pool against the stand-in: nobody who uses it notices that sessions end, that
// connects are rationed, that transactions conflict.
#include <atomic>

#include "forebay/postgres/postgres_pool.hpp"
#include "standin_real/standin_fixture.hpp"

namespace forebay::standin {
namespace {

using postgres::PostgresPool;
using postgres::Transaction;
using postgres::TransactionOptions;

constexpr int kWorkers = 4;
constexpr int kSessions = 6;
constexpr auto kLoad = 6s;

class StandinPoolTest : public StandinTest {
 protected:
  // By the name that DSQL would have, so that the pool treats it as DSQL.
  std::string url() const {
    const std::string cluster = "forebaystandin000000000000.dsql.us-east-1.on.aws";
    return conninfo(token("admin", cluster), "admin", "host=" + cluster + " hostaddr=127.0.0.1");
  }
  static PoolOptions options() {
    PoolOptions options;
    options.supply = Supply::reservoir;
    options.size.max = kSessions;
    options.connect_rate = 15;
    options.connect_burst = 5;
    options.lifetime = 1500ms;
    options.lifetime_jitter = 400ms;
    options.guard_window = 200ms;
    options.server_limit = 4s;
    options.longest_transaction = 500ms;
    return options;
  }
};

Result<void> increment(Transaction& transaction) {
  const auto done = transaction.exec_blocking("UPDATE tally SET value = value + 1 WHERE id = 1");
  return done ? Result<void>() : failure(done.error());
}

TEST_F(StandinPoolTest, AReservoirLivesWithShortSessionsAScarceRateAndConflicts) {
  open([](cli::StandinSettings& settings) {
    settings.options.session_age = 4s;
    settings.options.connects_per_second = 20;
    settings.options.connect_burst = 10;
    settings.options.max_sessions = kSessions;
    settings.options.chaos.emplace_back("conflicts 0.05");
  });
  auto pool = PostgresPool::open(*runtime_, url(), options());
  ASSERT_TRUE(pool.has_value()) << pool.error().text();
  ASSERT_TRUE((*pool)->exec_blocking("DROP TABLE IF EXISTS tally").has_value());
  ASSERT_TRUE(
      (*pool)->exec_blocking("CREATE TABLE tally (id int PRIMARY KEY, value int)").has_value());
  TransactionOptions retried("increment");
  retried.policy.max_retries = 1'000;
  retried.timeout = 30s;
  ASSERT_TRUE((*pool)
                  ->transaction_blocking(retried,
                                         [](Transaction& transaction) -> Result<void> {
                                           const auto done = transaction.exec_blocking(
                                               "INSERT INTO tally VALUES (1, 0)");
                                           return done ? Result<void>() : failure(done.error());
                                         })
                  .has_value());
  std::atomic<int> increments = 0;
  std::vector<std::string> failures(kWorkers);
  {
    std::vector<std::jthread> workers;
    const auto end = std::chrono::steady_clock::now() + kLoad;
    for (int worker = 0; worker < kWorkers; ++worker) {
      workers.emplace_back([&, worker] {
        while (std::chrono::steady_clock::now() < end) {
          const auto done = (*pool)->transaction_blocking(retried, &increment);
          if (!done) failures[static_cast<std::size_t>(worker)] = done.error().text();
          if (done) ++increments;
          std::this_thread::sleep_for(10ms);
        }
      });
    }
  }
  for (const std::string& each : failures) EXPECT_EQ(each, "");
  const auto value = (*pool)->query_one_blocking<int>("SELECT value FROM tally");
  ASSERT_TRUE(value.has_value()) << value.error().text();
  EXPECT_EQ(*value, increments.load());
  EXPECT_GT(increments.load(), 50);
  (*pool)->close(10s);
  pool->reset();
  const StandinCounters counters = service_->counters();
  EXPECT_GT(counters.accepted, static_cast<std::uint64_t>(2 * kSessions));
  EXPECT_EQ(counters.over_rate + counters.over_cap + counters.denied + counters.too_old, 0U);
}

}  // namespace
}  // namespace forebay::standin
