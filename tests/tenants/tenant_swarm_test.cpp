// Random tenants under random demand and random faults, one world a seed. In the first act anything
// may fail and no promise may break: the budget (the audit and the server's own limit), an end for
// everybody by the deadline, evictions by recency. In the second nothing fails, and everybody must
// be served. FOREBAY_SEEDS=1000 looks further.
#include <cstdlib>

#include <gtest/gtest.h>

#include "support/sim_tenants.hpp"

namespace forebay::test {
namespace {

class TenantSwarm {
 public:
  explicit TenantSwarm(std::uint64_t seed) : random_(seed), sim_(draw_options(), seed) {
    sim_.server.connect_time = random_.between(1ms, 100ms);
    sim_.server.reset_time = random_.between(0ms, 5ms);
    sim_.server.close_time = random_.between(0ms, 20ms);
    sim_.server.needs_reset = random_.below(2) == 0;
    const auto failure_parts = static_cast<std::uint32_t>(random_.below(200'000));
    sim_.server.fails = [this, failure_parts](const std::string&, int) {
      return !is_healed_ && random_.chance_per_million(failure_parts);
    };
    if (random_.below(2) == 0) sim_.scheduler.set_tie_seed(seed);
    tenants_ = 2 + static_cast<int>(random_.below(40));
    using_.resize(static_cast<std::size_t>(tenants_));
    was_closed_.resize(static_cast<std::size_t>(tenants_));
  }

  void run() {
    const int callers = 1 + static_cast<int>(random_.below(60));
    for (int i = 0; i < callers; ++i) start_detached(sim_.scheduler, caller(random_.next()));
    for (int round = 0; round < 10; ++round) {
      sim_.scheduler.run_for(random_.between(100ms, 5s));
      if (random_.below(3) == 0) {
        const std::uint64_t closed = random_.below(tenants_bound());
        was_closed_[closed] = true;
        sim_.close_tenant(id_of(static_cast<int>(closed)), 1s);
      }
    }
    is_healed_ = true;
    is_over_ = true;
    sim_.scheduler.run_for(2min);
    EXPECT_EQ(running_, 0);
    for (int i = 0; i < tenants_; ++i) sim_.call(id_of(i), 1min, 10ms);
    sim_.scheduler.run_for(1min);
    for (const SimTenants::Call& call : sim_.calls)
      EXPECT_TRUE(call.is_served()) << (call.error ? call.error->text() : "still waiting");
    const TenantTotals totals = sim_.tenants->totals();
    EXPECT_EQ(totals.lent, 0);
    EXPECT_EQ(totals.waiters, 0);
    EXPECT_LE(sim_.server.most_sessions, totals.max);
  }

 private:
  TenantOptions draw_options() {
    TenantOptions options;
    options.max_connections = 20 + static_cast<int>(random_.below(20));
    options.max_per_tenant = 1 + static_cast<int>(random_.below(6));
    options.prefix = "app";
    options.creates_missing_databases = random_.below(2) == 0;
    options.stint = random_.between(5ms, 300ms);
    options.pool.supply = random_.below(4) == 0 ? Supply::reservoir : Supply::standard;
    if (random_.below(4) == 0) options.pool.size.min_idle = 1;
    options.pool.lifetime = random_.between(2s, 120s);
    options.pool.lifetime_jitter = random_.between(0s, *options.pool.lifetime / 2);
    options.pool.guard_window = random_.between(0s, *options.pool.lifetime / 4);
    options.pool.idle_timeout = random_.between(1s, 60s);
    options.pool.backoff.longest = 1s;
    options.pool.on_stuck_close = StuckClose::give_up_after(random_.between(100ms, 2s));
    options.on_evicted = [this](const TenantEviction& eviction) { check_recency(eviction); };
    return options;
  }
  std::uint64_t tenants_bound() const { return static_cast<std::uint64_t>(tenants_); }
  static std::string id_of(int number) { return "t" + std::to_string(number); }
  // Small numbers more often than large ones.
  int draw_tenant(Random& random) const {
    const std::uint64_t first = random.below(tenants_bound());
    const std::uint64_t second = random.below(first + 1);
    return static_cast<int>(second);
  }

  // Tenants that were used less recently and have connections are in use.
  void check_recency(const TenantEviction& evicted) const {
    // A pool that was closed by name may still be in use while its successor is evicted.
    if (!was_closed_[number_of(evicted.tenant)]) {
      EXPECT_EQ(using_[number_of(evicted.tenant)], 0);
    }
    for (const TenantStatistics& other : sim_.tenants->warm_statistics()) {
      if (other.open == 0 || other.last_used >= evicted.last_used) continue;
      EXPECT_GT(using_[number_of(other.tenant)] + other.lent + other.waiters, 0)
          << other.tenant << " was used less recently than " << evicted.tenant;
    }
  }
  static std::size_t number_of(std::string_view id) {
    return std::stoul(std::string(id.substr(1)));
  }

  Task<void> caller(std::uint64_t seed) {
    ++running_;
    SeededRandom own(seed);
    while (!is_over_) {
      const Duration pause = own.between(0ms, 300ms);
      co_await sleep_for(sim_.scheduler, pause);
      const int number = draw_tenant(own);
      const std::string id = id_of(number);
      const Duration timeout = own.between(0ms, 2s);
      const Instant asked = sim_.now();
      ++using_[static_cast<std::size_t>(number)];
      Result<PooledConnection> got = co_await sim_.tenants->acquire(id, asked + timeout);
      EXPECT_LE(sim_.now() - asked, timeout);
      if (got) {
        EXPECT_LT(sim_.now(), got->stale_at());
        const Duration hold = own.between(0ms, 200ms);
        co_await sleep_for(sim_.scheduler, hold);
        if (own.below(20) == 0 && !is_healed_) got->mark_broken();
        if (*got) got->give_back();
      } else if (sim_.now() - asked < timeout) {
        EXPECT_EQ(got.error().code(), Errc::closed) << got.error().text();
      }
      --using_[static_cast<std::size_t>(number)];
    }
    --running_;
  }

  SeededRandom random_;
  int tenants_ = 0;
  std::vector<int> using_;  // callers of each, from the question to giving back
  std::vector<bool> was_closed_;
  bool is_healed_ = false;
  bool is_over_ = false;
  int running_ = 0;
  SimTenants sim_;  // its end still tells of evictions
};

TEST(TenantSwarmTest, EverySeedIsSafeAndLive) {
  const char* wanted = std::getenv("FOREBAY_SEEDS");
  const std::uint64_t seeds = wanted != nullptr ? std::stoull(wanted) : 12;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TenantSwarm swarm(seed);
    swarm.run();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace forebay::test
