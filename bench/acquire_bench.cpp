// What does it cost to acquire a ready connection and give it back?
//
// Rows: 1, 2, 8 and 32 threads on pools of 32, 8 and 4 connections, each for ours, for the mutex +
// condition variable + deque pool everybody writes first, and for the floor: two uncontended
// lock-and-unlock pairs, because taking and giving back need one each. Connections are fakes that
// need no reset; the hold is nothing, which is the hardest case for a pool. p99.9 is that of
// acquire alone, timed one call in sixteen. Left out: the server, the network, and what a caller
// does with a connection.
#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

#include "queue_pool.hpp"
#include "support/real_pool.hpp"

namespace forebay::bench {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

std::unique_ptr<test::RealPool> reservoir_of(int size) {
  PoolOptions options;
  options.size.max = size;
  options.supply = Supply::reservoir;
  return std::make_unique<test::RealPool>(options, [](test::FakeServer& server) {
    server.connect_time = Duration::zero();
    server.close_time = Duration::zero();
  });
}

// One call in sixteen is timed, so that the clock does not drown what is measured.
class Sampler {
 public:
  Sampler() { samples_.reserve(1 << 16); }
  bool is_due() { return (++calls_ & 15) == 0 && samples_.size() < samples_.capacity(); }
  void add(Clock::time_point begun) {
    samples_.push_back(std::chrono::duration<double, std::nano>(Clock::now() - begun).count());
  }
  void report(benchmark::State& state) {
    if (samples_.empty()) return;
    const auto rank = static_cast<std::ptrdiff_t>(static_cast<double>(samples_.size()) * 0.999);
    std::nth_element(samples_.begin(), samples_.begin() + rank, samples_.end());
    state.counters["p99.9_ns"] = benchmark::Counter(samples_[static_cast<std::size_t>(rank)],
                                                    benchmark::Counter::kAvgThreads);
  }

 private:
  std::uint64_t calls_ = 0;
  std::vector<double> samples_;
};

std::unique_ptr<test::RealPool> our_pool;
std::unique_ptr<QueuePool> queue_pool;

void forebay_acquire(benchmark::State& state) {
  if (state.thread_index() == 0) our_pool = reservoir_of(static_cast<int>(state.range(0)));
  Sampler sampler;
  for (auto _ : state) {
    Pool& pool = **our_pool;
    if (sampler.is_due()) {
      const auto begun = Clock::now();
      Result<PooledConnection> connection = pool.acquire_blocking(10s);
      sampler.add(begun);
      benchmark::DoNotOptimize(connection);
    } else {
      Result<PooledConnection> connection = pool.acquire_blocking(10s);
      benchmark::DoNotOptimize(connection);
    }
  }
  sampler.report(state);
  if (state.thread_index() == 0) our_pool.reset();
}

void queue_acquire(benchmark::State& state) {
  if (state.thread_index() == 0)
    queue_pool = std::make_unique<QueuePool>(static_cast<int>(state.range(0)));
  Sampler sampler;
  for (auto _ : state) {
    QueuePool& pool = *queue_pool;
    std::optional<int> connection;
    if (sampler.is_due()) {
      const auto begun = Clock::now();
      connection = pool.acquire(10s);
      sampler.add(begun);
    } else {
      connection = pool.acquire(10s);
    }
    benchmark::DoNotOptimize(connection);
    pool.give_back(*connection);
  }
  sampler.report(state);
  if (state.thread_index() == 0) queue_pool.reset();
}

void floor_two_mutex_pairs(benchmark::State& state) {
  std::thread([] {}).join();  // without a second thread the C library leaves out the atomics
  std::mutex mutex;
  int value = 0;
  for (auto _ : state) {
    mutex.lock();
    benchmark::DoNotOptimize(++value);
    mutex.unlock();
    mutex.lock();
    benchmark::DoNotOptimize(--value);
    mutex.unlock();
  }
}

void rows(benchmark::internal::Benchmark* bench) {
  bench->ArgName("connections")->UseRealTime();
  for (const int connections : {32, 8, 4}) bench->Arg(connections);
  for (const int threads : {1, 2, 8, 32}) bench->Threads(threads);
}

BENCHMARK(floor_two_mutex_pairs)->UseRealTime();
BENCHMARK(forebay_acquire)->Apply(rows);
BENCHMARK(queue_acquire)->Apply(rows);

}  // namespace
}  // namespace forebay::bench

BENCHMARK_MAIN();
