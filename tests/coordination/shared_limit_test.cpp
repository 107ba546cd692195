// Production pools in several processes, under one limit of connections and one rate of connects.
#include <array>

#include <gtest/gtest.h>

#include "forebay/pool/pool.hpp"
#include "support/fake_connector.hpp"
#include "support/lease_world.hpp"
#include "support/rate_world.hpp"

namespace forebay::test {
namespace {

constexpr int kLimit = 12;
constexpr double kRate = 20;
constexpr int kBurst = 5;

// A process: agents, a pool over them, callers.
class PoolProcess {
 public:
  PoolProcess(LeaseProcess& leases, RateProcess& rate, FakeServer& server)
      : leases_(leases), connector_(server) {
    PoolOptions options;
    options.size.max = 10;
    options.lifetime = 60s;
    options.lifetime_jitter = 20s;
    options.guard_window = 5s;
    options.idle_timeout = 5s;
    pool_.emplace(Env{leases.scheduler, leases.random, leases.wall_clock}, connector_,
                  std::move(options),
                  PoolSharing{nullptr, nullptr, &*leases.agent, rate.agent.get()});
    start_detached(leases.scheduler, forget(pool_->start()));
  }

  void call(int callers) {
    for (int i = 0; i < callers; ++i) start_detached(leases_.scheduler, call_on());
  }
  void close() {
    is_over_ = true;
    bool is_closed = false;
    start_detached(leases_.scheduler, close_pool(is_closed));
    while (!is_closed && leases_.scheduler.step()) {
    }
    pool_.reset();
  }
  int served = 0;

 private:
  static Task<void> forget(Task<bool> task) { co_await std::move(task); }
  Task<void> call_on() {
    while (!is_over_) {
      const Duration pause = leases_.random.between(0ms, 3s);
      co_await sleep_for(leases_.scheduler, pause);
      if (is_over_) break;
      Result<PooledConnection> got = co_await pool_->acquire(leases_.scheduler.now() + 20s);
      if (!got) continue;
      ++served;
      const Duration hold = leases_.random.between(1ms, 2s);
      co_await sleep_for(leases_.scheduler, hold);
      got->give_back();
    }
  }
  Task<void> close_pool(bool& is_closed) {
    while (!is_closed) is_closed = co_await pool_->close(leases_.scheduler.now() + 1min);
  }

  LeaseProcess& leases_;
  FakeConnector connector_;
  std::optional<Pool> pool_;
  bool is_over_ = false;
};

class SharedLimit {
 public:
  SharedLimit(std::uint64_t seed, std::uint32_t bad_parts) : chance_(seed) {
    server_.limit = kLimit;
    world_.limit = kLimit;
    for (int i = 0; i < 3; ++i) add(bad_parts);
    world_.scheduler.set_after_step([this] {
      world_.check();
      // Not only in the books: what the server counts is leased.
      ASSERT_LE(server_.sessions, world_.model.active());
    });
  }

  void run() {
    for (const auto& pool : pools_) pool->call(6);
    world_.scheduler.run_for(10min);
    for (const auto& pool : pools_) EXPECT_GT(pool->served, 200);
    EXPECT_EQ(server_.refusals, 0);
    EXPECT_EQ(server_.most_sessions, kLimit);
    check_windows(server_.connect_starts, kRate, kBurst);
    // They trade places all the time: idle ones of one process go to another.
    EXPECT_GT(server_.connect_starts.size(), 100u);

    is_healed_ = true;
    for (const auto& pool : pools_) pool->close();
    world_.scheduler.run_for(30s);
    EXPECT_EQ(server_.sessions, 0);
    EXPECT_EQ(world_.model.active(), 0);
  }

 private:
  void add(std::uint32_t bad_parts) {
    LeaseOptions options;
    options.limit = kLimit;
    LeaseProcess& leases = world_.add(options, chance_.next());
    RateOptions rate;
    rate.connects_per_second = kRate;
    rate.stagger = 0s;
    rates_.push_back(std::make_unique<RateProcess>(world_.scheduler, world_.model, rate,
                                                   chance_.next(), Duration()));
    for (FlakyStore* store : {&leases.store, &rates_.back()->store}) {
      store->shortest = 1ms;
      store->longest = 40ms;
      store->fate = [this, bad_parts](const std::string&, int) { return draw_fate(bad_parts); };
    }
    pools_.push_back(std::make_unique<PoolProcess>(leases, *rates_.back(), server_));
  }
  Fate draw_fate(std::uint32_t bad_parts) {
    if (is_healed_ || !chance_.chance_per_million(bad_parts)) return Fate::answered;
    const std::array bad = {Fate::lost_request, Fate::lost_reply, Fate::late, Fate::throttled};
    return bad[chance_.below(bad.size())];
  }

  SeededRandom chance_;
  bool is_healed_ = false;
  LeaseWorld world_{RateLimits{kRate, kBurst, 1s}};
  FakeServer server_{world_.scheduler};
  std::vector<std::unique_ptr<RateProcess>> rates_;
  std::vector<std::unique_ptr<PoolProcess>> pools_;
};

TEST(SharedLimitTest, PoolsOfThreeProcessesUseAllOfOneLimitAndNeverMore) {
  SharedLimit cluster(1, 0);
  cluster.run();
}

TEST(SharedLimitTest, EvenWhenRequestsAndRepliesGetLost) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SharedLimit cluster(seed, 50'000);
    cluster.run();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace forebay::test
