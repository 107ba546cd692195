// Random pools under random faults, one world a seed. First a safety act, in which anything may
// fail and nothing may go wrong; then a liveness act, in which nothing fails and everything must
// get well. FOREBAY_SEEDS=1000 looks further.
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "support/sim_pool.hpp"

namespace forebay::test {
namespace {

class Swarm {
 public:
  explicit Swarm(std::uint64_t seed)
      : random_(seed), options_(draw_options()), sim_(options_, seed) {
    sim_.server.connect_time = random_.between(1ms, 200ms);
    sim_.server.reset_time = random_.between(0ms, 5ms);
    sim_.server.close_time = random_.between(0ms, 20ms);
    sim_.server.needs_reset = random_.below(2) == 0;
    const auto failure_parts = static_cast<std::uint32_t>(random_.below(400'000));
    sim_.server.fails = [this, failure_parts](const std::string&, int) {
      return !is_healed_ && random_.chance_per_million(failure_parts);
    };
    if (random_.below(2) == 0) sim_.scheduler.set_tie_seed(seed);
  }

  void run() {
    sim_.start();
    const int callers = 1 + static_cast<int>(random_.below(30));
    for (int i = 0; i < callers; ++i) start_detached(sim_.scheduler, caller(random_.next()));
    safety_act();
    liveness_act();
    EXPECT_TRUE(sim_.close());
    EXPECT_EQ(sim_.server.sessions, 0);
    EXPECT_LE(sim_.server.most_sessions, most_ever_);
    EXPECT_EQ(running_, 0);
    check_rate();
  }

 private:
  PoolOptions draw_options() {
    PoolOptions options;
    options.size.max = 1 + static_cast<int>(random_.below(40));
    draw_size(options.size);
    options.supply = random_.below(2) == 0 ? Supply::standard : Supply::reservoir;
    options.take_order = random_.below(4) == 0 ? TakeOrder::oldest_first : TakeOrder::newest_first;
    options.lifetime = random_.between(2s, 120s);
    options.lifetime_jitter = random_.between(0s, *options.lifetime / 2);
    options.guard_window = random_.between(0s, *options.lifetime / 4);
    options.idle_timeout = random_.between(1s, 60s);
    options.check_after_idle = random_.between(1s, 60s);
    options.leak_after = random_.between(1s, 60s);
    options.on_leak = [](const LeakReport&) {};
    options.connect_rate =
        random_.below(2) == 0 ? 0.0 : 1.0 + static_cast<double>(random_.below(200));
    options.connect_burst = 1 + static_cast<int>(random_.below(50));
    options.max_opening = 1 + static_cast<int>(random_.below(40));
    options.backoff.longest = 2s;
    options.initial_fill_limit = 5s;
    options.on_stuck_close = StuckClose::give_up_after(random_.between(100ms, 2s));
    return options;
  }
  void draw_size(PoolSize& size) {
    const auto max = static_cast<std::uint64_t>(*size.max);
    size.target_ready = 1 + static_cast<int>(random_.below(max));
    size.min_idle = static_cast<int>(random_.below(max + 1));
    size.keep_open = static_cast<int>(random_.below(max + 1));
    const int most_wanted = std::max(*size.target_ready, size.min_idle);
    if (random_.below(2) == 0) {
      size.max_ready =
          most_wanted +
          static_cast<int>(random_.below(max - static_cast<std::uint64_t>(most_wanted) + 1));
    }
  }

  Task<void> caller(std::uint64_t seed) {
    ++running_;
    SeededRandom own(seed);
    while (!is_over_) {
      const Duration pause = own.between(0ms, 500ms);
      co_await sleep_for(sim_.scheduler, pause);
      const Duration timeout = own.between(0ms, 2s);
      const Instant asked = sim_.now();
      Result<PooledConnection> got = co_await sim_.pool->acquire(asked + timeout);
      EXPECT_LE(sim_.now() - asked, timeout);
      if (!got) continue;
      EXPECT_LT(sim_.now(), got->stale_at());
      const Duration hold = own.between(0ms, 300ms);
      co_await sleep_for(sim_.scheduler, hold);
      if (own.below(20) == 0 && !is_healed_) got->mark_broken();
      if (*got && own.below(20) == 0) got->discard();
    }
    --running_;
  }

  void safety_act() {
    for (int round = 0; round < 20; ++round) {
      sim_.scheduler.run_for(random_.between(1s, 20s));
      if (random_.below(3) != 0) continue;
      PoolSize size;
      size.max = 1 + static_cast<int>(random_.below(40));
      draw_size(size);
      most_ever_ = std::max(most_ever_, *size.max);
      sim_.server.limit = most_ever_;
      ASSERT_TRUE(sim_.pool->resize(size).has_value());
      size_ = size;
    }
    EXPECT_EQ(sim_.server.refusals, 0);
  }

  void liveness_act() {
    is_healed_ = true;
    is_over_ = true;
    sim_.scheduler.run_for(60s);
    int most_ready = 0;
    for (int i = 0; i < 100; ++i) {
      sim_.scheduler.run_for(100ms);
      most_ready = std::max(most_ready, sim_.statistics().ready);
    }

    const PoolStatistics statistics = sim_.statistics();
    EXPECT_EQ(statistics.waiters, 0);
    EXPECT_EQ(statistics.lent, 0);
    EXPECT_LE(statistics.open(), statistics.max);
    const int target = std::min(statistics.target_ready, size_.max_ready.value_or(statistics.max));
    if (can_hold(target)) {
      EXPECT_GE(most_ready, target - target / 10);
    }
  }

  // Whether the pace allows that many at all, with lives this short and connects this slow.
  bool can_hold(int target) const {
    const Duration shortest =
        *options_.lifetime - options_.lifetime_jitter / 2 - options_.guard_window;
    const double needed = 4.0 * target / std::chrono::duration<double>(shortest).count();
    return shortest > 40 * sim_.server.connect_time &&
           (options_.connect_rate == 0 || options_.connect_rate > needed) &&
           options_.max_opening > 4;
  }

  // In any window of a second at most rate + burst connects start.
  void check_rate() const {
    if (options_.connect_rate == 0) return;
    const std::vector<Instant>& starts = sim_.server.connect_starts;
    const auto most = static_cast<std::size_t>(*options_.connect_rate) +
                      static_cast<std::size_t>(*options_.connect_burst);
    for (std::size_t i = most; i < starts.size(); ++i)
      EXPECT_GE(starts[i] - starts[i - most], 1s - 1ms);
  }

  SeededRandom random_;
  const PoolOptions options_;
  PoolSize size_ = options_.size;
  int most_ever_ = *options_.size.max;
  SimPool sim_;
  bool is_healed_ = false;
  bool is_over_ = false;
  int running_ = 0;
};

TEST(SwarmTest, EverySeedIsSafeAndLive) {
  const char* wanted = std::getenv("FOREBAY_SEEDS");
  const std::uint64_t seeds = wanted != nullptr ? std::stoull(wanted) : 40;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Swarm swarm(seed);
    swarm.run();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace forebay::test
