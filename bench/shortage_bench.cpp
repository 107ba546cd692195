// What does an acquire cost that gets nothing, while 10, 100, 1,000 and 10,000 connections are
// lent?
//
// That is what a pool does most under overload, and each of its callers holds the lock of all. The
// time of one that does not wait at all, and the processor's time of one that waits for 50 us: it
// stands in line, leaves it and is told what the pool looked like. Connections are fakes.
#include <vector>

#include <benchmark/benchmark.h>

#include "support/real_pool.hpp"

namespace forebay::bench {
namespace {

using namespace std::chrono_literals;

class EmptyPool {
 public:
  explicit EmptyPool(int size) : pool_(options_of(size), &make_fast) {
    for (int i = 0; i < size; ++i) {
      Result<PooledConnection> taken = pool_->acquire_blocking(60s);
      FOREBAY_CHECK(taken.has_value());
      lent_.push_back(std::move(*taken));
    }
  }
  Pool& operator*() { return *pool_; }

 private:
  static PoolOptions options_of(int size) {
    PoolOptions options;
    options.size.max = size;
    options.supply = Supply::reservoir;
    return options;
  }
  static void make_fast(test::FakeServer& server) {
    server.connect_time = Duration::zero();
    server.close_time = Duration::zero();
  }

  test::RealPool pool_;
  std::vector<PooledConnection> lent_;
};

void fail_for(benchmark::State& state, Duration timeout) {
  EmptyPool pool(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    Result<PooledConnection> nothing = (*pool).acquire_blocking(timeout);
    FOREBAY_CHECK(!nothing.has_value());
    benchmark::DoNotOptimize(nothing);
  }
}

void fail_at_once(benchmark::State& state) { fail_for(state, 0s); }
void fail_after_a_wait(benchmark::State& state) { fail_for(state, 50us); }

void rows(benchmark::internal::Benchmark* bench) {
  bench->ArgName("lent");
  for (const int lent : {10, 100, 1'000, 10'000}) bench->Arg(lent);
}

BENCHMARK(fail_at_once)->Apply(rows);
BENCHMARK(fail_after_a_wait)->Apply(rows);

}  // namespace
}  // namespace forebay::bench

BENCHMARK_MAIN();
