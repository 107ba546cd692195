// Prints "name hash" for three pools and six worlds. A pool is one virtual hour of 100 connections
// with short 100 connections with short lives, callers and connects that fail one time in ten. The
// hash covers every connect and every caller's fate, so the builds of all compilers and
// optimization levels must print the same lines.
#include <cstdio>

#include "forebay/sim/run.hpp"
#include "support/random_scenario.hpp"
#include "support/sim_pool.hpp"

namespace forebay::test {
namespace {

class Trace {
 public:
  void add(std::uint64_t value) {
    for (int i = 0; i < 8; ++i, value >>= 8) hash_ = (hash_ ^ (value & 0xff)) * 0x100000001b3u;
  }
  void add(Instant time) { add(static_cast<std::uint64_t>(time.time_since_epoch().count())); }
  std::uint64_t hash() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325u;  // FNV-1a
};

Task<void> caller(SimPool& world, Trace& trace, std::uint64_t seed, Instant end) {
  SeededRandom random(seed);
  while (world.now() < end) {
    const Duration pause = random.between(1s, 10s);
    co_await sleep_for(world.scheduler, pause);
    Result<PooledConnection> got = co_await world.pool->acquire(world.now() + 500ms);
    trace.add(world.now());
    trace.add(got ? got->id() : 0);
    const Duration hold = random.between(1ms, 2s);
    co_await sleep_for(world.scheduler, hold);
  }
}

std::uint64_t run(std::uint64_t seed) {
  PoolOptions options;
  options.size.max = 100;
  options.size.target_ready = 80;
  options.supply = Supply::reservoir;
  options.lifetime = 30s;
  options.lifetime_jitter = 6s;
  options.guard_window = 2s;
  options.connect_rate = 100;
  SimPool world(options, seed);
  world.scheduler.set_after_step({});  // the audit has its own tests
  SeededRandom faults(seed + 1);
  world.server.needs_reset = true;
  world.server.fails = [&faults](const std::string& step, int) {
    return step == "connect" && faults.chance_per_million(100'000);
  };
  world.start();

  Trace trace;
  const Instant end(1h);
  for (std::uint64_t i = 0; i < 20; ++i) {
    start_detached(world.scheduler, caller(world, trace, seed + 100 + i, end));
  }
  world.scheduler.run_until(end + 1min);
  for (const Instant start : world.server.connect_starts) trace.add(start);
  trace.add(world.scheduler.steps());
  return trace.hash();
}

}  // namespace
}  // namespace forebay::test

int main() {
  using forebay::sim::RandomScenario;
  const auto print = [](const char* kind, std::uint64_t seed, std::uint64_t hash) {
    std::printf("%s-%llu %016llx\n", kind, static_cast<unsigned long long>(seed),
                static_cast<unsigned long long>(hash));
  };
  for (std::uint64_t seed = 1; seed <= 3; ++seed) print("pool", seed, forebay::test::run(seed));
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const auto reading = forebay::sim::read_scenario(RandomScenario(seed).text(), "world.yaml");
    print("world", seed, forebay::sim::run(reading.scenario).trace_hash);
  }
}
