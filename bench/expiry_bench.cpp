// What does an expiry pass cost when few of many connections are due?
//
// 100, 1,000 and 10,000 ready connections, of which ten are due at each pass: the time must follow
// the ten, not the thousands. Beside it the scan that a channel or a queue forces upon a pool:
// every connection is taken out, looked at and put back. And: how long does a virtual hour of a
// whole reservoir take? Left out: closing and opening connections, which the pass only decides.
#include <deque>
#include <memory>
#include <mutex>

#include <benchmark/benchmark.h>

#include "forebay/core/pool_state.hpp"
#include "support/sim_pool.hpp"

namespace forebay::bench {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int kDue = 10;
constexpr Duration kLifetime = 1h;

PoolRules rules_for(int size) {
  PoolRules rules;
  rules.max = size;
  rules.max_ready = size;
  rules.supply.keep_open = size;
  rules.expiry.lifetime = kLifetime;
  rules.expiry.jitter = Duration::zero();
  rules.expiry.guard_window = Duration::zero();
  return rules;
}

// A pool's state with all its connections ready. Their retirements are spaced by half a
// lifetime over size.
class ReadyState {
 public:
  explicit ReadyState(int size) : state_(rules_for(size)), step_(kDue * (kLifetime / 2 / size)) {
    state_.hold_keeper();
    fill();
    now_ += kLifetime / 2;  // from here on ten are due with every step
  }
  ~ReadyState() {
    WakeList wakes;
    state_.close(wakes);
    pass();
  }

  // The pass itself, timed, and what follows from it, untimed.
  Clock::duration pass() {
    now_ += step_;
    work_.clear();
    const auto begun = Clock::now();
    state_.collect(now_, work_);
    const auto taken = Clock::now() - begun;
    retired_ += work_.close.size();
    for (Slot* slot : work_.close) {
      state_.remove(*slot);
      delete slot;
    }
    fill();
    return taken;
  }
  double retired() const { return static_cast<double>(retired_); }

 private:
  void fill() {
    while (std::optional<Approval> approval = state_.approve_warm_up()) {
      Slot& slot = *new Slot(++last_id_, std::move(*approval));
      state_.add_opening(slot);
      WakeList wakes;
      state_.opened(slot, now_, 1ms, random_, wakes);
    }
  }

  PoolState state_;
  SeededRandom random_{1};
  const Duration step_;
  Instant now_{};
  PoolWork work_;
  std::uint64_t last_id_ = 0;
  std::uint64_t retired_ = 0;
};

void forebay_expiry_pass(benchmark::State& state) {
  ReadyState ready(static_cast<int>(state.range(0)));
  for (auto _ : state) state.SetIterationTime(std::chrono::duration<double>(ready.pass()).count());
  state.counters["retired_per_pass"] =
      benchmark::Counter(ready.retired(), benchmark::Counter::kAvgIterations);
}

void scan_of_every_connection(benchmark::State& state) {
  std::deque<Instant> channel;
  for (int i = 0; i < state.range(0); ++i) channel.push_back(Instant(1h) + 1s * i);
  std::mutex mutex;
  for (auto _ : state) {
    int expired = 0;
    const std::size_t size = channel.size();
    for (std::size_t i = 0; i < size; ++i) {
      std::lock_guard lock(mutex);  // as a channel locks for every element
      const Instant stale_at = channel.front();
      channel.pop_front();
      if (stale_at < Instant(30min)) {
        ++expired;
      } else {
        channel.push_back(stale_at);
      }
    }
    benchmark::DoNotOptimize(expired);
  }
}

// 100 connections that live for 30 seconds, one connect in ten fails: about 13,000 connects.
void virtual_hour_of_a_reservoir(benchmark::State& state) {
  std::uint64_t steps = 0;
  for (auto _ : state) {
    PoolOptions options;
    options.size.max = 100;
    options.supply = Supply::reservoir;
    options.lifetime = 30s;
    options.lifetime_jitter = 6s;
    options.guard_window = 2s;
    test::SimPool world(options);
    world.scheduler.set_after_step({});
    SeededRandom faults(2);
    world.server.fails = [&faults](const std::string& step, int) {
      return step == "connect" && faults.chance_per_million(100'000);
    };
    world.start();
    world.scheduler.run_until(Instant(1h));
    steps = world.scheduler.steps();
  }
  state.counters["steps"] = static_cast<double>(steps);
}

BENCHMARK(forebay_expiry_pass)
    ->ArgName("ready")
    ->Arg(100)
    ->Arg(1'000)
    ->Arg(10'000)
    ->UseManualTime();
BENCHMARK(scan_of_every_connection)->ArgName("ready")->Arg(100)->Arg(1'000)->Arg(10'000);
BENCHMARK(virtual_hour_of_a_reservoir)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace forebay::bench

BENCHMARK_MAIN();
